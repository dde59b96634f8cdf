"""Memories that a document names, and that do not hold as they did."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.features.memories.undoing import undo
from palimp_neighbours.documents.daemon.cited import LOOKED_UP_MAX, TOLD_MAX, cited_in, names_any
from palimp_protocol.history_text import cited_line
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.links import Supersede
from palimp_protocol.messages.memory_messages import Cited, Recall, SaveMemory


def saved(request_context, text: str, project: str | None = "/work/one", **more) -> str:
    return save_memory(request_context(project), SaveMemory(text=text, **more)).id


def told(request_context, text: str, project: str | None = "/work/one") -> list[tuple[str, str, str]]:
    """Return id, state and by whom of what is told beside *text*."""
    context = request_context(project)
    [cited] = cited_in(context.store, context.caller, [text])
    return [(each.id, each.state, each.by) for each in cited]


def test_what_was_replaced_is_told_with_what_holds_now(request_context):
    first = saved(request_context, "Retries are three.")
    second = saved(request_context, "Retries are five.", replaces=[first])
    third = saved(request_context, "Retries: nine, since the gateway is slow.", replaces=[second])

    assert told(request_context, f"See {first} and `{third}`.") == [(first, "replaced", third)]
    undo(request_context(), Undo())
    assert told(request_context, f"See {first}.") == [(first, "replaced", second)]
    undo(request_context(), Undo())
    assert told(request_context, f"See {first}.") == []


def test_what_narrows_disagrees_or_was_purged_is_told_too(request_context):
    rule = saved(request_context, "Deploys run on Mondays.")
    narrower = saved(request_context, "Not in December.", narrows=[rule])
    other = saved(request_context, "Alice says that deploys run on Tuesdays.")
    supersede(request_context(), Supersede(older=rule, newer=other, relation="disagrees"))
    gone = saved(request_context, "The build takes nine minutes.")
    recall(request_context(), Recall(id=gone, action="purge"))

    text = f"({rule}) {gone}"
    assert told(request_context, text) == [
        (rule, "narrowed", narrower),
        (rule, "disputed", other),
        (gone, "purged", ""),
    ]
    recall(request_context(), Recall(ids=[narrower, other], action="purge"))
    recall(request_context(), Recall(id=gone, action="restore"))
    assert told(request_context, text) == []


def test_a_document_tells_nothing_of_another_project(request_context):
    """Whoever wrote it may have guessed an id."""
    old = saved(request_context, "Retries are three.", "/work/other")
    saved(request_context, "Retries are five.", "/work/other", replaces=[old])
    everywhere = saved(request_context, "Answer in English.", None)
    saved(request_context, "Answer in German here.", "/work/other", narrows=[everywhere])
    here = saved(request_context, "Answer in Dutch here.", narrows=[everywhere])

    assert told(request_context, old) == []
    assert told(request_context, everywhere) == [(everywhere, "narrowed", here)]
    assert told(request_context, f"{old} {everywhere}", None) == []


@pytest.mark.parametrize("around", ["{}", "({})", "「{}」を参照", "siehe {}.", "**{}**", "راجع {}", "参照{}。"])
def test_an_id_is_found_in_any_language(request_context, around):
    old = saved(request_context, "Retries are three.")
    new = saved(request_context, "Retries are five.", replaces=[old])
    assert told(request_context, around.format(old)) == [(old, "replaced", new)]


@pytest.mark.parametrize("around", ["x{}", "{}-copy", "my-{}", "{}_old"])
def test_a_part_of_another_word_is_no_id(request_context, around):
    old = saved(request_context, "Retries are three.")
    saved(request_context, "Retries are five.", replaces=[old])
    assert told(request_context, around.format(old)) == []


def test_the_beginning_of_several_ids_means_none(request_context):
    assert told(request_context, "managers marketers m0000000 m00000000000") == []


def test_what_one_text_tells_and_what_is_looked_up_have_bounds(request_context):
    olds = [saved(request_context, f"Value {number} of the table is old.") for number in range(TOLD_MAX + 2)]
    for number, old in enumerate(olds):
        saved(request_context, f"Line {number} was measured again.", replaces=[old])
    assert len(told(request_context, " ".join(olds))) == TOLD_MAX
    many = " ".join(f"m{number:011}" for number in range(LOOKED_UP_MAX))
    assert told(request_context, f"{many} {olds[0]}") == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(), max_size=3))
def test_any_texts_have_an_answer_each(request_context, texts):
    """Nothing is stored, so that nothing is shared between examples."""
    context = request_context()
    assert cited_in(context.store, context.caller, texts) == [[] for _ in texts]
    assert names_any(texts) in (True, False)


@pytest.mark.parametrize(
    ("cited", "line"),
    [
        (Cited(id="m1", state="replaced", at=0, by="m2", title="New\nrule"), "m1 held until DAY, now m2: New rule"),
        (Cited(id="m1", state="narrowed", at=0, by="m2", title="In May"), "m1 is narrowed by m2: In May"),
        (Cited(id="m1", state="disputed", at=0, by="m2", title="No"), "m1 is disputed by m2: No"),
        (Cited(id="m1", state="purged", at=0), "m1 was purged on DAY"),
    ],
)
def test_each_is_told_in_a_line(cited, line):
    assert cited_line(cited, lambda _: "DAY") == line
