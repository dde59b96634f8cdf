"""Hermes, in `HERMES_HOME` or `~/.hermes`: server and hooks in `config.yaml`.

A hook runs once a person agreed, by `shell-hooks-allowlist.json`, which palimp never writes. Servers need the package's
extra `mcp`, and get few environment variables.
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from palimp_clients.hooks.event import mapping_of, text_of
from palimp_clients.hooks.programs import CLIENT_VARIABLE
from palimp_clients.install import client_files, yaml_edit
from palimp_clients.install.client_files import Change
from palimp_clients.install.json_servers import BY_HAND, MEND
from palimp_clients.install.yaml_edit import YamlTextError
from palimp_protocol.env.paths import home_directory
from palimp_protocol.errors import ErrorCode, PalimpError

NAME: Final = "hermes"

HOOKS: Final = (
    ("pre_llm_call", "session_start", ""),
    ("pre_llm_call", "pre_llm_call", ""),
    ("pre_tool_call", "pre_tool_call", "terminal|read_file|write_file|patch"),
    ("post_tool_call", "post_tool_call", "terminal|write_file|patch"),
    ("on_session_end", "on_session_end", ""),
    ("on_session_finalize", "on_session_finalize", ""),
)
"""Hermes's event, our name of it, and a pattern of tools."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""

PASSED_ON: Final = ("PALIMP_HOME", "PALIMP_SOCKET")
"""Variables with palimp's folders and socket; Hermes passes servers only configured values."""

SERVERS: Final = "mcp_servers"
OURS: Final = "palimp"

_COMMAND: Final = re.compile(r"palimp['\"]? hook \w+ --client hermes$")


def folder(env: Mapping[str, str]) -> Path:
    """Return Hermes' folder."""
    return Path(env["HERMES_HOME"]) if env.get("HERMES_HOME") else Path(home_directory(env)) / ".hermes"


def with_palimp(programs: Path, env: Mapping[str, str], text: bytes) -> bytes:
    """Return *text* with our server and hooks, each once.

    Raises:
        YamlTextError: *text* is no YAML, or has another form on the way.
    """
    known = mapping_of(mapping_of(yaml_edit.read_yaml(text), SERVERS), OURS)
    entry = _entry(programs, env)
    if not known.items() >= entry.items():
        text = yaml_edit.with_member(text, SERVERS, OURS, {**known, **entry})
    hooks = _hooks(programs)
    if sorted(_ours_in(text)) != sorted((event, hook["command"]) for event, hook in hooks):
        text = without_hooks(text)
        for event, hook in reversed(hooks):  # each in front of the last
            text = yaml_edit.with_item(text, "hooks", event, hook)
    return text


def without_palimp(text: bytes) -> bytes:
    """Return *text* without our server and hooks.

    Raises:
        YamlTextError: *text* is no YAML, or other parts would change.
    """
    return yaml_edit.without_member(without_hooks(text), SERVERS, OURS)


def without_hooks(text: bytes) -> bytes:
    """Return *text* without our hooks."""
    return yaml_edit.without_items(text, "hooks", _is_ours)


@dataclass(frozen=True)
class Hermes:
    """Hermes' file."""

    name: str = NAME

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        path = folder(env) / "config.yaml"
        data = client_files.text_of(path)
        try:
            after = with_palimp(programs, env, data or b"")
        except YamlTextError as error:
            hint = BY_HAND if error.lines else MEND
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be changed: {error}.", hint, error.lines) from None
        change = Change(path, data, after, without_palimp)
        return ([change] if change.before != change.after else []), []

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        path = folder(env) / "config.yaml"
        return [Change(path, client_files.text_of(path), None, without_palimp)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the file names our server."""
        try:
            known = yaml_edit.read_yaml(client_files.text_of(folder(env) / "config.yaml") or b"")
        except YamlTextError:
            return False
        return bool(mapping_of(mapping_of(known, SERVERS), OURS))

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client's folder is there."""
        return folder(env).is_dir()

    def settle(self, env: Mapping[str, str], programs: Path) -> list[str]:
        """Return remarks: only a person may agree to hooks."""
        missing = [event for event, hook in _hooks(programs) if (event, hook["command"]) not in _agreements(env)]
        if not missing:
            return []
        events = ", ".join(dict.fromkeys(missing))
        what = f"Hermes does not run palimp's hooks ({events}) until you have agreed to them."
        return [f"{what} It asks at its next start in a terminal; `hermes --accept-hooks` agrees to all."]

    def disuse_reason(self, env: Mapping[str, str], programs: Path) -> tuple[str, bool]:
        """Return why hooks are not run, and whether that is certain."""
        return " ".join(self.settle(env, programs)), not _takes_all(env)


def _entry(programs: Path, env: Mapping[str, str]) -> dict[str, Any]:
    named = {name: env[name] for name in PASSED_ON if env.get(name)}
    return {"command": str(programs / "palimp-shim"), "args": [], "env": {CLIENT_VARIABLE: NAME, **named}}


def _hooks(programs: Path) -> list[tuple[str, dict[str, Any]]]:
    program = shlex.quote(str(programs / "palimp"))
    found: list[tuple[str, dict[str, Any]]] = []
    for event, name, matcher in HOOKS:
        of_tools = {"matcher": matcher} if matcher else {}
        hook = {**of_tools, "command": f"{program} hook {name} --client {NAME}", "timeout": HOOK_S}
        found.append((event, hook))
    return found


def _is_ours(item: Any) -> bool:
    return isinstance(item, dict) and bool(_COMMAND.search(text_of(cast("dict[str, Any]", item), "command")))


def _ours_in(text: bytes) -> list[tuple[str, str]]:
    hooks = mapping_of(yaml_edit.read_yaml(text), "hooks")
    lists = [(event, cast("list[Any]", items)) for event, items in hooks.items() if isinstance(items, list)]
    return [(event, item["command"]) for event, items in lists for item in items if _is_ours(item)]


def _agreements(env: Mapping[str, str]) -> set[tuple[str, str]]:
    try:
        said: Any = json.loads((folder(env) / "shell-hooks-allowlist.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return set()
    listed: Any = cast("dict[str, Any]", said).get("approvals") if isinstance(said, dict) else None
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    known = [cast("dict[str, Any]", entry) for entry in entries if isinstance(entry, dict)]
    return {(text_of(entry, "event"), text_of(entry, "command")) for entry in known}


def _takes_all(env: Mapping[str, str]) -> bool:
    """Tell whether Hermes runs hooks without asking, whatever the list says."""
    if env.get("HERMES_ACCEPT_HOOKS", "").lower() in ("1", "true", "yes", "on"):
        return True
    try:
        known = yaml_edit.read_yaml(client_files.text_of(folder(env) / "config.yaml") or b"")
    except YamlTextError:
        return False
    return known.get("hooks_auto_accept") is True


HERMES: Final = Hermes()
