"""Codex, in `CODEX_HOME` or `~/.codex`: server in `config.toml`, hooks in `hooks.json`, and their trust.

Hooks are commands: Codex starts the server during the first events, and shows a hook as failed if its input names a
field that an event lacks.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from palimp_clients.codex import toml_trust
from palimp_clients.codex import trust as codex_trust
from palimp_clients.install.client import Client
from palimp_clients.install.client_files import Change, adopt, text_of
from palimp_clients.install.hook_groups import group_of, places, with_groups, without_groups
from palimp_clients.install.json_servers import edit_json_file
from palimp_clients.install.json_structure import BOM
from palimp_clients.install.npm_package import Version, version_around, version_told
from palimp_clients.install.server_file import ServerFile
from palimp_clients.install.toml_servers import TomlTextError, parse_toml
from palimp_protocol.env.paths import home_directory

NAME: Final = "codex"
PATCHING: Final = "apply_patch"
MATCHERS: Final[Mapping[str, str]] = {
    "SessionStart": "",
    "UserPromptSubmit": "",
    "PreToolUse": f"{PATCHING}|Bash",
    "PostToolUse": PATCHING,
    "Stop": "",
    "SubagentStart": "",
    "PreCompact": "",
    "SessionEnd": "",
}
"""Hooked events, each with a pattern of tools. Codex does not report commands' outcomes."""

TOLD: Final = frozenset({"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"})
"""Events with a reply that reaches the agent."""

HOOK_S: Final = 3
"""Codex's timeout in seconds, its own limit for SessionEnd; hooks end far sooner."""

PASSED_ON: Final = ("PALIMP_HOME", "PALIMP_SOCKET", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
"""Variables with palimp's folders and socket; Codex passes servers only variables named here."""

PACKAGE: Final = "@openai/codex"
CALLS_ITSELF: Final = "codex-cli"
TOOLS_SHOWN: Final = "omit_tools_from"
TOOLS_SHOWN_SINCE: Final = Version(0, 171, 0)
"""First tested version; the key's effect in older ones is not known."""

NOT_ONLY_IN: Final = ("deferred", "code_mode")
"""Ways in which Codex hides servers' tools from many models, behind one line of instructions. A server excluded from
both is declared in full.
"""

_is_ours: Final = group_of(re.compile(rf"palimp['\"]? hook \w+ --client {NAME}$"))


def folder(env: Mapping[str, str]) -> Path:
    """Return Codex' folder."""
    return Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else Path(home_directory(env)) / ".codex"


def entry(relay: str, env: Mapping[str, str]) -> dict[str, Any]:
    """Return our relay's entry, with TOOLS_SHOWN for versions that know it."""
    server: dict[str, Any] = {"command": relay, "args": [], "env_vars": list(PASSED_ON)}
    program = shutil.which(codex_trust.PROGRAM, path=env.get("PATH", os.defpath))
    if program is None:
        return server
    version = version_around(Path(program), PACKAGE) or version_told(Path(program), env, CALLS_ITSELF)
    return server | {TOOLS_SHOWN: [*NOT_ONLY_IN]} if version and version >= TOOLS_SHOWN_SINCE else server


@dataclass(frozen=True)
class Codex:
    """Codex' files; *server* is for the MCP server."""

    server: Client
    name: str = NAME

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        changes, said = self.server.changes(env, programs)
        changes = [replace(change, taken_out=_without_trust(change.taken_out, env)) for change in changes]
        hooks = edit_json_file(
            _hooks_file(env), lambda text: with_groups(text, _groups(programs), _is_ours), _without_hooks
        )
        return [*changes, *([hooks] if hooks.before != hooks.after else [])], said

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        path = _hooks_file(env)
        servers = [
            replace(change, taken_out=_without_trust(change.taken_out, env)) for change in self.server.present(env)
        ]
        return [*servers, Change(path, text_of(path), None, _without_hooks)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether Codex knows our server."""
        return self.server.is_installed(env)

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether Codex was used here, or can be."""
        return folder(env).is_dir() or shutil.which(codex_trust.PROGRAM, path=env.get("PATH", os.defpath)) is not None

    def settle(self, env: Mapping[str, str], programs: Path) -> list[str]:
        """Have Codex trust our hooks, and journal that as ours; return remarks.

        Raises:
            PalimpError: Codex' settings or our journal cannot be read or written.
        """
        before = self._config(env)
        trust = codex_trust.grant(env, _hooks_file(env), _commands(programs))
        after = self._config(env)
        if before.before != after.before and _adds_only_trust(before.before or b"", after.before or b""):
            adopt(replace(before, after=after.before), NAME, env)
        return [said] if (said := _sentence(trust)) else []

    def disuse_reason(self, env: Mapping[str, str], programs: Path) -> tuple[str, bool]:
        """Return why hooks are not run, and whether that is certain."""
        trust = codex_trust.read(env, _hooks_file(env), _commands(programs))
        sentence = _sentence(trust)
        return (
            sentence and f"{sentence} `palimp install --client {NAME}` asks it again to trust them.",
            not trust.problem,
        )

    def _config(self, env: Mapping[str, str]) -> Change:
        [config] = [change for change in self.present(env) if change.path != _hooks_file(env)]
        return config


def _sentence(trust: codex_trust.Trust) -> str:
    if trust.problem:
        what = f"Whether Codex trusts palimp's hooks is not known: {trust.problem}"
        return f"{what}. Those that it does not trust, it skips without a word. {codex_trust.BY_HAND}"
    if trust.skipped:
        events = ", ".join(trust.skipped)
        return f"Codex skips palimp's hooks ({events}): it does not trust them, or they are off. {codex_trust.BY_HAND}"
    return ""


def _groups(programs: Path) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for event, command in _commands(programs).items():
        matcher: dict[str, Any] = {"matcher": MATCHERS[event]} if MATCHERS[event] else {}
        # 0: Codex cuts the middle out of what is longer than 2,500 tokens, else; palimp has a bound of its own.
        limit = {"additionalContextLimit": 0} if event in TOLD else {}
        groups[event] = {**matcher, "hooks": [{"type": "command", "command": command, "timeout": HOOK_S, **limit}]}
    return groups


def _commands(programs: Path) -> dict[str, str]:
    program = shlex.quote(str(programs / "palimp"))
    return {event: f"{program} hook {event} --client {NAME}" for event in MATCHERS}


def _without_hooks(text: bytes) -> bytes:
    return without_groups(text, _is_ours) if text.removeprefix(BOM).strip() else text


def _without_trust(without_server: Callable[[bytes], bytes], env: Mapping[str, str]) -> Callable[[bytes], bytes]:
    return partial(_taken_out, without_server, _hooks_file(env))


def _taken_out(without_server: Callable[[bytes], bytes], file: Path, text: bytes) -> bytes:
    hooks = text_of(file) or b""
    are_ours = places(hooks, _is_ours) if hooks.removeprefix(BOM).strip() else {}
    text = without_server(text)
    return toml_trust.move_entries(text, codex_trust.moves(toml_trust.entries(text), file, are_ours))


def _adds_only_trust(before: bytes, after: bytes) -> bool:
    """Another program may have written meanwhile."""
    try:
        return _but_for_trust(before) == _but_for_trust(after)
    except TomlTextError:
        return False


def _but_for_trust(text: bytes) -> dict[str, Any]:
    said = parse_toml(text)
    hooks: Any = said.get("hooks")
    if isinstance(hooks, dict):
        left: dict[str, Any] = {key: value for key, value in hooks.items() if key != "state"}  # pyright: ignore[reportUnknownVariableType]
        said = {**{key: value for key, value in said.items() if key != "hooks"}, **({"hooks": left} if left else {})}
    return said


def _hooks_file(env: Mapping[str, str]) -> Path:
    return folder(env) / "hooks.json"


CODEX: Final = Codex(ServerFile(folder, "config.toml", "mcp_servers", entry, preferences=frozenset({TOOLS_SHOWN})))
