"""`palimp statusline`: a line in a session of a project, and never an error, a wait or a daemon that it started."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from claude_hooks import PALIMP, Agent
from daemon_asking import ask

from palimp_protocol.env.paths import socket_path

WITHIN_S = 20
"""What a loaded machine may take to start and end a process."""


def shown(env: dict[str, str], said: Any, **more: str) -> str:
    """Return the line of a session whose client said *said*: JSON, or bytes as they are."""
    done = subprocess.run(
        [*PALIMP, "statusline"],
        env=env | {"PALIMP_HOOKS_PATIENCE": "50"} | more,
        input=said if isinstance(said, bytes) else json.dumps(said).encode(),
        capture_output=True,
        timeout=WITHIN_S,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode()


def said(project: Path, **more: Any) -> dict[str, Any]:
    workspace = {"current_dir": str(project), "project_dir": str(project)}
    return {"session_id": "s1", "cwd": str(project), "workspace": workspace, "model": {"id": "m"}} | more


def test_a_session_sees_what_is_known_what_it_was_given_and_what_waits(daemon, env, project):
    assert shown(env, said(project)) == "palimp: 0 memories\n"
    ask(env, project, "save_memory", text="金額は整数のセントで保存する。", kind="decision")
    ask(
        env, project, "capture", text="User: Please always use tabs for indentation here, never spaces.\nAssistant: Ok."
    )
    assert Agent(env, project).start()

    assert shown(env, said(project), NO_COLOR="1") == "palimp: 1 memory, 1 given, 1 to review\n"
    assert "\033[33m1 to review\033[0m" in shown(env, said(project), TERM="xterm")
    assert shown(env, said(project, session_id="s2"), NO_COLOR="1") == "palimp: 1 memory, 1 to review\n"
    assert shown(env, said(project), NO_COLOR="1", COLUMNS="25") == "palimp: 1 memory, 1 given\n"


def test_without_a_daemon_there_is_no_line_and_none_is_started(env, project):
    assert shown(env, said(project)) == ""
    assert not Path(socket_path(env, user_id=os.getuid())).exists()


def test_off_a_project_and_where_a_person_switched_palimp_off_there_is_no_line(daemon, env, home, project):
    assert shown(env, said(home)) == ""
    ask(env, project, "switch", on=False)
    assert shown(env, said(project)) == ""
    assert shown(env, said(project), PALIMP_HOOKS_OFF="1") == ""


NO_SESSIONS = (
    *(b"", b"{", b"[]", b"\xff", b'{"cwd": 3}', b'{"cwd": "/no/such/folder"}', b"[" * 50_000),
    b"x" * 1_000_000,
)


def test_what_is_no_session_is_silent(daemon, env):
    for data in NO_SESSIONS:
        assert shown(env, data) in ("", "palimp: 0 memories\n"), data[:40]


def test_a_session_id_that_is_no_text_is_no_failure(daemon, env, project):
    """Half a character is mended, and no session is called that."""
    assert shown(env, said(project, session_id="\ud800")) == "palimp: 0 memories\n"
