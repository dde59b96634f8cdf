"""A client with servers in one file and hooks, perhaps a person's, too, in another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palimp_clients.install.client import Client
from palimp_clients.install.client_files import Change, text_of
from palimp_clients.install.json_servers import edit_json_file


@dataclass(frozen=True)
class ServersAndHooks:
    """Such a client; *servers* names its servers."""

    name: str
    servers: Client
    hooks_file: Callable[[Mapping[str, str]], Path]
    with_hooks: Callable[[Path, bytes], bytes]
    """Adds our hooks to the file's text, given the folder of our commands."""
    without_hooks: Callable[[bytes], bytes]

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        changes, said = self.servers.changes(env, programs)
        hooks = edit_json_file(self.hooks_file(env), partial(self.with_hooks, programs), self.without_hooks)
        return [*changes, *([hooks] if hooks.before != hooks.after else [])], said

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        path = self.hooks_file(env)
        return [*self.servers.present(env), Change(path, text_of(path), None, self.without_hooks)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client knows our server."""
        return self.servers.is_installed(env)

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client was used here."""
        return self.servers.is_there(env)
