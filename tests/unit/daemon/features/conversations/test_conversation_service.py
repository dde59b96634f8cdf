"""The conversations' store in use: what is asked of it and said of it, and what becomes of a damaged or a full one."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import trio
from conversation_services import KeptConversations, entry, pause, transcript, write
from request_contexts import NOON_MS

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memory_messages import Recall

DAY_MS = 86_400_000


async def test_a_search_of_no_kind_may_be_answered_once_there_is_something(kept: KeptConversations, file: Path):
    assert not kept.conversations.may_answer(Recall(query="one"), Caller())
    write(file, transcript("one"))
    await kept.read(file, kept.caller())
    assert kept.conversations.may_answer(Recall(query="one"), Caller())
    for narrow in ({"kind": "decision"}, {"tags": ["a"]}, {"title": "x"}, {"scope": "global"}, {"detail": "full"}):
        assert not kept.conversations.may_answer(Recall(query="one", **narrow), Caller())
    assert not kept.conversations.may_answer(Recall(), Caller())


async def test_a_store_that_held_nothing_is_not_asked_again_until_something_is_written(
    kept: KeptConversations, file: Path
):
    conversations, asked = kept.conversations, Recall(query="one")
    await conversations.ask(lambda _: None)
    assert conversations.may_answer(asked, Caller())
    assert (await conversations.recall(asked, kept.caller())).memories == []
    assert not conversations.may_answer(asked, Caller())
    write(file, transcript("one"))
    await kept.read(file, kept.caller())
    assert conversations.may_answer(asked, Caller())
    assert (await conversations.recall(asked, kept.caller())).memories
    assert conversations.may_answer(asked, Caller())


async def test_what_is_written_while_nothing_is_found_is_not_missed(
    kept: KeptConversations, monkeypatch: pytest.MonkeyPatch
):
    conversations, asked = kept.conversations, Recall(query="one")
    ask = conversations.ask

    async def ask_and_write(*arguments: Any, **named: Any) -> Any:
        found = await ask(*arguments, **named)
        await ask(lambda _: None, is_write=True)
        return found

    monkeypatch.setattr(conversations, "ask", ask_and_write)
    await conversations.recall(asked, kept.caller())
    assert conversations.may_answer(asked, kept.caller())


async def test_what_is_kept_is_described(kept: KeptConversations, file: Path):
    assert await kept.conversations.describe() == ""
    write(file, transcript("one", "two"))
    await kept.read(file, kept.caller())
    said = await kept.conversations.describe()
    assert said.startswith("2 turns of 1 session, 0 commits, ")
    assert said.endswith("; read from 1 transcript of claude-code.")


async def test_a_store_that_cannot_be_opened_is_said_and_ends_nothing(kept: KeptConversations):
    kept.path.mkdir()
    assert (await kept.conversations.describe()).startswith("They cannot be used: ")


def damage(path: Path) -> None:
    """Spoil some of the pages of a database that have the texts of turns, and none by which it is opened."""
    data = bytearray(path.read_bytes())
    pages = [at for at in range(0, len(data), 4096) if data.count(b"x2", at, at + 4096) > 20]
    assert len(pages) > 100
    for at in pages[::7]:
        data[at : at + 4096] = b"\xa5" * 4096
    path.write_bytes(data)


async def read_everything(kept: KeptConversations) -> None:
    await kept.conversations.recall(Recall(query="w5x1 w599x1 w300x7", kind="conversation", limit=50), kept.caller())
    await kept.texts()


async def test_a_store_that_is_found_damaged_in_use_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A large one is not examined when it is opened. The next one serves, and what was erased stays erased."""
    monkeypatch.setattr("palimp_daemon.store.opening.EXAMINED_AT_START_BYTES", 0)
    file = tmp_path / "session.jsonl"
    texts = [f"{number} " + " ".join(f"w{number}x{word}" for word in range(300)) for number in range(600)]
    write(file, "".join(entry("user", text, NOON_MS + place) for place, text in enumerate(texts)))
    first, second = KeptConversations(tmp_path), KeptConversations(tmp_path)
    with trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            await first.start(nursery)
            await first.read(file, first.caller())
            erased = await first.erasures.erase(Erase(containing="w7x1 "), first.caller(), b"")
            assert erased.turns == 1
            nursery.cancel_scope.cancel()
        damage(first.path)
        async with trio.open_nursery() as nursery:
            await second.start(nursery)
            with contextlib.suppress(PalimpError):  # unless somebody else was the first to find it
                await read_everything(second)
            while (await second.conversations.extent()).turns:
                await pause()
            assert await second.read(file, second.caller()) == len(texts) - 1
            assert second.path.with_suffix(".damaged").exists()
            nursery.cancel_scope.cancel()
    assert first.bugs == second.bugs == []


async def test_what_is_too_old_goes(kept: KeptConversations, file: Path):
    write(file, transcript("one"))
    await kept.read(file, kept.caller())
    kept.now_ms += 729 * DAY_MS
    assert await kept.conversations.forget_old() == 0
    kept.now_ms += 2 * DAY_MS
    assert await kept.conversations.forget_old() == 1
    assert await kept.texts() == []
    assert await kept.read(file, kept.caller()) == 0


async def test_what_is_too_much_goes_the_oldest_first(tmp_path: Path, nursery: trio.Nursery):
    kept = KeptConversations(tmp_path, PALIMP_CONVERSATIONS_MAX_MB="16")
    file = tmp_path / "session.jsonl"
    with trio.fail_after(120):
        await kept.start(nursery)
        with file.open("w") as lines:
            for number in range(3_000):
                words = " ".join(f"{number}x{word}".ljust(40, "y") for word in range(100))
                lines.write(entry("user" if number % 2 else "assistant", f"{number} {words}", NOON_MS + number * 100))
        await kept.read(file, kept.caller())
        assert await kept.conversations.forget_old() > 0
        extent = await kept.conversations.extent()
        assert 0 < extent.turns < 3_000
        assert extent.size <= 16_000_000
        left = [json.loads(text.split()[0]) for text in await kept.texts()]
        assert left == list(range(3_000 - extent.turns, 3_000))
        nursery.cancel_scope.cancel()
