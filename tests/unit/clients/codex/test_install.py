"""Codex' files and its trust: granted by its program, read back, taken out to the byte; whatever that program does."""

import json
import os
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.codex import app_server as codex_server
from palimp_clients.codex.install import CODEX, MATCHERS, NAME
from palimp_clients.codex.toml_trust import entries, move_entries
from palimp_clients.install.client_files import apply, undo
from palimp_clients.install.toml_servers import TomlTextError
from palimp_protocol.errors import PalimpError

PROGRAMS: Final = Path("/opt/palimp é/bin")
STAND_IN: Final = """\
import hashlib, json, os, pathlib, sys, time, tomllib
if sys.argv[1:] == ["--version"]:
    print("codex-cli " + os.environ["VERSION"]) if "VERSION" in os.environ else sys.exit(2)
    sys.exit(0)
home = pathlib.Path(os.environ["CODEX_HOME"])
way = os.environ.get("STAND_IN", "")
def hooks():
    config = tomllib.loads((home / "config.toml").read_text(encoding="utf-8-sig"))
    state = config.get("hooks", {}).get("state", {})
    for event, groups in json.loads((home / "hooks.json").read_text(encoding="utf-8-sig")).get("hooks", {}).items():
        for index, group in enumerate(groups):
            label = "".join("_" + c.lower() if c.isupper() else c for c in event).lstrip("_")
            key = f"{home}/hooks.json:{label}:{index}:0"
            now = "sha256:" + hashlib.sha256(json.dumps(group).encode()).hexdigest()
            told = state.get(key, {}).get("trusted_hash")
            yield {"key": key, "eventName": event[0].lower() + event[1:], "command": group["hooks"][0]["command"],
                   "sourcePath": f"{home}/hooks.json", "source": "user", "currentHash": now,
                   "enabled": state.get(key, {}).get("enabled", True),
                   "trustStatus": "trusted" if told == now else "modified" if told else "untrusted"}
if way == "hang":
    time.sleep(600)  # until it is killed
if way == "die":
    sys.exit(3)
for line in sys.stdin:
    told = json.loads(line)
    if "id" not in told:
        continue
    answer = {"userAgent": "x"}
    if way in ("nonsense", "text", "refuses", "flood"):
        refusal = json.dumps({"id": told["id"], "error": {"message": "no such"}})
        print({"nonsense": "{", "text": '"店"', "refuses": refusal, "flood": "x" * 9_000_000}[way], flush=True)
        continue
    if told["method"] == "hooks/list":
        answer = {"data": [{"cwd": "x", "hooks": list(hooks()), "errors": [], "warnings": []}]}
        if way == "warns":
            answer["data"] = [{"hooks": [], "warnings": [f"failed to parse {home}/hooks.json: EOF", 3]}]
        if way == "odd":
            answer = {"data": [None, {"hooks": [3, {"eventName": 7}, {"eventName": "stop", "command": 5}]}]}
    if told["method"] == "config/batchWrite" and way != "forgets":
        [edit] = told["params"]["edits"]
        with (home / "config.toml").open("a") as file:
            if way == "meanwhile":
                file.write("\\n[theirs]\\nx = 1\\n")
            for key, value in edit["value"].items():
                told_hash = json.dumps(value["trusted_hash"])
                file.write(f"\\n[hooks.state.{json.dumps(key)}]\\ntrusted_hash = {told_hash}\\n")
    print(json.dumps({"method": "remoteControl/status/changed", "params": {}}))
    print(json.dumps({"id": told["id"], "result": answer}), flush=True)
"""


class Home:
    """A user's home with a stand-in for the program of Codex."""

    def __init__(self, folder: Path) -> None:
        self.codex = folder / "codex é"
        self.codex.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "codex"
        program.write_text(f"#!{sys.executable} -S\n{STAND_IN}")
        program.chmod(0o755)
        self.env = {
            "HOME": str(folder),
            "PALIMP_HOME": str(folder / "state"),
            "CODEX_HOME": str(self.codex),
            "PATH": str(programs),
        }
        self.config, self.hooks = self.codex / "config.toml", self.codex / "hooks.json"

    def install(self) -> list[str]:
        changes, said = CODEX.changes(self.env, PROGRAMS)
        apply(changes, NAME, self.env)
        return said + CODEX.settle(self.env, PROGRAMS)

    def uninstall(self) -> list[str]:
        return undo(CODEX.present(self.env), NAME, self.env)


@pytest.fixture
def user(tmp_path: Path) -> Home:
    return Home(tmp_path)


USERS: Final = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say \xe5\xae\x8c"}]}]}}'


@pytest.mark.parametrize(
    ("config", "hooks"),
    [
        (None, None),
        (b"", b""),
        (b"# mine\r\nmodel = 'x'\r\n", USERS),
        (b"\xef\xbb\xbfmodel = 'x'", b"\xef\xbb\xbf{\r\n}\r\n"),
        (b"[mcp_servers.palimp]\ncommand = '/old'\n", USERS),
    ],
)
def test_hooks_are_trusted_and_all_is_as_it_was_afterwards(user: Home, config: bytes | None, hooks: bytes | None):
    for path, data in ((user.config, config), (user.hooks, hooks)):
        if data is not None:
            path.write_bytes(data)
    assert user.install() == []
    assert CODEX.disuse_reason(user.env, PROGRAMS) == ("", True)
    assert user.install() == []
    assert len(entries(user.config.read_bytes())) == len(MATCHERS)
    user.uninstall()
    found = [path.read_bytes() if path.exists() else None for path in (user.config, user.hooks)]
    assert found == [config, hooks]


def _server(user: Home) -> dict[str, Any]:
    user.install()
    return tomllib.loads(user.config.read_text())["mcp_servers"]["palimp"]


@pytest.mark.parametrize(
    ("version", "is_told"), [("0.171.0", True), ("1.0.0-alpha.2", True), ("0.170.9", False), ("", False), (None, False)]
)
def test_a_version_that_knows_it_is_told_to_declare_the_tools(user: Home, version: str | None, is_told: bool):
    """Else it defers them, and a model sees one line of what palimp says."""
    user.env |= {} if version is None else {"VERSION": version}
    shown = _server(user).get("omit_tools_from")
    assert shown == (["deferred", "code_mode"] if is_told else None)
    user.uninstall()
    assert not user.config.exists()


def test_a_person_may_have_the_tools_deferred(user: Home):
    """What stands there stays, with the rest of our entry renewed."""
    user.env["VERSION"] = "0.171.0"
    user.config.write_text("[mcp_servers.palimp]\ncommand = '/old'\nomit_tools_from = []\n")
    server = _server(user)
    assert server["omit_tools_from"] == []
    assert server["command"] != "/old"


def test_each_event_has_a_command_with_the_programs_quoted_path(user: Home):
    user.install()
    hooks = json.loads(user.hooks.read_text())["hooks"]
    assert hooks.keys() == MATCHERS.keys()
    [group] = hooks["PreToolUse"]
    assert group["matcher"] == "apply_patch|Bash"
    [hook] = group["hooks"]
    assert hook["command"] == "'/opt/palimp é/bin/palimp' hook PreToolUse --client codex"
    assert hook["additionalContextLimit"] == 0
    assert "additionalContextLimit" not in hooks["Stop"][0]["hooks"][0]


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("hang", "does not answer within"),
        ("die", "ended"),
        ("nonsense", "no JSON"),
        ("text", "no message"),
        ("flood", "writes too much"),
        ("refuses", "it refuses initialize: no such"),
        ("warns", "failed to parse"),
        ("odd", "Codex skips palimp's hooks (SessionStart,"),
        ("forgets", "Codex skips palimp's hooks (SessionStart,"),
    ],
)
def test_a_program_that_does_not_do_it_is_said(user: Home, monkeypatch: pytest.MonkeyPatch, way: str, said: str):
    """The files are there all the same, and go again."""
    if way == "hang":
        monkeypatch.setattr(codex_server, "TALK_S", 0.2)
        monkeypatch.setattr(codex_server, "ENDING_S", 0.1)
    user.config.write_text("model = 'x'\n")
    user.env["STAND_IN"] = way
    [sentence] = user.install()
    assert said in sentence
    assert "/hooks" in sentence
    assert CODEX.is_installed(user.env)
    why, is_certain = CODEX.disuse_reason(user.env, PROGRAMS)
    assert said in why
    assert is_certain == (way in ("odd", "forgets"))
    user.uninstall()
    assert user.config.read_text() == "model = 'x'\n"
    assert not user.hooks.exists()


def test_without_the_program_it_is_said(user: Home):
    user.env["PATH"] = "/nowhere"
    [sentence] = user.install()
    assert "the program codex is not on the PATH" in sentence


def test_a_hook_that_only_looks_like_ours_is_not_trusted(user: Home):
    other = {"type": "command", "command": "rm -rf /; '/opt/palimp é/bin/palimp' hook Stop --client codex"}
    user.install()
    hooks = json.loads(user.hooks.read_text())
    hooks["hooks"]["Stop"] = [{"hooks": [other]}]
    user.hooks.write_text(json.dumps(hooks))
    [sentence] = CODEX.settle(user.env, PROGRAMS)
    assert "(Stop)" in sentence


def test_a_hook_that_is_switched_off_is_said(user: Home):
    user.install()
    text = user.config.read_text().replace(':stop:0:0"]\n', ':stop:0:0"]\nenabled = false\n')
    user.config.write_text(text)
    assert "(Stop)" in CODEX.disuse_reason(user.env, PROGRAMS)[0]


def test_what_another_wrote_meanwhile_stays(user: Home):
    user.config.write_text("model = 'x'\n")
    user.env["STAND_IN"] = "meanwhile"
    user.install()
    user.uninstall()
    assert tomllib.loads(user.config.read_text()) == {"model": "x", "theirs": {"x": 1}}


def test_trust_in_hooks_behind_ours_follows_them(user: Home):
    """Codex knows a hook by its place; one that the user has put behind ours moves up when ours goes."""
    user.install()
    hooks = json.loads(user.hooks.read_text())
    hooks["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say 完"}]})
    user.hooks.write_text(json.dumps(hooks))
    key = f"{user.hooks}:stop:1:0"
    with user.config.open("a") as file:
        file.write(f'\n# mine\n[hooks.state."{key}"]\ntrusted_hash = "sha256:ab"\nenabled = true\n\n# the end\n')
    user.uninstall()
    assert entries(user.config.read_bytes()) == {
        f"{user.hooks}:stop:0:0": {"trusted_hash": "sha256:ab", "enabled": True}
    }
    assert "# mine" in user.config.read_text()
    assert user.config.read_text().endswith("# the end\n")
    assert json.loads(user.hooks.read_text()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say 完"}]}]}
    }


def test_a_newer_command_takes_the_place_of_the_older(user: Home):
    user.install()
    hooks = json.loads(user.hooks.read_text())
    hooks["hooks"]["Stop"][0]["hooks"][0]["command"] = "/old/bin/palimp hook Stop --client codex"
    hooks["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say 完"}]})
    user.hooks.write_text(json.dumps(hooks))
    assert user.install() == []
    commands = [group["hooks"][0]["command"] for group in json.loads(user.hooks.read_text())["hooks"]["Stop"]]
    assert commands == ["'/opt/palimp é/bin/palimp' hook Stop --client codex", "say 完"]


def test_of_two_that_are_ours_one_stays(user: Home):
    user.install()
    hooks = json.loads(user.hooks.read_text())
    hooks["hooks"]["Stop"] *= 2
    user.hooks.write_text(json.dumps(hooks))
    assert user.install() == []
    assert len(json.loads(user.hooks.read_text())["hooks"]["Stop"]) == 1


@pytest.mark.parametrize("hooks", [b"{", b'{"hooks": []}', b'{"hooks": {"Stop": {}}}', b"[]"])
def test_a_file_of_hooks_that_is_none_is_said_and_nothing_is_written(user: Home, hooks: bytes):
    user.hooks.write_bytes(hooks)
    with pytest.raises(PalimpError, match=r"hooks\.json"):
        user.install()
    assert user.hooks.read_bytes() == hooks
    assert not user.config.exists()


KEYS: Final = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
FORMS: Final = ("sections", "header", "inline", "dotted")


def written(state: dict[str, str], form: str) -> str:
    """Return *state* as TOML in one of FORMS."""
    rows = [(json.dumps(key, ensure_ascii=False), json.dumps(value)) for key, value in state.items()]
    if form == "inline":
        return "[hooks]\nstate = {" + ", ".join(f"{key} = {{h = {value}}}" for key, value in rows) + "}\n"
    if form == "dotted":
        return "[hooks.state]\n" + "".join(f"{key}.h = {value}\n" for key, value in rows)
    head = "[hooks.state]\n" if form == "header" else ""
    return head + "".join(f"\n# of {value}\n[hooks.state.{key}]\nh = {value}\n" for key, value in rows)


@given(
    st.dictionaries(KEYS, st.sampled_from(["a", "b"]), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(FORMS),
    st.booleans(),
)
def test_any_entries_go_or_move_and_the_rest_says_what_it_said(
    state: dict[str, str], data: Any, form: str, is_windows: bool
):
    goes = data.draw(st.sets(st.sampled_from(sorted(state))))
    moves = data.draw(st.sets(st.sampled_from(sorted(state))).map(lambda keys: {key: f"{key}→" for key in keys - goes}))
    text = f"model = 'x'\n{written(state, form)}\n[end]\nx = [\n  '[y]',\n]\n"
    text = text.replace("\n", "\r\n") if is_windows else text
    after = tomllib.loads(move_entries(text.encode(), dict.fromkeys(goes, "") | moves).decode())
    left = {moves.get(key, key): {"h": value} for key, value in state.items() if key not in goes}
    assert after.get("hooks", {}).get("state", {}) == left
    assert {key: value for key, value in after.items() if key != "hooks"} == {"model": "x", "end": {"x": ["[y]"]}}


def test_what_is_no_toml_is_said():
    with pytest.raises(TomlTextError):
        move_entries(b"[", {"a": ""})
    assert move_entries(b"hooks = 3\n", {"a": ""}) == b"hooks = 3\n"


def test_no_process_is_left(user: Home, monkeypatch: pytest.MonkeyPatch):
    """Of a program that hangs, as npm's do, with another one that it has started."""
    monkeypatch.setattr(codex_server, "TALK_S", 0.5)
    monkeypatch.setattr(codex_server, "ENDING_S", 0.1)
    reader, writer = os.pipe()
    program = Path(user.env["PATH"]) / "codex"
    program.write_text("#!/bin/sh\n/bin/sleep 600 & wait\n")
    monkeypatch.setattr(codex_server.subprocess, "Popen", partial(subprocess.Popen, pass_fds=[writer]))
    assert "does not answer" in CODEX.settle(user.env, PROGRAMS)[0]
    os.close(writer)
    with os.fdopen(reader, "rb") as left:
        assert left.read() == b""  # it comes to its end when nobody can write to it any more
