"""Hermes' `config.yaml` gets our server and hooks in whatever form it is written, and is to the byte as before."""

import json
from pathlib import Path

import pytest
import yaml

from palimp_clients.hermes.dialect import EVENTS
from palimp_clients.hermes.install import HERMES, HOOKS, with_palimp, without_palimp
from palimp_clients.install.client_files import apply, undo
from palimp_protocol.errors import PalimpError

PROGRAMS = Path("/opt/über den/bin")
THEIRS = """\
# mine
model:
    default: x   # good
mcp_servers:
    # the other one
    other:
        command: a
        args: [b, "c d"]

    # behind it
hooks:
    output_spill: {max_chars: 5}
    pre_llm_call:
    - command: ./mine.sh
      timeout: 3
    # until here
display: {compact: true}
"""
FORMS = {
    "nothing": "",
    "only a comment": "# nothing yet\n",
    "without tables": "model:\n  default: x\n",
    "without an end": "model: {default: x}",
    "theirs": THEIRS,
    "empty tables": "mcp_servers: {}  # none\nhooks: {}\nmodel: x\n",
    "nothing in tables": "mcp_servers:\nhooks:\nmodel: x\n",
    "null": "hooks: null\nmcp_servers: ~\n",
    "of another system": THEIRS.replace("\n", "\r\n"),
    "a mark at the beginning": "\ufeff" + THEIRS,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_says_what_it_said_and_ours_and_comes_back(form: str):
    text = FORMS[form].encode()
    installed = with_palimp(PROGRAMS, {"PALIMP_HOME": "/srv/p"}, text)
    assert with_palimp(PROGRAMS, {"PALIMP_HOME": "/srv/p"}, installed) == installed
    now, former = yaml.safe_load(installed), yaml.safe_load(text) or {}
    ours = now["mcp_servers"].pop("palimp")
    assert ours["command"] == str(PROGRAMS / "palimp-shim")
    assert ours["env"] == {"PALIMP_CLIENT": "hermes", "PALIMP_HOME": "/srv/p"}
    hooks = [(event, hook) for event, found in now["hooks"].items() if isinstance(found, list) for hook in found]
    commands = [(event, hook["command"]) for event, hook in hooks if "palimp" in hook["command"]]
    assert sorted(commands) == sorted(
        (event, f"'{PROGRAMS}/palimp' hook {name} --client hermes") for event, name, _ in HOOKS
    )
    assert {name for _, name, _ in HOOKS} == EVENTS.keys()
    out = without_palimp(installed)
    empty = {key: value for key, value in former.items() if value or key not in ("hooks", "mcp_servers")}
    assert (yaml.safe_load(out) or {}) == empty
    if "empty" not in form and "null" not in form and form not in ("nothing in tables", "without an end"):
        assert out == text


def test_the_start_of_a_session_comes_before_its_first_prompt():
    hooks = yaml.safe_load(with_palimp(PROGRAMS, {}, THEIRS.encode()))["hooks"]["pre_llm_call"]
    assert [hook["command"].split()[-3] for hook in hooks if "palimp" in hook["command"]] == [
        "session_start",
        "pre_llm_call",
    ]
    assert hooks[-1] == {"command": "./mine.sh", "timeout": 3}


def test_a_moved_palimp_takes_its_former_place_and_keeps_what_a_person_set_beside_it():
    text = with_palimp(Path("/old"), {}, b"").replace(b"    args: []\n", b"    args: []\n    connect_timeout: 9\n")
    moved = with_palimp(PROGRAMS, {}, text)
    assert b"/old" not in moved
    assert moved.count(b"--client hermes") == len(HOOKS)
    assert yaml.safe_load(moved)["mcp_servers"]["palimp"]["connect_timeout"] == 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "expected"),
        ("- a\n", "no table"),
        ("mcp_servers: text\n", "mcp_servers is no table"),
        ("mcp_servers: {a: {command: b}}\n", "everything else as it is"),
        ("hooks:\n  pre_llm_call: text\n", "no list"),
        ("a: \x00\n", "special characters"),
        ("a: " + "[" * 3000 + "]" * 3000 + "\n", "nested"),
    ],
)
def test_a_file_that_cannot_be_changed_is_named_and_left(tmp_path, text: str, said: str):
    file = tmp_path / ".hermes/config.yaml"
    file.parent.mkdir()
    file.write_text(text)
    env = {"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "state")}
    with pytest.raises(PalimpError, match=said) as raised:
        HERMES.changes(env, PROGRAMS)
    assert str(file) in str(raised.value)
    assert file.read_text() == text


def test_an_untouched_file_is_what_it_was_even_where_its_form_had_to_change(tmp_path):
    file = tmp_path / ".hermes/config.yaml"
    file.parent.mkdir()
    file.write_text(FORMS["empty tables"])
    env = {"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "state")}
    changes, _ = HERMES.changes(env, PROGRAMS)
    apply(changes, "hermes", env)
    assert HERMES.is_installed(env)
    undo(HERMES.present(env), "hermes", env)
    assert file.read_text() == FORMS["empty tables"]
    assert not HERMES.is_installed(env)


def test_hooks_that_nobody_agreed_to_are_said_until_somebody_does(tmp_path):
    env = {"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "state")}
    (tmp_path / ".hermes").mkdir()
    changes, _ = HERMES.changes(env, PROGRAMS)
    apply(changes, "hermes", env)
    [said] = HERMES.settle(env, PROGRAMS)
    assert "pre_llm_call" in said
    assert "--accept-hooks" in said
    assert HERMES.disuse_reason(env, PROGRAMS) == (said, True)
    assert HERMES.disuse_reason({**env, "HERMES_ACCEPT_HOOKS": "1"}, PROGRAMS) == (said, False)
    approvals = [
        {"event": event, "command": f"'{PROGRAMS}/palimp' hook {name} --client hermes"} for event, name, _ in HOOKS
    ]
    (tmp_path / ".hermes/shell-hooks-allowlist.json").write_text(json.dumps({"approvals": approvals}))
    assert HERMES.settle(env, PROGRAMS) == []
    (tmp_path / ".hermes/shell-hooks-allowlist.json").write_text('{"approvals": 3}')
    assert HERMES.settle(env, PROGRAMS) == [said]
