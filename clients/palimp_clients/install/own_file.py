"""A client with a file of palimp's own, beside its servers'. A foreign or changed one stays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimp_clients.install.client import Client
from palimp_clients.install.client_files import Change, is_ours, text_of

Env = Mapping[str, str]


@dataclass(frozen=True)
class WithOwnFile:
    """A client of that kind."""

    name: str
    """As in `palimp install --client NAME`."""
    servers: Client
    path: Callable[[Env], Path]
    text: Callable[[Path], bytes]
    skipped: Callable[[Env], Sequence[str]] = lambda _: ()
    """Why the client would not run it, a sentence each."""

    def changes(self, env: Env, programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        changes, said = self.servers.changes(env, programs)
        path, text = self.path(env), self.text(programs)
        data = text_of(path)
        if data is not None and data != text and not is_ours(path, data, self.name, env):
            return changes, [*said, f"{path} is yours, and stays as it is."]
        return [*changes, *([] if data == text else [Change(path, data, text, bytes)])], said

    def settle(self, env: Env, programs: Path) -> list[str]:
        """Return why the client would not run our file."""
        del programs
        return list(self.skipped(env))

    def disuse_reason(self, env: Env, programs: Path) -> tuple[str, bool]:
        """Return why hooks are not run, and whether that is certain."""
        return " ".join(self.settle(env, programs)), True

    def present(self, env: Env) -> list[Change]:
        """Return the present files."""
        path = self.path(env)
        return [*self.servers.present(env), Change(path, text_of(path), None, bytes)]

    def is_installed(self, env: Env) -> bool:
        """Tell whether the client knows our server."""
        return self.servers.is_installed(env)

    def is_there(self, env: Env) -> bool:
        """Tell whether the client was used here."""
        return self.servers.is_there(env)
