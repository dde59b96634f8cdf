"""Who had added removed code: what git and the store know of it, told in few words."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from new_stores import new_store

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.codediff.match import Place, compare
from palimp_daemon.features.removed_code import origins as module
from palimp_daemon.features.removed_code.origins import (
    FIRST_CHARACTERS,
    Origins,
    added_in_session,
    first_sentences,
    share_of,
)
from palimp_daemon.features.removed_code.removed_code_handlers import returns_of
from palimp_daemon.git.line_origin import Gone, Origin
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.removed_code.hunks import Known
from palimp_daemon.store.tables.removed_code.reintroduced import Reintroduction
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.git_command import GitError
from palimp_protocol.messages.caller import Caller, ProjectRef

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CODE = ("delay = compute_delay(attempt)", "time.sleep(delay * backoff)")
Finder = Callable[[Path, Gone, Callable[[tuple[Origin, ...]], None]], None]


def found(
    number: int = 7, lines: tuple[str, ...] = CODE, *, path: str = "a.py", commit: str = "c" * 40
) -> Reintroduction:
    hunk = Known(number, path, 3, len(lines), "watched", 1_000, "simplify", commit, "", 0, b"")
    evidence = compare(lines, lines, {}, Place(same_path=True, names=0, shared=9))
    return Reintroduction(hunk, "warn", evidence, list(lines), list(lines))


def origin(message: str = "Back off\n\nThe API bans.", commit: str = "a" * 40) -> Origin:
    return Origin(commit, 5_000, message, 2, 2)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Gone]:
    """What git was asked; it answers with one origin."""
    questions: list[Gone] = []

    def answer(tree: Path, gone: Gone, keep: Callable[[tuple[Origin, ...]], None]) -> None:
        questions.append(gone)
        keep((origin(),))

    monkeypatch.setattr(module, "origins_of", answer)
    return questions


async def test_git_is_asked_for_the_lines_that_come_back_and_once(asked):
    origins = Origins(Redactor())
    for _ in range(2):
        known = await origins.of("/tree", [found()], 10)
        (added,) = known[7]
        assert (added.commit, added.at, added.reason) == ("a" * 40, 5_000, "Back off. The API bans.")
    assert asked == [Gone("a.py", 3, CODE, "c" * 40, 1_000, "simplify")]


async def test_two_matches_at_most_are_asked_for(asked):
    known = await Origins(Redactor()).of("/tree", [found(number) for number in range(1, 6)], 10)
    assert sorted(known) == [1, 2]
    assert len(asked) == 2


async def test_secrets_are_redacted_before_a_message_is_cut(monkeypatch):
    for shift in range(0, 80, 5):
        message = "x," * ((FIRST_CHARACTERS - shift) // 2) + TOKEN + ",and,more,of,it,for,a,while" * 5
        monkeypatch.setattr(module, "origins_of", lambda tree, gone, keep, m=message: keep((origin(m),)))
        known = await Origins(Redactor()).of("/tree", [found()], 10)
        assert TOKEN[:8] not in known[7][0].reason


async def test_nobody_waits_longer_than_was_said_and_the_answer_is_there_the_next_time(monkeypatch):
    """With what a quick search had found until then."""
    has_first, may_end, is_over = threading.Event(), threading.Event(), threading.Event()

    def slow(tree: Path, gone: Gone, keep: Callable[[tuple[Origin, ...]], None]) -> None:
        keep((origin("first answer"),))
        has_first.set()
        may_end.wait(20)
        keep((origin("better answer"),))
        is_over.set()

    monkeypatch.setattr(module, "origins_of", slow)
    origins = Origins(Redactor())
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, has_first.wait)
            known = await origins.of("/tree", [found()], 0.2)
            while not has_first.is_set():
                await trio.sleep(0.01)
        known = await origins.of("/tree", [found()], 0.0)
        assert [each.reason for each in known[7]] == ["first answer"]
        may_end.set()
        await trio.to_thread.run_sync(is_over.wait)
        known = await origins.of("/tree", [found()], 10)
    assert [each.reason for each in known[7]] == ["better answer"]


async def test_without_time_nothing_is_said_and_the_next_one_asks_again(asked):
    origins = Origins(Redactor())
    assert await origins.of("/tree", [found()], 0.0) == {7: []}
    assert len((await origins.of("/tree", [found()], 10))[7]) == 1


async def test_what_git_cannot_tell_is_asked_again_and_what_it_does_not_know_is_not(monkeypatch):
    asked: list[int] = []

    def fail(tree: Path, gone: Gone, keep: object) -> None:
        asked.append(1)
        if len(asked) == 1:
            raise GitError("late")

    monkeypatch.setattr(module, "origins_of", fail)
    origins = Origins(Redactor())
    for _ in range(4):
        assert await origins.of("/tree", [found()], 10) == {7: []}
    assert len(asked) == 2


async def test_what_is_kept_is_bounded(asked, monkeypatch):
    monkeypatch.setattr(module, "KEPT_MAX", 3)
    origins = Origins(Redactor())
    for number in range(1, 10):
        assert (await origins.of("/tree", [found(number)], 10))[number]
    assert len(origins._known) == 3


# --- sessions ------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "palimp.db")


def edit(store: Store, project: int, reason: str, removed=(), added=(), path: str = "a.py") -> int:
    """Store an edit and return its hunk's number."""
    hunk = Hunk(path, 1, tuple(removed), tuple(added), (False,) * len(removed))
    store.connection.execute("BEGIN")
    insert_change(store, project, Change(reason, 2_000, "Edit"), [hunk])
    store.connection.execute("COMMIT")
    return int(next(store.connection.execute("SELECT max(id) FROM hunks"))[0])


def test_what_a_session_had_added_is_known_by_its_edit(store):
    project = ensure_project(store, Caller(ProjectRef("/p", "p")), 0)
    edit(store, project, "asked: something else", added=["other = 1", "value = compute(other)"])
    edit(store, project, "asked: Please back off", added=["import time", *CODE])
    number = edit(store, project, "asked: simplify", removed=CODE)
    (added,) = added_in_session(store, project, found(number, commit=""))
    assert (added.commit, added.reason, added.at) == ("", "asked: Please back off", 2_000)
    (told,) = returns_of(store, project, [found(number, commit="")], {number: []})
    assert told.added == [added]
    assert returns_of(store, project, [found(number, commit="")], {})[0].added == [], "git was not asked for it"


def test_what_another_project_or_file_had_added_is_not_told(store):
    project = ensure_project(store, Caller(ProjectRef("/p", "p")), 0)
    other = ensure_project(store, Caller(ProjectRef("/q", "q")), 0)
    edit(store, other, "asked: a secret of theirs", added=CODE)
    edit(store, project, "asked: elsewhere", added=CODE, path="b.py")
    number = edit(store, project, "asked: simplify", removed=CODE)
    assert added_in_session(store, project, found(number, commit="")) == []
    assert added_in_session(store, project, found(1, commit="")) == []


def test_what_was_imported_for_another_project_meanwhile_hides_nothing(store, monkeypatch):
    monkeypatch.setattr(module, "EARLIER_EDITS", 3)
    project = ensure_project(store, Caller(ProjectRef("/p", "p")), 0)
    other = ensure_project(store, Caller(ProjectRef("/q", "q")), 0)
    edit(store, project, "asked: Please back off", added=CODE)
    for _ in range(5):
        edit(store, other, "imported", removed=CODE)
        edit(store, project, "asked: elsewhere", added=CODE, path="b.py")
    number = edit(store, project, "asked: simplify", removed=CODE)
    (added,) = added_in_session(store, project, found(number, commit=""))
    assert added.reason == "asked: Please back off"


# --- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("left_s", "share_s"), [(1.0, 0.6), (0.1, 0.05), (0.05, 0.005), (0.0, 0.005), (-3.0, 0.005)])
def test_git_gets_a_share_of_the_time_and_the_answer_some_in_any_case(left_s, share_s):
    assert share_of(left_s) == pytest.approx(share_s)


# --- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "characters", "told"),
    [
        ("Short.", 20, "Short."),
        ("One is here. Two is here. Three is here.", 30, "One is here. Two is here. …"),
        ("One. Two three four five six seven eight nine", 30, "One. Two three four five…"),
        ("x" * 50, 20, "x" * 18 + "…"),
    ],
)
def test_a_message_is_told_in_whole_sentences_if_it_has_some(text, characters, told):
    assert first_sentences(text, characters) == told


@given(st.text(max_size=100), st.integers(4, 60))
def test_what_is_told_is_bounded(text, characters):
    assert len(first_sentences(text, characters)) <= characters
