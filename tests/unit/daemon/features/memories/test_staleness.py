"""What is known of memories' staleness: asked of git behind the answers, kept while nothing moves, bounded in time."""

import os
import threading
import time
from pathlib import Path

import pytest
import repositories
import trio
from repositories import Repository

from palimp_daemon.features.memories import staleness as module
from palimp_daemon.features.memories.staleness import KEPT_MAX, Staleness, Written
from palimp_protocol.env.git_command import GitError
from palimp_protocol.messages.caller import Caller, ProjectRef

BEFORE = "def evict(entry):\n    return entry.age > 60\n\n\ndef keep(entry):\n    return True\n"
EVICT = Written("m1", "`evict` in `cart/ttl.py` rounds.", 0)
KEEP = Written("m2", "`keep` in `other.py` rounds.", 0)


class Watched:
    """A staleness service, a repository, and how often the lookups went to git."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repository = Repository(folder / "repository")
        self.at = 0
        self.logged: list[str] = []
        self.service = Staleness(lambda: time.time_ns() // 1_000_000, lambda event, **_: self.logged.append(event))
        self.asked: list[list[str]] = []
        self.tree = str(self.repository.path)
        look_up = module.look_up

        def counted(tree, past, asked):
            self.asked.append([each.citations.symbols[0].name for each in asked])
            return look_up(tree, past, asked)

        monkeypatch.setattr(module, "look_up", counted)

    async def __call__(self, *memories: Written, wait_s: float = 30.0, tree: str = "") -> dict[str, str]:
        root = tree or self.tree
        memories = tuple(memory._replace(at=self.at) for memory in memories)
        return await self.service.remarks(Caller(ProjectRef(root, "x", root)), memories, wait_s)


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    made = Watched(tmp_path, monkeypatch)
    made.repository.commit("first", cart__ttl_py=BEFORE, other_py=BEFORE)
    made.at = time.time_ns() // 1_000_000 - 1  # what is written from now on is later
    for name in ("cart/ttl.py", "other.py"):
        os.utime(made.repository.path / name, (made.at / 1000 - 1, made.at / 1000 - 1))
    return made


async def test_what_is_known_is_not_asked_again_until_something_moves(watched: Watched):
    assert await watched(EVICT, KEEP) == {}
    assert await watched(EVICT, KEEP) == {}
    assert watched.asked == [["evict", "keep"]]
    watched.repository.write("cart/ttl.py", BEFORE.replace("60", "9"))
    said = {"m1": "`evict` was changed since (not committed)"}
    assert await watched(EVICT, KEEP) == said
    assert await watched(EVICT, KEEP) == said
    assert watched.asked[1:] == [["evict"]]


async def test_a_commit_has_only_what_it_touches_looked_up_again(watched: Watched):
    await watched(EVICT, KEEP)
    watched.repository.commit("second", cart__ttl_py=BEFORE + "\n# the end\n")
    assert await watched(EVICT, KEEP) == {}
    assert watched.asked[1:] == [["evict"]]
    watched.repository.git("checkout", "--quiet", "--detach", "HEAD^")
    assert await watched(EVICT, KEEP) == {}
    assert watched.asked[2:] == [["evict", "keep"]]


async def test_a_commit_that_takes_another_back_is_told_whatever_it_touches(watched: Watched):
    taken_back = watched.repository.commit("second", b_py="1\n")
    watched.at += 2_000
    memory = Written("m4", f"`keep` in `other.py` goes with commit {taken_back[:10]}.", 0)
    assert await watched(memory) == {}
    date = f"{watched.at // 1000 + 2} +0000"
    with pytest.MonkeyPatch.context() as dated:
        dated.setitem(repositories.ENVIRONMENT, "GIT_COMMITTER_DATE", date)
        watched.repository.commit(f"Revert\n\nThis reverts commit {taken_back}.", b_py=None)
    assert "was reverted" in (await watched(memory))["m4"]


async def test_where_git_cannot_compare_two_commits_all_is_looked_up_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
):
    def refused(*_):
        raise GitError("git's answer is longer than 16,777,216 bytes.")

    monkeypatch.setattr(module, "changed_between", refused)
    assert await watched(EVICT, KEEP) == {}
    watched.repository.commit("second", b_py="1\n")
    watched.repository.write("cart/ttl.py", BEFORE.replace("60", "9"))
    assert await watched(EVICT, KEEP) == {"m1": "`evict` was changed since (not committed)"}
    assert watched.asked[1:] == [["evict", "keep"]]


async def test_a_head_that_moves_while_git_is_asked_is_not_taken_for_the_former_one(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
):
    line_of = module.line_of

    def moved(*arguments):
        monkeypatch.setattr(module, "line_of", line_of)
        watched.repository.commit("second", cart__ttl_py=BEFORE + "\n# the end\n")
        return line_of(*arguments)

    await watched(EVICT)
    watched.repository.commit("beside", b_py="1\n")
    monkeypatch.setattr(module, "line_of", moved)
    await watched(KEEP)
    await watched(EVICT, KEEP)
    assert watched.asked == [["evict"], ["keep"], ["evict", "keep"]]


async def test_what_is_written_while_it_is_looked_at_is_not_missed_for_long(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
):
    look_up = module.look_up

    def overtaken(*arguments):
        monkeypatch.setattr(module, "look_up", look_up)
        found = look_up(*arguments)
        watched.repository.write("cart/ttl.py", BEFORE.replace("60", "9"))
        return found

    monkeypatch.setattr(module, "look_up", overtaken)
    monkeypatch.setattr(module, "RETRY_S", 0.0)
    await watched(EVICT)
    assert await watched(EVICT) == {"m1": "`evict` was changed since (not committed)"}


async def test_memories_that_cite_nothing_and_foreign_trees_are_passed_over(watched: Watched, tmp_path: Path):
    assert await watched(Written("m3", "Answer in English.", 0)) == {}
    assert await watched(EVICT, tree=str(tmp_path / "another/machine")) == {}
    assert await watched.service.remarks(Caller(), [EVICT]) == {}
    assert watched.asked == []


async def test_who_asks_waits_no_longer_than_said_and_knows_the_next_time(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
):
    watched.repository.write("cart/ttl.py", "")
    watched.repository.write("cart/ttl.py", BEFORE.replace("60", "9"))
    may_end, has_ended = threading.Event(), threading.Event()
    line_of, search = module.line_of, watched.service._search

    def slow(*arguments):
        may_end.wait(60)
        return line_of(*arguments)

    def searched(*arguments):
        search(*arguments)
        if not watched.service._searched:
            has_ended.set()

    monkeypatch.setattr(module, "line_of", slow)
    monkeypatch.setattr(watched.service, "_search", searched)
    with trio.fail_after(60):
        assert await watched(EVICT, wait_s=0.01) == {}
        assert await watched(EVICT, wait_s=0.01) == {}  # it is being looked up, and not a second time
        may_end.set()
        await trio.to_thread.run_sync(has_ended.wait)
    assert await watched(EVICT) == {"m1": "`evict` was changed since (not committed)"}
    assert watched.asked == [["evict"]]


async def test_where_git_cannot_answer_nothing_is_said_for_a_while(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    def refused(*_):
        watched.asked.append([])
        raise GitError("git gave no answer within 10 s.")

    look_up = module.look_up
    monkeypatch.setattr(module, "look_up", refused)
    watched.repository.write("cart/ttl.py", BEFORE.replace("60", "9"))
    assert await watched(EVICT) == {}
    assert await watched(EVICT) == {}
    assert watched.asked == [[]]
    assert watched.logged == ["staleness_not_known"]
    monkeypatch.setattr(module, "RETRY_S", 0.0)
    other = EVICT._replace(id="m9")
    assert await watched(other) == {}
    monkeypatch.setattr(module, "look_up", look_up)
    assert await watched(EVICT) == {}
    assert await watched(other) == {"m9": "`evict` was changed since (not committed)"}


async def test_without_a_repository_a_path_that_is_not_there_is_told(watched: Watched, tmp_path: Path):
    (tmp_path / "plain/cart").mkdir(parents=True)
    file = tmp_path / "plain/cart/ttl.py"
    file.write_text(BEFORE)
    assert await watched(EVICT, tree=str(tmp_path / "plain")) == {}
    file.unlink()
    assert await watched(EVICT, tree=str(tmp_path / "plain")) == {"m1": "`cart/ttl.py` is not there"}


async def test_a_bare_repository_has_no_tree_of_which_something_could_be_gone(watched: Watched, tmp_path: Path):
    bare = tmp_path / "bare.git"
    watched.repository.git("clone", "--quiet", "--bare", watched.tree, str(bare))
    assert await watched(EVICT, tree=str(bare)) == {}
    assert watched.asked == []


async def test_what_is_kept_is_bounded(watched: Watched, monkeypatch: pytest.MonkeyPatch):
    assert KEPT_MAX >= 1_000
    monkeypatch.setattr(module, "KEPT_MAX", 3)
    for number in range(6):
        await watched(EVICT._replace(id=f"m{number}"))
    assert len(watched.service._known) == 3
