"""Kimi Code, in `KIMI_CODE_HOME` or `~/.kimi-code`: server in `mcp.json`, hooks in `config.toml`."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from palimp_clients.hooks.event import text_of
from palimp_clients.hooks.programs import CLIENT_VARIABLE
from palimp_clients.install import client_files, toml_servers
from palimp_clients.install.client_files import Change
from palimp_clients.install.json_servers import BY_HAND, MEND
from palimp_clients.install.server_file import ServerFile, command_entry
from palimp_clients.install.toml_servers import TomlTextError
from palimp_protocol.env.paths import home_directory
from palimp_protocol.errors import ErrorCode, PalimpError

NAME: Final = "kimi"

HOOKS: Final[Mapping[str, str]] = {
    "UserPromptSubmit": "",
    "PreToolUse": "^(Bash|Edit|Read|Write)$",
    "PostToolUse": "^(Bash|Edit|Write)$",
    "PostToolUseFailure": "^Bash$",
    "Stop": "",
    "PreCompact": "",
    "SessionEnd": "",
}
"""Hooked events, each with a regular expression found anywhere in the tool's name."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""

_COMMAND: Final = re.compile(r"palimp['\"]? hook \w+ --client kimi\b")
_SECTION: Final = re.compile(rb"^[ \t]*\[\[[ \t]*[\"']?hooks[\"']?[ \t]*\]\]", re.MULTILINE)


def folder(env: Mapping[str, str]) -> Path:
    """Return Kimi's folder."""
    return Path(env["KIMI_CODE_HOME"]) if env.get("KIMI_CODE_HOME") else Path(home_directory(env)) / ".kimi-code"


def with_hooks(programs: Path, text: bytes) -> bytes:
    """Return *text* with our hooks, each once.

    Raises:
        TomlTextError: *text* is no TOML, or its hooks' form takes no more.
    """
    hooks = _hooks(programs)
    if _ours_in(text) == hooks:
        return text
    before = without_hooks(text)
    wanted = toml_servers.parse_toml(before)
    lines = "\n".join(_lines(hook) for hook in hooks)
    if not isinstance(wanted.setdefault("hooks", []), list):
        raise TomlTextError("hooks is no list in it", lines)
    wanted["hooks"] += hooks
    otherwise = "hooks cannot be added with everything else as it is"
    return toml_servers.first_that_says([lambda: toml_servers.with_lines(before, lines)], [wanted], otherwise, lines)


def without_hooks(text: bytes) -> bytes:
    """Return *text* without our hooks.

    Raises:
        TomlTextError: *text* is no TOML, or other parts would change.
    """
    if not _ours_in(text):
        return text
    wanted = toml_servers.parse_toml(text)
    wanted["hooks"] = [hook for hook in wanted["hooks"] if not _is_ours(hook)]
    empty = {key: value for key, value in wanted.items() if key != "hooks" or value}
    otherwise = "palimp's hooks cannot be taken out with everything else as it is"
    return toml_servers.first_that_says([lambda: _without_sections(text)], [wanted, empty], otherwise)


@dataclass(frozen=True)
class Kimi:
    """Kimi's files; *servers* names its servers."""

    servers: ServerFile
    name: str = NAME

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        changes, said = self.servers.changes(env, programs)
        path = folder(env) / "config.toml"
        data = client_files.text_of(path)
        try:
            after = with_hooks(programs, data or b"")
        except TomlTextError as error:
            hint = BY_HAND if error.lines else MEND
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be changed: {error}.", hint, error.lines) from None
        hooks = Change(path, data, after, without_hooks)
        return [*changes, *([hooks] if hooks.before != hooks.after else [])], said

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        path = folder(env) / "config.toml"
        return [*self.servers.present(env), Change(path, client_files.text_of(path), None, without_hooks)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client knows our server."""
        return self.servers.is_installed(env)

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client was used here."""
        return self.servers.is_there(env)


def _hooks(programs: Path) -> list[dict[str, Any]]:
    program = shlex.quote(str(programs / "palimp"))
    return [
        {
            "event": event,
            **({"matcher": matcher} if matcher else {}),
            "command": f"{program} hook {event} --client {NAME} 2>/dev/null || :",
            "timeout": HOOK_S,
        }
        for event, matcher in HOOKS.items()
    ]


def _lines(hook: Mapping[str, Any]) -> str:
    """Texts and numbers are the same in TOML and JSON."""
    return "[[hooks]]\n" + "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in hook.items())


def _is_ours(hook: Any) -> bool:
    return isinstance(hook, dict) and bool(_COMMAND.search(text_of(cast("dict[str, Any]", hook), "command")))


def _ours_in(text: bytes) -> list[Any]:
    hooks = toml_servers.parse_toml(text).get("hooks")
    return [hook for hook in cast("list[Any]", hooks) if _is_ours(hook)] if isinstance(hooks, list) else []


def _without_sections(text: bytes) -> bytes:
    for start in reversed([match.start() for match in _SECTION.finditer(text)]):
        end = _SECTION.match(text, start)
        assert end is not None  # noqa: S101  it was found there
        following = toml_servers.HEADER.search(text, end.end())
        section = text[start : following.start() if following else len(text)]
        if _COMMAND.search(section.decode(errors="replace")):
            text = toml_servers.without_section(text, start, end.end())
    return text


def _entry(relay: str, env: Mapping[str, str]) -> dict[str, Any]:
    # Kimi calls itself kimi-code, and gives a server the whole environment.
    return {**command_entry(relay, env), "env": {CLIENT_VARIABLE: NAME}}


KIMI: Final = Kimi(ServerFile(folder, "mcp.json", "mcpServers", _entry))
