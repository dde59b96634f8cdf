"""Saving a memory."""

import pytest

from palimp_daemon.operations.save_memory import save_memory
from palimp_daemon.store.memories import draw_id
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import ID_CHARACTERS_SHOWN
from palimp_protocol.operations import SaveMemory

LONG = "Retries are capped at three attempts since the payment API bans clients after the fourth failure."


def stored(desk, column: str):
    return [value for (value,) in desk.store.connection.execute(f"SELECT {column} FROM memories ORDER BY seq")]


def test_a_memory_is_stored_with_what_is_known_about_it(desk):
    """Project, session, kind, tags and source."""
    save_memory(
        desk(), SaveMemory(text="  Use ruff.  ", tags=["Lint", "two words", "lint"], kind="decision", source="x")
    )

    assert stored(desk, "content") == ["Use ruff."]
    assert stored(desk, "tags") == ["lint two-words"]
    assert stored(desk, "kind || source") == ["decisionx"]
    assert desk.store.connection.execute("SELECT root, name FROM projects WHERE id").fetchall() == [
        ("/work/one", "one")
    ]
    assert desk.store.connection.execute("SELECT key, client FROM sessions").fetchall() == [("s1", "test")]


def test_project_and_session_are_made_once(desk):
    """The second memory of a session belongs to the same rows."""
    for text in ("One thing.", "Another matter."):
        save_memory(desk(), SaveMemory(text=text))

    assert len(set(stored(desk, "session_id"))) == 1
    assert len(set(stored(desk, "project_id"))) == 1


def test_a_blank_text_is_refused(desk):
    """White space is nothing to remember."""
    with pytest.raises(PalimpError, match="blank"):
        save_memory(desk(), SaveMemory(text=" \n "))


def test_near_duplicates_are_named_and_not_refused(desk):
    """The answer lists them; the memory is stored all the same."""
    first = save_memory(desk(), SaveMemory(text=LONG))

    second = save_memory(desk(), SaveMemory(text=LONG.replace("three", "3")))

    assert [similar.id for similar in second.similar] == [first.id]
    assert first.similar == []
    assert len(stored(desk, "id")) == 2


def test_near_duplicates_of_other_projects_are_not_named(desk):
    """A session sees its own project."""
    save_memory(desk("/work/two"), SaveMemory(text=LONG))

    assert save_memory(desk(), SaveMemory(text=LONG)).similar == []


def test_purged_memories_are_no_duplicates(desk):
    """What was purged may be saved again without a remark."""
    save_memory(desk(), SaveMemory(text=LONG))
    desk.store.connection.execute("UPDATE memories SET deleted_at = 1")

    assert save_memory(desk(), SaveMemory(text=LONG)).similar == []


def test_a_shown_id_stays_unambiguous(desk):
    """A new id of the same second is drawn again while its shown part is taken."""
    saved = save_memory(desk(), SaveMemory(text="First."))
    now_ms = stored(desk, "created_at")[0]
    (full,) = stored(desk, "id")
    draws = iter([_bits(full) ^ 1, _bits(full) ^ 2, _bits(full) ^ 2**20])

    drawn, shown = draw_id(desk.store, now_ms, lambda: next(draws))

    assert saved.id == full[:ID_CHARACTERS_SHOWN]
    assert shown == drawn[:ID_CHARACTERS_SHOWN] != saved.id


def _bits(memory_id: str) -> int:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    value = 0
    for digit in memory_id[-5:]:
        value = value * 32 + alphabet.index(digit)
    return value
