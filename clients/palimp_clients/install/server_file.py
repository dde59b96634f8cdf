"""A client with its servers in one file, JSON or TOML."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from palimp_clients.install import toml_servers
from palimp_clients.install.client_files import Change, text_of
from palimp_clients.install.json_edit import value_at, with_member, without_member
from palimp_clients.install.json_servers import BY_HAND, MEND
from palimp_clients.install.json_structure import BOM, JsonShapeError, JsonTextError
from palimp_clients.install.toml_servers import TomlTextError
from palimp_protocol.env.paths import config_home, home_directory
from palimp_protocol.errors import ErrorCode, PalimpError

NAME: Final = "palimp"


Entry = Callable[[str, Mapping[str, str]], dict[str, Any]]
"""Returns the client's entry for our relay, from its path and the environment."""


@dataclass(frozen=True)
class ServerFile:
    """Such a client: *file* below *base*, servers in *table*."""

    base: Callable[[Mapping[str, str]], Path]
    file: str
    table: str
    entry: Entry
    other_file: str = ""
    """The file's other name, used if it exists."""
    preferences: frozenset[str] = frozenset()
    """Keys of the entry that a person may have set; their values stay."""

    @property
    def _is_toml(self) -> bool:
        return self.file.endswith(".toml")

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        path = self._path(env)
        data = text_of(path)
        try:
            after = self._with(data or b"", self.entry(str(programs / "palimp-shim"), env))
        except TomlTextError as error:
            hint = BY_HAND if error.lines else MEND
            what = f"{path}: {error}." if error.lines else f"{path} is not valid TOML: {error}."
            raise PalimpError(ErrorCode.BAD_REQUEST, what, hint, error.lines) from None
        except JsonShapeError as error:
            text = f"{path} has another form: {error}."
            raise PalimpError(ErrorCode.BAD_REQUEST, text, MEND) from None
        except JsonTextError as error:
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} is not valid JSON: {error}.", MEND) from None
        change = Change(path, data, after, self._without)
        return ([change] if change.before != change.after else []), []

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        path = self._path(env)
        return [Change(path, text_of(path), None, self._without)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the file names our server."""
        try:
            return self._server_entry(text_of(self._path(env)) or b"") is not None
        except ValueError:
            return False

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client's folder is there."""
        return self._path(env).parent.is_dir()

    def _path(self, env: Mapping[str, str]) -> Path:
        base = self.base(env)
        return base / self.other_file if self.other_file and (base / self.other_file).exists() else base / self.file

    def _server_entry(self, text: bytes) -> Any:
        if not text.removeprefix(BOM).strip():
            return None
        if self._is_toml:
            return toml_servers.server_in(text, self.table, NAME)
        return value_at(text, (self.table, NAME))

    def _with(self, text: bytes, entry: dict[str, Any]) -> bytes:
        known = self._server_entry(text)
        if self._is_toml:
            there = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
            chosen = {key: there[key] for key in self.preferences & there.keys()}
            return toml_servers.with_server(text, self.table, NAME, entry | chosen)
        if isinstance(known, dict) and known.items() >= entry.items():  # pyright: ignore[reportUnknownMemberType]
            return text  # what else the user set there stays
        return with_member(text if text.removeprefix(BOM).strip() else b"{}\n", (self.table, NAME), entry)

    def _without(self, text: bytes) -> bytes:
        if self._is_toml:
            return toml_servers.without_server(text, self.table, NAME)
        if self._server_entry(text) is None:
            return text
        without = without_member(text, (self.table, NAME))
        return without if value_at(without, (self.table,)) else without_member(without, (self.table,))


def in_home(folder: str, env: Mapping[str, str]) -> Path:
    """Return *folder* in the user's home."""
    return Path(home_directory(env)) / folder


def in_config(folder: str, env: Mapping[str, str]) -> Path:
    """Return *folder* in programs' configuration folder."""
    return Path(config_home(env)) / folder


def command_entry(relay: str, _: Mapping[str, str]) -> dict[str, Any]:
    """Return an entry of command and arguments."""
    return {"command": relay, "args": []}
