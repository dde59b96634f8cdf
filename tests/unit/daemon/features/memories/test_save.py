"""Saving a memory."""

import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples
from msgspec.structs import replace
from new_stores import new_store
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import draft, save_memory, store_draft, store_drafts
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.checks.verify import examine
from palimp_daemon.store.integrity.checksums import altered_memories
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables.memory_rows import draw_id
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import GROUP_WRITES_MAX, ID_CHARACTERS_SHOWN
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

LONG = "Retries are capped at three attempts since the payment API bans clients after the fourth failure."


def stored(request_context, column: str):
    return [
        value for (value,) in request_context.store.connection.execute(f"SELECT {column} FROM memories ORDER BY seq")
    ]


def test_a_memory_is_stored_with_what_is_known_about_it(request_context):
    """Project, session, kind, tags and source."""
    save_memory(
        request_context(),
        SaveMemory(text="  Use ruff.  ", tags=["Lint", "two words", "lint"], kind="decision", source="x"),
    )

    assert stored(request_context, "content") == ["Use ruff."]
    assert stored(request_context, "tags") == ["lint two-words"]
    assert stored(request_context, "kind || source") == ["decisionx"]
    assert request_context.store.connection.execute("SELECT root, name FROM projects WHERE id").fetchall() == [
        ("/work/one", "one")
    ]
    assert request_context.store.connection.execute("SELECT key, client FROM sessions").fetchall() == [("s1", "test")]


def test_project_and_session_are_made_once(request_context):
    """The second memory of a session belongs to the same rows."""
    for text in ("One thing.", "Another matter."):
        save_memory(request_context(), SaveMemory(text=text))

    assert len(set(stored(request_context, "session_id"))) == 1
    assert len(set(stored(request_context, "project_id"))) == 1


def test_a_blank_text_is_refused(request_context):
    """White space is nothing to remember."""
    with pytest.raises(PalimpError, match="blank"):
        save_memory(request_context(), SaveMemory(text=" \n "))


def spelled_otherwise(text: str) -> st.SearchStrategy[str]:
    """Texts that are the same as *text*: other normal form, other line ends, more spaces."""
    forms = st.sampled_from(["NFC", "NFD"]).map(lambda form: unicodedata.normalize(form, text))
    return forms.flatmap(
        lambda spelled: st.sampled_from([spelled, f"  {spelled}\n", spelled.replace(" ", "  "), f"{spelled} \r\n\r\n"])
    )


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).map(str.strip).filter(bool)


@settings(max_examples=examples(60))
@given(st.data(), TEXTS)
def test_the_same_text_is_stored_once(data, text: str):
    """However it is spelled, alone and together with others: the answer names the memory that is there."""
    request_context = RequestContexts(new_store(Path(tempfile.mkdtemp()) / "palimp.db"))
    texts = [data.draw(spelled_otherwise(text)) for _ in range(4)]

    first = save_memory(request_context(), SaveMemory(text=text))
    alone = save_memory(request_context(), SaveMemory(text=texts[0]))
    together = store_drafts(
        [(request_context(session="s2"), draft(Redactor(), SaveMemory(text=each))) for each in texts]
    )

    assert {(saved.id, saved.is_known) for saved in (alone, *together)} == {(first.id, True)}
    assert len(stored(request_context, "seq")) == 1
    request_context.store.connection.close()


def test_several_of_the_same_that_come_together_are_stored_once(request_context):
    """The first of them is stored, the others are told its id; another kind and another project are another memory."""
    requests = [
        SaveMemory(text="Use ruff."),
        SaveMemory(text="Use ruff.", kind="decision"),
        SaveMemory(text="Use  ruff. "),
    ]
    request_contexts = [request_context(), request_context(), request_context()]
    one, other, again = store_drafts(
        [(each, draft(Redactor(), request)) for each, request in zip(request_contexts, requests, strict=True)]
    )
    elsewhere = save_memory(request_context("/work/two"), requests[0])

    assert (again.id, again.is_known) == (one.id, True)
    assert len({one.id, other.id, elsewhere.id}) == 3
    assert not any(saved.is_known for saved in (one, other, elsewhere))


def test_what_is_said_again_gets_its_time_its_tags_and_a_title_of_its_own(request_context):
    """Nothing that was said the second time is lost."""
    save_memory(request_context(), SaveMemory(text=LONG, tags=["api"]))
    there = request_context()
    saved = save_memory(there, SaveMemory(text=LONG, tags=["billing", "api"], title="Three attempts"))

    assert saved.title == "Three attempts"
    assert stored(request_context, "title || '/' || tags") == ["Three attempts/api billing"]
    assert stored(request_context, "updated_at") == [there.now_ms]
    assert recall(request_context(), Recall(query="billing")).total == 1
    assert altered_memories(request_context.store.connection, 0, 10) == []


def test_what_was_purged_or_replaced_is_stored_anew_when_it_is_said_again(request_context):
    """A user who took it away, and says it again, has it again."""
    first = save_memory(request_context(), SaveMemory(text=LONG))
    recall(request_context(), Recall(action="purge", ids=[first.id]))
    second = save_memory(request_context(), SaveMemory(text=LONG))

    assert not second.is_known
    assert [memory.id for memory in recall(request_context(), Recall(query="retries")).memories] == [second.id]


def test_near_duplicates_are_named_and_not_refused(request_context):
    """The answer lists them; the memory is stored all the same."""
    first = save_memory(request_context(), SaveMemory(text=LONG))

    second = save_memory(request_context(), SaveMemory(text=LONG.replace("three", "3")))

    assert [similar.id for similar in second.similar] == [first.id]
    assert first.similar == []
    assert len(stored(request_context, "id")) == 2


def test_near_duplicates_of_other_projects_are_not_named(request_context):
    """A session sees its own project."""
    save_memory(request_context("/work/two"), SaveMemory(text=LONG))

    assert save_memory(request_context(), SaveMemory(text=LONG)).similar == []


def test_purged_memories_are_no_duplicates(request_context):
    """What was purged may be saved again without a remark."""
    save_memory(request_context(), SaveMemory(text=LONG))
    request_context.store.connection.execute("UPDATE memories SET deleted_at = 1")

    assert save_memory(request_context(), SaveMemory(text=LONG)).similar == []


def test_a_shown_id_stays_unambiguous(request_context):
    """A new id of the same second is drawn again while its shown part is taken."""
    saved = save_memory(request_context(), SaveMemory(text="First."))
    now_ms = stored(request_context, "created_at")[0]
    (full,) = stored(request_context, "id")
    draws = iter([_bits(full) ^ 1, _bits(full) ^ 2, _bits(full) ^ 2**20])

    drawn, shown = draw_id(request_context.store, now_ms, lambda: next(draws))

    assert saved.id == full[:ID_CHARACTERS_SHOWN]
    assert shown == drawn[:ID_CHARACTERS_SHOWN] != saved.id


def _bits(memory_id: str) -> int:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    value = 0
    for digit in memory_id[-5:]:
        value = value * 32 + alphabet.index(digit)
    return value


def test_memories_that_are_saved_together_are_as_if_one_by_one(request_context):
    """Those of several projects and sessions: rows, sums, MinHash signatures, index, and which of them are alike."""
    other = RequestContexts(
        open_store(request_context.store.path.with_name("other.db"), request_context.store.engine.name)
    )
    places = [("/work/one", "s1"), ("/work/two", "s2"), ("/work/one", "s1"), (None, "s1"), ("/work/one", "s3")]
    texts = [LONG, LONG, LONG.replace("three", "3"), "A \0 in it, and no pair", LONG.replace("API", "service")]
    drafts = [draft(Redactor(), SaveMemory(text=text, tags=["a", "b"], kind="decision", source="x")) for text in texts]
    saved = [
        store_drafts([(each(*place), memory) for place, memory in zip(places, drafts, strict=True)])
        if each is request_context
        else [store_draft(each(*place), memory) for place, memory in zip(places, drafts, strict=True)]
        for each in (request_context, other)
    ]

    # Those of one group are stored at once: none is older than another when they are held beside what is stored.
    alike = [[replace(each, same_subject=[], unclear=[]) for each in group] for group in saved]
    assert alike[0] == alike[1]
    assert [len(each.similar) for each in saved[0]] == [0, 0, 1, 0, 1]
    tables = ("memories", "sums", "sketches", "sessions", "projects")
    for table in tables:
        found = [rows(each.store.connection, f"SELECT * FROM {table}") for each in (request_context, other)]
        assert found[0] == found[1]
    assert altered_memories(request_context.store.connection, 0, len(texts)) == []
    assert examine(request_context.store) == ""
    found = [recall(each("/work/one"), Recall(query="retries attempts ban")) for each in (request_context, other)]
    assert [row.id for row in found[0].memories] == [row.id for row in found[1].memories]
    other.store.connection.close()


def test_a_number_is_not_given_twice(request_context):
    """What was erased for good leaves its number behind, which other tables may still name."""
    save_memory(request_context(), SaveMemory(text="First."))
    save_memory(request_context(), SaveMemory(text="Second."))
    request_context.store.connection.execute("DELETE FROM memories WHERE content = 'Second.'")
    save_memory(request_context(), SaveMemory(text="Third."))

    assert stored(request_context, "seq") == [1, 3]


def test_as_many_as_one_transaction_takes_are_saved_together(request_context):
    """With one statement for each table."""
    drafts = [
        draft(Redactor(), SaveMemory(text=f"Note {number} about matter {number % 7}."))
        for number in range(GROUP_WRITES_MAX)
    ]

    saved = store_drafts([(request_context(), memory) for memory in drafts])

    assert len({each.id for each in saved}) == GROUP_WRITES_MAX
    assert altered_memories(request_context.store.connection, 0, GROUP_WRITES_MAX) == []


@pytest.mark.parametrize(
    ("request_", "is_told"),
    [
        (SaveMemory(text="Mark it with `<private>` in the text; what follows stays."), False),
        (SaveMemory(text="The <private> tag is what we ask about,\nand this line stays."), False),
        (SaveMemory(text="Kept. <private>dropped</private>"), True),
        (SaveMemory(text="Kept.\n<private>\nnever closed"), True),
        (SaveMemory(text="Kept.", title="password = hunter2!x"), True),
        (SaveMemory(text="Kept.", tags=["AKIA" + "IOSFODNN7ABCDEFG"]), True),
    ],
)
def test_who_saves_is_told_whether_something_was_not_stored(request_context, request_, is_told):
    """Of the text, the title or a tag; and what only mentions the mark of private parts is stored whole."""
    assert save_memory(request_context(), request_).is_redacted is is_told
    if not is_told:
        assert stored(request_context, "content") == [request_.text]
