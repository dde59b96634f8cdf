"""What is erased for good is gone from every file, also where the erasing was interrupted.

The ids are those of the catalogue in the page reliability.
"""

import json
import random
import resource
import subprocess
import time
import zlib
from pathlib import Path

import apsw
import pytest
from claude_hooks import PALIMP, Agent
from daemon_asking import ask
from data_folder import files_with
from lanes import many
from repositories import Repository, changes_command, imported
from retry_helper import KEEP, RENAMED, RETRY
from running_daemon import RunningDaemon, end_daemon, wait_until

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.opening import open_store
from palimp_protocol.env.paths import conversations_path, database_path
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.memory_messages import SaveMemory

KILLS = many(12, 200)

BESIDE = many(1_500, 4_000)
"""Memories beside the erased one: so many that the database takes some time to be written anew."""

FINISHED_S = 60.0

ROOM_BYTES = 600_000
"""Less than the database of BESIDE memories takes."""


def palimp(env: dict[str, str], project: Path, *arguments: str, code: int = 0) -> str:
    command = [*PALIMP, *arguments]
    done = subprocess.run(
        command, env=env, cwd=project, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def token(number: int) -> str:
    """Return a word that stands in no other text, differently spelled with each *number*."""
    drawn = random.Random(number)
    return "zq" + "".join(drawn.choice("bcdfghjkmnpqrstvwxz") for _ in range(14))


def is_finished(env: dict[str, str], project: Path) -> bool:
    health = ask(env, project, "health")
    return health.store.pending_erasures == 0 and "not finished" not in health.conversations


@pytest.mark.parametrize("engine", ["fts5", "fts4"])
def test_s11_an_erasure_that_was_killed_is_finished_at_the_next_start(env, home, project, tally, engine: str):
    """Killed at random moments; then either the memory is still there, or no file has its text.

    Its text was also said in a session, which the other database keeps, and the index of its words is being merged.
    """
    env |= {"PALIMP_SEARCH_ENGINE": engine, "PALIMP_CAPTURE_TURNS": "0"}
    _fill(env, project, engine)
    daemon = RunningDaemon(env)
    daemon.start()
    drawn, mark = random.Random(engine), Path(database_path(env)).with_suffix(".mark")
    took_s, rewrite_s = _times_of_erasing(env, project, mark)
    gone = pending = 0
    for number in range(KILLS * 3):
        if number >= KILLS // 2 and gone > KILLS // 4 and pending:
            break  # on a busy machine many are killed too soon, or too late
        word = token(number)
        text = f"The launch word is {word}, said by nobody else."
        memory = ask(env, project, "save_memory", text=text).id
        _say(env, project, f"s{number}", text)
        marked_at = mark.stat().st_mtime_ns
        erasing = subprocess.Popen(
            [*PALIMP, "delete", "--hard", "--yes", memory],
            env=env,
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # Some are killed at any time, most from the moment on in which the transaction that deletes is committed.
        if number % 4:
            while mark.stat().st_mtime_ns == marked_at and erasing.poll() is None:
                time.sleep(0.0005)
            time.sleep(drawn.uniform(0.0, 1.1) * rewrite_s)
        else:
            time.sleep(drawn.uniform(0.3, 1.1) * took_s)
        erasing.kill()  # it would start the next daemon and ask again
        erasing.wait()
        daemon.kill()
        end_daemon(env)
        pending += _pending(env)
        _merge_some(env, drawn.randrange(1, 12))
        daemon.start()
        wait_until(lambda: is_finished(env, project), FINISHED_S)
        if ask(env, project, "recall", query=word).total:
            continue
        gone += 1
        assert files_with(env, word) == []
    assert ask(env, project, "recall", query="number 7").total > 0
    assert daemon.stop() == 0
    assert gone > KILLS // 4
    assert pending
    tally("S11", f"kills while erasing ({engine})", kills=KILLS // 2, erased=gone, interrupted=pending, left_over=0)


def _fill(env: dict[str, str], project: Path, engine: str) -> None:
    """Store memories before the daemon starts."""
    from palimp_daemon.store.request_context import RequestContext  # noqa: PLC0415
    from palimp_protocol.messages.caller import Caller, ProjectRef  # noqa: PLC0415

    path = Path(database_path(env))
    path.parent.mkdir(parents=True, mode=0o700)
    store = open_store(path, engine)
    found = project_from_directory(str(project), env["HOME"])
    assert found
    drawn = random.Random(1)
    caller = Caller(ProjectRef(*found))
    store.connection.execute("BEGIN")
    for number in range(BESIDE):
        words = " ".join("".join(drawn.choices("abcdefgh", k=6)) for _ in range(40))
        save_memory(
            RequestContext(store, caller, 1_760_000_000_000 + number, lambda: drawn.getrandbits(25)),
            _text(number, words),
        )
    store.connection.execute("COMMIT")
    store.connection.close()


def _text(number: int, words: str) -> SaveMemory:
    return SaveMemory(text=f"A memory beside it, number {number}: {words}")


def _times_of_erasing(env: dict[str, str], project: Path, mark: Path) -> tuple[float, float]:
    """Return how long the command takes and what of it comes behind the transaction that deletes, in seconds."""
    memory = ask(env, project, "save_memory", text="This one is erased without a kill.").id
    began, marked_at = time.monotonic(), mark.stat().st_mtime_ns
    erasing = subprocess.Popen([*PALIMP, "delete", "--hard", "--yes", memory], env=env, cwd=project)
    while mark.stat().st_mtime_ns == marked_at and erasing.poll() is None:
        time.sleep(0.0005)
    deleted = time.monotonic()
    assert erasing.wait() == 0
    ended = time.monotonic()
    return ended - began, ended - deleted


def _say(env: dict[str, str], project: Path, session: str, text: str) -> None:
    """Have *text* said in a session whose turns are kept."""
    agent = Agent(env, project, session)
    agent.says(text, "I have understood that.")
    agent.stop()
    wait_until(lambda: ask(env, project, "recall", query=text, kind="conversation").total, FINISHED_S)


def _pending(env: dict[str, str]) -> int:
    """Return how many erasures the databases of a daemon that was killed say to be unfinished, and change nothing."""
    count = 0
    for path in (database_path(env), conversations_path(env)):
        connection = _opened(path)
        [(found,)] = connection.execute("SELECT count(*) FROM erasures").fetchall()
        connection.close()
        count += found
    return count


def _merge_some(env: dict[str, str], pages: int) -> None:
    """Begin a merge of the whole index of words, and leave it in the middle, as a kill does."""
    for path in (database_path(env), conversations_path(env)):
        connection = _opened(path)
        if env["PALIMP_SEARCH_ENGINE"] == "fts5":
            merge, values = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('merge', ?)", [(-1,), (pages,)]
        else:
            merge, values = "INSERT INTO memories_fts (memories_fts) VALUES (?)", [(f"merge={pages},2",)]
        for each in values:
            connection.execute(merge, each)
        connection.close()


def _opened(path: str) -> apsw.Connection:
    """Return a connection to the database of a daemon that was killed, whose closing leaves the WAL as it is."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def test_s11_an_erasure_that_is_sent_again_is_answered_as_the_first_time(daemon, env, project):
    """Its client lost the daemon before the answer: it is not told that there is no such memory."""
    from palimp_protocol.messages.caller import Caller, ProjectRef  # noqa: PLC0415
    from palimp_protocol.messages.erasure import Erase  # noqa: PLC0415
    from palimp_protocol.operations import OPERATIONS  # noqa: PLC0415
    from palimp_shim.transport.daemon_client import Client  # noqa: PLC0415

    memory = ask(env, project, "save_memory", text="It is erased once and asked for twice.").id
    found = project_from_directory(str(project), env["HOME"])
    assert found
    client = Client(env)
    frame_id = next(client._ids)
    replies = []
    for _ in range(2):
        client._ids = iter([frame_id])
        replies.append(client.call(OPERATIONS["erase"], Erase(ids=[memory]), Caller(ProjectRef(*found))))
    assert [[shown for shown, _ in reply.memories] for reply in replies] == [[memory], [memory]]
    assert [reply.unknown for reply in replies] == [[], []]
    assert files_with(env, "asked for twice") == []


def test_s11_without_room_the_erasure_is_pending_and_says_so(env, home, project):
    """It is found no more at once; the file is written anew at the next start that has room."""
    _fill(env, project, "fts5")
    daemon = RunningDaemon(env)
    daemon.start()
    word = token(1)
    memory = ask(env, project, "save_memory", text=f"The launch word is {word}.").id
    # Enough for the transaction that deletes, and not for a second copy.
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (ROOM_BYTES, ROOM_BYTES))
    said = palimp(env, project, "delete", "--hard", "--yes", memory, code=1)
    assert f"Erased {memory}" in said
    assert "still in the file" in said
    assert "palimp health" in said
    health = ask(env, project, "health")
    assert health.store.pending_erasures == 1
    assert any("1 erasure not finished" in note for note in health.notes)
    assert "1 erasure not finished" in palimp(env, project, "health")
    assert ask(env, project, "recall", query=word).total == 0
    daemon.kill()
    daemon.start()
    wait_until(lambda: is_finished(env, project), FINISHED_S)
    assert files_with(env, word) == []
    assert ask(env, project, "health").notes == []
    assert daemon.stop() == 0


def test_s11_what_was_gathered_of_a_session_goes_with_the_memory_that_was_made_of_it(daemon, env, project):
    """The digest of its transcript has the request from which the memory was captured."""
    word = token(4)
    agent = Agent(env, project, "s4")
    agent.start()
    agent.says(f"Please remember that we always say {word} before a launch.", "I have understood that.")
    agent.says("And now please look through the code of the launcher.", "It is fine.")
    agent.end()
    wait_until(lambda: ask(env, project, "recall", query=word).total, FINISHED_S)
    memories = [memory.id for memory in ask(env, project, "recall", query=word).memories]
    palimp(env, project, "delete", "--hard", "--yes", *memories)
    assert files_with(env, word) == []


@pytest.mark.parametrize("how", ["containing", "session", "all"])
def test_s11_what_quotes_an_erased_turn_goes_with_it(daemon, env, project, how: str):
    """Removed code tells what was asked when it went, and what was gathered of a session what its agent said last."""
    word = token(5)
    agent = Agent(env, project, "s5")
    agent.start()
    agent.says(f"Please take the retry helper out since {word} is slow.", f"I took it out for {word}, as you asked.")
    (project / "a.py").write_text(KEEP + RETRY)
    agent.edit("a.py", KEEP + RETRY, KEEP)
    agent.stop()
    agent.end()
    changes = changes_command(env, project)
    wait_until(lambda: ask(env, project, "recall", query=word, kind="conversation").total, FINISHED_S)
    [hunk] = json.loads(changes("log", "--json").stdout)["hunks"]
    assert word in changes("show", hunk["id"]).stdout
    named = {"containing": ["--containing", word], "session": ["--session", "s5"], "all": ["--conversations"]}[how]
    palimp(env, project, "delete", "--hard", "--yes", *named)
    assert files_with(env, word) == []
    assert [each["id"] for each in json.loads(changes("log", "--json").stdout)["hunks"]] == [hunk["id"]]
    assert ask(env, project, "recall", query="retry", kind="removed-code").total == 1
    assert daemon.stop() == 0
    assert files_with(env, word) == []


# --- removed code --------------------------------------------------------------------------------


@pytest.fixture
def repository(project: Path) -> Repository:
    return Repository(project)


@pytest.mark.parametrize("engine", ["fts5", "fts4"])
def test_s12_removed_code_is_erased_by_its_id_and_never_warns_again(daemon, env, project, repository, engine):
    """Not from git's history either, where that was rewritten and is read again."""
    daemon.kill()
    daemon.env["PALIMP_SEARCH_ENGINE"] = engine
    daemon.start()
    word = token(2)
    code = RETRY + f'\nLAUNCH = "{word}"\n'
    changes = changes_command(env, project)
    repository.commit("first", a_py=KEEP + code)
    repository.commit("Drop the retry helper", a_py=KEEP)
    imported(changes)
    [hunk] = json.loads(changes("log", "--json").stdout)["hunks"]
    packed = _packed(daemon, env, project)
    assert files_with(env, *packed)
    assert "needs a yes" in palimp(env, project, "delete", "--hard", hunk["id"], code=2)
    said = palimp(env, project, "delete", "--hard", "--yes", hunk["id"], "h999", code=1)
    assert f"Erased {hunk['id']} a.py" in said
    assert "h999: no such removed code" in said
    assert files_with(env, word, *packed) == []
    assert json.loads(changes("log", "--json").stdout)["hunks"] == []
    assert ask(env, project, "recall", query=word, kind="removed-code").total == 0

    agent = Agent(env, project, "s9")
    said = agent.edit("a.py", "value + 1\n", "value + 1\n" + RENAMED)
    assert said.get("permissionDecision") != "deny"
    repository.git("commit", "--quiet", "--amend", "--allow-empty", "-m", "Drop it, said in other words")
    imported(changes)
    assert json.loads(changes("log", "--json").stdout)["hunks"] == []
    assert daemon.stop() == 0
    assert files_with(env, *packed) == []


def _packed(daemon: RunningDaemon, env: dict[str, str], project: Path) -> list[bytes]:
    """Return how removed code is stored, compressed, as the database says of itself while no daemon has it."""
    daemon.kill()
    end_daemon(env)
    connection = _opened(database_path(env))
    found = [packed for (packed,) in connection.execute("SELECT packed FROM hunks").fetchall()]
    connection.close()
    daemon.start()
    return found


def test_s12_what_else_has_the_erased_lines_is_named(daemon, env, project, repository):
    """Who erases a line that was removed twice is told of the other place."""
    changes = changes_command(env, project)
    repository.commit("first", a_py=KEEP + RETRY, b_py=RETRY)
    repository.commit("Drop the retry helper", a_py=KEEP)
    repository.commit("And the other one", b_py=KEEP)
    imported(changes)
    one, other = [hunk["id"] for hunk in json.loads(changes("log", "--json").stdout)["hunks"]]
    said = palimp(env, project, "delete", "--hard", "--yes", one)
    assert f"Some lines of {one} are in other removed code, too: {other}." in said


# --- documents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_one", [True, False], ids=["one version", "all"])
def test_s12_former_texts_of_a_document_are_erased(daemon, env, project, is_one: bool):
    """One by its number, or all; the present text stays, and what a search had read of the former one goes."""
    word = token(3)
    former = f"# Guide\n\nThe launch word is {word}.\n"
    ask(env, project, "add_doc", slug="guide", title="Guide", content=former)
    assert ask(env, project, "search_docs", pattern="launch word", ranked=True).matches
    ask(env, project, "edit_doc", slug="guide", content="# Guide\n\nNothing of it.\n")
    ask(env, project, "edit_doc", slug="guide", content="# Guide\n\nStill nothing.\n")
    newest, oldest = [version.version for version in ask(env, project, "docs_history", slug="guide").versions]
    packed = zlib.compress(former.encode())
    named = [str(oldest)] if is_one else []
    assert files_with(env, word, packed)
    assert "needs a yes" in palimp(env, project, "docs", "forget", "guide", *named, code=2)
    said = palimp(env, project, "docs", "forget", "guide", *named, "--yes")
    assert f"Erased guide version {oldest}" in said
    assert files_with(env, word, packed) == []
    left = [version.version for version in ask(env, project, "docs_history").versions]
    assert left == ([newest] if is_one else [])
    assert "Still nothing" in ask(env, project, "read_doc", slug="guide").content
    with pytest.raises(PalimpError, match="No such former text"):
        ask(env, project, "forget_doc", slug="guide", versions=[oldest])
    assert ask(env, project, "search_docs", pattern="still nothing", ranked=True).matches
