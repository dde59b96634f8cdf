"""Names that are no text, as a clone or an archive can bring them: they cost an answer at most, never the daemon."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from daemon_asking import ask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_clients import BareClient

from palimp_protocol.errors import ErrorCode, PalimpError

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]

NAMES = st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name) and name not in (b".", b".."))


def boot_of(env: dict[str, str], project: Path) -> str:
    return ask(env, project, "health").boot


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(NAMES, min_size=1, max_size=5, unique=True))
def test_a_folder_of_documents_with_any_names_leaves_the_daemon_as_it_is(daemon, env, project: Path, names):
    """Every operation on documents is answered, and the same daemon answers afterwards."""
    boot = boot_of(env, project)
    docs = os.fsencode(project) + b"/.palimp/docs"
    os.makedirs(docs, exist_ok=True)  # noqa: PTH103  names are bytes here
    for name in names:
        with contextlib.suppress(OSError), open(docs + b"/" + name + b".md", "wb") as file:  # noqa: PTH123  the same
            file.write(b"# A title\n\n" + name)
    for operation, arguments in ASKED.items():
        try:
            ask(env, project, operation, **arguments)
        except PalimpError as error:
            assert error.code is not ErrorCode.UNREACHABLE
    client = BareClient(env, project)
    client.initialize()
    for number, (operation, arguments) in enumerate(ASKED.items()):
        client.call(number, operation, **arguments)
        assert client.answer(number)
    assert client.close() == 0
    assert boot_of(env, project) == boot
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(docs + b"/" + name + b".md")  # noqa: PTH108  the same


ASKED = {
    "list_docs": {},
    "search_docs": {"pattern": "title"},
    "adopt_docs": {"dry_run": True},
    "repair_docs": {},
    "context": {},
}


@pytest.mark.parametrize("name", [b"t\xff", b"\xed\xa0\xbd", b"a\xc3", "Ελληνικά".encode(), b"new\nline"])
def test_commands_hooks_and_sessions_work_in_a_folder_of_any_name(daemon, env, home: Path, name: bytes):
    """Also when the environment names it, and other things that are no text."""
    folder = Path(os.fsdecode(os.fsencode(home) + b"/" + name))
    folder.mkdir()
    odd = env | {"CLAUDE_PROJECT_DIR": str(folder), "CLAUDE_CODE_SESSION_ID": os.fsdecode(b"s\xff")}
    added = subprocess.run([*PALIMP, "add", "Said here."], cwd=folder, env=odd, capture_output=True, check=False)
    assert added.returncode == 0, added.stderr
    listed = subprocess.run([*PALIMP, "list"], cwd=folder, env=odd, capture_output=True, check=False)
    assert b"Said here" in listed.stdout
    event = json.dumps({"session_id": "s", "cwd": str(folder), "source": "startup"}).encode()
    hook = subprocess.run(
        [*PALIMP, "hook", "SessionStart"], cwd=folder, env=odd, input=event, capture_output=True, check=False
    )
    assert (hook.returncode, hook.stderr) == (0, b"")
    client = BareClient(odd, folder)
    client.initialize()
    assert "**Said** here" in client.ask(1, "recall", query="said")
    assert client.close() == 0


def test_an_initialize_that_was_refused_does_not_end_the_next_daemon(daemon, env):
    """The relay keeps it, and a daemon that starts later is sent it."""
    client = BareClient(env)
    client.send({"id": "odd", "method": "initialize", "params": [1]})
    client.read()
    daemon.kill()
    daemon.start()
    client.call(1, "recall", query="x")
    client.read()
    boot = boot_of(env, Path(env["HOME"]))
    client.call(2, "recall", query="x")
    client.read()
    assert boot_of(env, Path(env["HOME"])) == boot
