"""Remove or rename trust in hooks in the text of Codex' `config.toml`, changing nothing else.

`[hooks.state."KEY"]` ends with the hook's place: when an earlier one goes, the entry must move, or Codex skips the
hook.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from palimp_clients.install.json_structure import BOM
from palimp_clients.install.toml_servers import dump_toml, first_that_says, parse_toml, without_section

_STATE: Final = (
    rb"^[ \t]*\[[ \t]*hooks[ \t]*\.[ \t]*state[ \t]*(?:\.[ \t]*(\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')[ \t]*)?\]"
)
_SECTION: Final = re.compile(_STATE, re.MULTILINE)


def entries(text: bytes) -> dict[str, Any]:
    """Return the trust entries in *text*, by hook key.

    Raises:
        TomlTextError: *text* is no TOML.
    """
    hooks = parse_toml(text).get("hooks")
    state: Any = cast("dict[str, Any]", hooks).get("state") if isinstance(hooks, dict) else None
    return cast("dict[str, Any]", state) if isinstance(state, dict) else {}


def move_entries(text: bytes, moves: Mapping[str, str]) -> bytes:
    """Return *text* with entries renamed by *moves*, or removed for an empty key.

    Raises:
        TomlTextError: *text* is no TOML, or other parts would change.
    """
    known = entries(text)
    if not known.keys() & moves.keys():
        return text
    left = {moves.get(key, key): value for key, value in known.items() if moves.get(key, key)}
    wanted = parse_toml(text)
    wanted["hooks"]["state"] = left
    said = [wanted]
    if not left:
        said.append({**wanted, "hooks": {key: value for key, value in wanted["hooks"].items() if key != "state"}})
        said.append(
            {key: value for key, value in wanted.items() if key != "hooks"} if len(wanted["hooks"]) == 1 else wanted
        )
    ways: list[Callable[[], bytes]] = [lambda: _in_sections(text, moves, left), lambda: _by_tomlkit(text, moves, left)]
    return first_that_says(ways, said, "hooks.state cannot be changed with everything else as it is")


def _in_sections(text: bytes, moves: Mapping[str, str], left: Mapping[str, Any]) -> bytes:
    at = 0
    while match := _SECTION.search(text, at):
        at = match.end()
        if match[1] is None:
            is_gone = not left
        else:
            key = parse_toml(b"key = " + match[1])["key"]
            is_gone = moves.get(key) == ""
            if moves.get(key):
                written = json.dumps(moves[key], ensure_ascii=False).encode()
                text = text[: match.start(1)] + written + text[match.end(1) :]
                at = match.start(1) + len(written)
        if is_gone:
            before = len(text)
            text = without_section(text, match.start(), match.end())
            at = max(0, match.start() - (before - len(text)))
    return text


def _by_tomlkit(text: bytes, moves: Mapping[str, str], left: Mapping[str, Any]) -> bytes:
    import tomlkit  # noqa: PLC0415  only for one client

    document: Any = tomlkit.parse(text.removeprefix(BOM).decode())
    state: Any = document["hooks"]["state"]
    taken = {key: state.pop(key) for key in moves if key in state}
    for key, value in taken.items():
        if moves[key]:
            state[moves[key]] = value
    if not left:
        del document["hooks"]["state"]
        if not document["hooks"]:
            del document["hooks"]
    return dump_toml(text, tomlkit.dumps(document))
