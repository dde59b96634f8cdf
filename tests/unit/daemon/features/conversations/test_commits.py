"""Messages of commits: read once, forgotten when history is rewritten, erased for good, without secrets."""

from functools import partial
from pathlib import Path

import pytest
import trio
from conversation_services import KeptConversations, pause
from repositories import Repository

from palimp_daemon.features.conversations.commits import FILES_TOLD
from palimp_daemon.git.git_messages import FirstParentLine, first_parent_line
from palimp_daemon.store.store import ensure_project
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memory_messages import Recall

SECRET = "AKIA" + "IOSFODNN7ABCDEFG"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


async def recalled(kept: KeptConversations, query: str) -> list[str]:
    found = await kept.conversations.recall(Recall(query=query, kind="commit"), kept.caller())
    return [memory.title for memory in found.memories]


async def test_messages_are_found_with_what_they_say_and_the_files_they_touched(
    kept: KeptConversations, repository: Repository
):
    repository.commit("Drop redis\n\nIt lost keys under memory pressure.", cache_py="x = 1\n")
    hash_ = repository.commit("Add sqlite", store__db_py="y = 2\n")
    assert await kept.commits.read(kept.caller()) == 2
    assert await recalled(kept, "memory pressure") == ["Drop redis"]
    assert (await recalled(kept, "cache.py"))[0] == "Drop redis"
    assert (await recalled(kept, "store/db.py"))[0] == "Add sqlite"
    assert await recalled(kept, hash_[:10]) == ["Add sqlite"]


async def test_messages_are_found_though_the_project_became_known_while_they_were_read(
    kept: KeptConversations, repository: Repository, monkeypatch: pytest.MonkeyPatch
):
    """By another part of the daemon: its number in the memories' store is its name here from then on."""
    repository.commit("one")

    async def line_while_others_save(tree: Path) -> FirstParentLine:
        await kept.memories.write(partial(ensure_project, caller=kept.caller(), now_ms=kept.now_ms))
        assert await recalled(kept, "one") == []
        return await first_parent_line(tree)

    monkeypatch.setattr("palimp_daemon.features.conversations.commits.first_parent_line", line_while_others_save)
    assert await kept.commits.read(kept.caller()) == 1
    assert await recalled(kept, "one") == ["one"]


async def test_only_new_messages_are_read(kept: KeptConversations, repository: Repository):
    repository.commit("one")
    await kept.commits.read(kept.caller())
    assert await kept.commits.read(kept.caller()) == 0
    repository.commit("two")
    assert await kept.commits.read(kept.caller()) == 1


async def test_a_message_that_was_amended_is_replaced(kept: KeptConversations, repository: Repository):
    repository.commit("one")
    repository.commit("tow")
    await kept.commits.read(kept.caller())
    repository.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "two")
    repository.git("reflog", "expire", "--expire=now", "--all")
    await kept.commits.read(kept.caller())
    assert sorted(await kept.texts()) == ["one", "two"]


async def test_another_branch_takes_nothing_away(kept: KeptConversations, repository: Repository):
    repository.commit("one")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit("on the side")
    await kept.commits.read(kept.caller())
    repository.git("checkout", "--quiet", "main")
    await kept.commits.read(kept.caller())
    assert sorted(await kept.texts()) == ["on the side", "one"]


async def test_of_many_files_the_first_are_named_and_the_others_counted(
    kept: KeptConversations, repository: Repository
):
    for number in range(FILES_TOLD + 3):
        repository.write(f"f{number:02}.txt", "x")
    repository.commit("many")
    await kept.commits.read(kept.caller())
    [text] = await kept.texts()
    assert text.startswith("many\n\nFiles: f00.txt, ")
    assert text.endswith(" and 3 more")


async def test_secrets_are_not_kept(kept: KeptConversations, repository: Repository):
    repository.commit(f"Use key\n\nIt is {SECRET}.")
    await kept.commits.read(kept.caller())
    assert not any(SECRET in text for text in await kept.texts())


async def test_an_erased_message_is_not_read_again(kept: KeptConversations, repository: Repository):
    repository.commit("Ask Zebediah about it")
    repository.commit("two")
    await kept.commits.read(kept.caller())
    erased = await kept.erasures.erase(Erase(ids=[], containing="Zebediah"), kept.caller(), b"")
    assert erased.turns == 1
    assert await kept.commits.read(kept.caller()) == 0
    assert await kept.texts() == ["two"]
    assert b"Zebediah" not in b"".join(part.read_bytes() for part in kept.folder.glob("conversations.db*"))


async def test_what_is_asked_for_is_read_in_the_background(
    kept: KeptConversations, repository: Repository, nursery: trio.Nursery
):
    repository.commit("one")
    nursery.start_soon(kept.commits.run)
    kept.commits.request_read(kept.caller())
    kept.commits.request_read(kept.caller())
    while await kept.texts() != ["one"]:
        await pause()


async def test_a_folder_that_is_no_repository_ends_nothing(
    kept: KeptConversations, repository: Repository, nursery: trio.Nursery, tmp_path: Path
):
    repository.commit("one")
    nursery.start_soon(kept.commits.run)
    kept.commits.request_read(kept.caller(str(tmp_path)))
    kept.commits.request_read(kept.caller(str(tmp_path / "nowhere")))
    kept.commits.request_read(Caller())
    kept.commits.request_read(Caller(ProjectRef("", "")))
    kept.commits.request_read(kept.caller())
    while await kept.texts() != ["one"]:
        await pause()


async def test_with_keep_off_no_message_is_read(tmp_path: Path, repository: Repository, nursery: trio.Nursery):
    repository.commit("one")
    kept = KeptConversations(tmp_path, PALIMP_CONVERSATIONS_KEEP="off")
    with trio.fail_after(60):
        await kept.start(nursery)
        nursery.start_soon(kept.commits.run)
        kept.commits.request_read(kept.caller())
        await trio.testing.wait_all_tasks_blocked()
        assert not kept.path.exists()
        nursery.cancel_scope.cancel()
