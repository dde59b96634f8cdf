"""The doctor's judgements: of values, and of what is in files."""

import multiprocessing
import os
import tempfile
from pathlib import Path

import pytest

from palimp_protocol.env import file_lock, paths
from palimp_protocol.errors import UnreachableError
from palimp_protocol.messages.conversation_messages import ConversationStatus, UnreadFile
from palimp_protocol.messages.daemon_messages import ConnectedSession, DaemonHealth
from palimp_protocol.versions import running_version
from palimp_shim.doctor import daemon_checks, machine
from palimp_shim.doctor.findings import of_clock, of_file_system, of_space

NOW_MS = 1_800_000_000_000


@pytest.mark.parametrize(
    ("kind", "state"), [("ext4", "well"), ("", "well"), ("nfs4", "warning"), ("9p", "warning"), ("tmpfs", "warning")]
)
def test_file_systems_of_other_machines_and_passing_ones_are_warned_about(kind: str, state: str):
    assert of_file_system(kind, "/data").state == state


@pytest.mark.parametrize(("free", "state"), [(10**10, "well"), (10**8, "warning"), (10**6, "failure")])
def test_room_is_judged(free: int, state: str):
    assert of_space(free).state == state


@pytest.mark.parametrize(
    ("now", "newest", "state"),
    [
        (NOW_MS, 0, "well"),
        (NOW_MS, NOW_MS - 1, "well"),
        (NOW_MS, NOW_MS + 60_000, "well"),
        (NOW_MS, NOW_MS + 86_400_000, "warning"),
        (1_000, 0, "failure"),
    ],
)
def test_the_clock_is_judged_by_the_newest_memory(now: int, newest: int, state: str):
    assert of_clock(now, newest).state == state


@pytest.mark.parametrize(
    ("versions", "state"),
    [(("9.0.0", []), "warning"), (("0.0.1", []), "warning"), ((running_version(), ["0.0.1"]), "note")],
)
def test_other_versions_are_told(versions, state: str):
    version, others = versions
    sessions = [ConnectedSession(project="p", pid=1, version=each, connected_s=1.0, silent_s=0.0) for each in others]
    health = DaemonHealth(
        version=version,
        protocol=1,
        pid=1,
        boot="b",
        uptime_s=1.0,
        socket="/s",
        peers=0,
        mailbox_jobs=0,
        sessions=sessions,
    )
    assert daemon_checks._version(health).state == state


@pytest.mark.parametrize(("holders", "state"), [([1], "well"), ([], "note"), ([2], "failure")])
def test_the_holder_of_the_lock_must_be_the_one_who_answers(holders: list[int], state: str):
    health = DaemonHealth(version="1", protocol=1, pid=1, boot="b", uptime_s=1.0, socket="/s", peers=0, mailbox_jobs=0)
    assert daemon_checks._lock(health, holders).state == state


def test_whoever_owns_the_database_and_is_silent_is_named(tmp_path: Path):
    env = {"PALIMP_HOME": str(tmp_path)}
    error = UnreachableError("No answer.", "Its log is there.")
    assert daemon_checks._unreachable(error, env).text == "No answer."
    held = file_lock.take(paths.lock_path(env))
    assert held is not None
    assert f"Process {os.getpid()} owns" in daemon_checks._unreachable(error, env).text
    file_lock.release(held)


def test_what_hooks_left_and_bugs_are_told(tmp_path: Path):
    env = {"PALIMP_HOME": str(tmp_path), "PATH": "/nowhere"}
    assert machine._log(env).state == machine._spool(env).state == "well"
    spool = Path(paths.spool_directory(env))
    spool.mkdir()
    (spool / "1-00.refused").touch()
    Path(paths.log_path(env)).write_text('{"event": "bug"}\n' * 3)
    assert "1 record of" in machine._spool(env).text
    assert "3 bugs" in machine._log(env).text
    assert machine._git(env).state == "warning"


def test_the_mount_of_a_folder_is_the_innermost(tmp_path: Path, monkeypatch):
    mounts = tmp_path / "mounts"
    inner = str(tmp_path / "in side").replace(" ", "\\040")
    mounts.write_text(f"a / ext4 rw 0 0\nb {tmp_path} xfs rw 0 0\nc {inner} nfs rw 0 0\n")
    monkeypatch.setattr(machine, "MOUNTS", mounts)
    assert machine._kind_of(tmp_path) == "xfs"
    assert machine._kind_of(tmp_path / "in side" / "deep") == "nfs"


@pytest.mark.parametrize(("name", "is_mended"), [("palimp.db", True), ("somebody's", False)])
def test_a_folder_of_other_things_is_not_closed(tmp_path: Path, name: str, is_mended: bool):
    """What is to be done is said; /tmp is nobody's to close."""
    (tmp_path / name).touch(0o600)
    tmp_path.chmod(0o755)
    [found] = machine._permissions({"PALIMP_HOME": str(tmp_path)}, tmp_path)
    assert (found.state, found.hint, bool(found.mend)) == ("warning", f"chmod 700 {tmp_path}", is_mended)


def seen_as_nobody(env: dict[str, str]) -> tuple[list[tuple[str, str]], bool]:
    """Return what the doctor says of the machine's folder, and whether it asks a daemon there."""
    return [(each.state, each.text) for each in machine.examine(env) if each.check == "files"], daemon_checks.is_there(
        env
    )


def be_nobody() -> None:
    """Be another user than root, whom no mode stops."""
    if os.getuid() == 0:
        os.setuid(65534)


@pytest.mark.parametrize("mode", [0o555, 0o000])
def test_a_home_that_one_may_not_write_in_or_look_into_is_a_finding_and_no_crash(mode: int):
    """Not `will be made with the first memory`."""
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        if not mode:
            (home / ".local/state/palimp/run").mkdir(parents=True)
        home.chmod(mode)
        with multiprocessing.get_context("fork").Pool(1, initializer=be_nobody) as pool:
            found, is_asked = pool.apply(seen_as_nobody, ({"HOME": made},))
        home.chmod(0o700)

    assert not is_asked
    assert [state for state, _ in found] == ["failure"]
    assert "cannot be made or looked into" in found[0][1]


class Answering:
    """A client that gets one answer."""

    def __init__(self, answer: ConversationStatus | UnreachableError) -> None:
        self.answer = answer

    def call(self, *_: object) -> ConversationStatus:
        if isinstance(self.answer, UnreachableError):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        (ConversationStatus(is_on=True, turns=2, sessions=1), "well", "2 turns of 1 session are kept."),
        (ConversationStatus(is_on=False), "note", "conversations.keep is off"),
        (ConversationStatus(is_on=True, problem="The disk is full."), "warning", "The disk is full."),
        (UnreachableError("Nobody answers.", "Look."), "warning", "Nobody answers."),
    ],
)
def test_conversations_are_judged(answer: ConversationStatus | UnreachableError, state: str, said: str):
    finding = daemon_checks.of_conversations(Answering(answer))
    assert finding.state == state
    assert said in finding.text


def test_transcripts_that_could_not_be_read_are_named():
    """With the reason, or how many lines they were."""
    unread = [
        UnreadFile(path="/a.jsonl", client="codex", skipped=0, why="It is torn."),
        UnreadFile(path="/b.jsonl", client="codex", skipped=3, why=""),
    ]
    finding = daemon_checks.of_conversations(Answering(ConversationStatus(is_on=True, unread=unread)))
    assert finding.state == "note"
    assert "/a.jsonl (It is torn.), /b.jsonl (3 lines)" in finding.text
