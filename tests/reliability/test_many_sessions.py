"""Many sessions at once: nothing lost, nothing doubled, nothing across projects."""

from pathlib import Path

import apsw
import trio

from mcp_clients import sdk_session, text_of
from palimp_protocol.paths import database_path

SESSIONS = 16
SAVES = 50


async def test_sixteen_sessions_in_two_projects(daemon, env, home: Path):
    """16 sessions, each 50 saves and 50 recalls released by a barrier: an exact ledger, and no lock errors."""
    folders = [home / "red", home / "blue"]
    for folder in folders:
        folder.mkdir()
    ready = trio.Semaphore(0)
    go = trio.Event()
    ledger: dict[str, list[str]] = {folder.name: [] for folder in folders}
    answers: list[str] = []

    async def work(number: int) -> None:
        folder = folders[number % 2]
        async with sdk_session(env, folder, mode="auto" if number % 4 < 2 else "legacy") as session:
            ready.release()
            await go.wait()
            for turn in range(SAVES):
                text = f"Session {number} of {folder.name} noted fact {turn} in word{number}x{turn}."
                saved = text_of(await session.call_tool("save_memory", {"text": text}))
                ledger[folder.name].append(text)
                found = text_of(await session.call_tool("recall", {"query": f"word{number}x{turn}"}))
                assert "1 of 1" in found, found
                answers.extend([saved, found])

    async with trio.open_nursery() as nursery:
        for number in range(SESSIONS):
            nursery.start_soon(work, number)
        for _ in range(SESSIONS):
            await ready.acquire()
        go.set()

    assert not [answer for answer in answers if "locked" in answer or answer.startswith("store_unavailable")]
    assert daemon.stop() == 0
    connection = apsw.Connection(str(database_path(env)))
    for folder, other in zip(folders, reversed(folders), strict=True):
        rows = connection.execute(
            "SELECT content FROM memories WHERE project_id = (SELECT id FROM projects WHERE root = ?)", (str(folder),)
        )
        contents = sorted(content for (content,) in rows)
        assert contents == sorted(ledger[folder.name])
        assert not [content for content in contents if other.name in content]
    connection.close()
