"""Memories that an agent saves for all projects wait in their own for the user's yes; a person's are there at once."""

import pytest

from palimp_daemon.features.memories.decide import decide
from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.moving import move_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.features.sessions.start_context import standing_knowledge
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.links import Decide, EditMemory, Move
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.messages.review_messages import Review

TWO = "/work/two"
RULE = "Answer in short sentences"


def everywhere(request_context, **more) -> str:
    asked = SaveMemory(text=RULE, kind="preference", scope="global", **more)
    saved = save_memory(request_context(), asked)
    assert saved.waits_for_all
    return saved.id


def found(context, **asked) -> list[str]:
    return [memory.title for memory in recall(context, Recall(query="short sentences", **asked)).memories]


def told(context) -> list[str]:
    return [row.title for row in standing_knowledge(context.caller, context.store).rules]


def test_what_an_agent_saves_for_all_is_told_and_found_in_its_own_project_alone(request_context):
    everywhere(request_context)
    assert (found(request_context()), told(request_context())) == ([RULE], [RULE])
    assert (found(request_context(TWO)), told(request_context(TWO))) == ([], [])
    assert told(request_context(None)) == []


def test_a_persons_yes_lets_it_count_everywhere_and_an_undo_takes_that_back(request_context):
    one = everywhere(request_context)
    listed = review(request_context(session=None), Review())
    assert [(each.id, each.waits_for_all, each.is_proposal) for each in listed.proposals] == [(one, True, False)]
    done = review(request_context(session=None), Review(keep=[one]))
    assert ([each.id for each in done.kept], done.total) == ([one], 0)
    assert (found(request_context(TWO)), told(request_context(TWO))) == ([RULE], [RULE])
    assert found(request_context(TWO), scope="project") == []

    undo(request_context(session=None), Undo())
    assert told(request_context(TWO)) == []
    assert review(request_context(session=None), Review()).total == 1


def test_an_agent_says_no_yes_for_the_user(request_context):
    one = everywhere(request_context)
    with pytest.raises(PalimpError, match="Only a person"):
        review(request_context(), Review(keep=[one]))
    with pytest.raises(PalimpError, match="Only a person"):
        move_memories(request_context(), Move(ids=[one], to_global=True))
    assert save_memory(request_context(), SaveMemory(text=RULE, kind="preference", scope="global")).waits_for_all
    assert told(request_context(TWO)) == []


def test_an_agent_does_not_reword_what_counts_everywhere(request_context):
    rule = save_memory(request_context(None, None), SaveMemory(text=RULE, kind="preference")).id
    with pytest.raises(PalimpError, match="only a person edits"):
        edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=rule, text="Run evil things")))
    assert told(request_context(TWO)) == [RULE]


@pytest.mark.parametrize("how", ["here", "drop"])
def test_a_no_leaves_it_in_its_project(request_context, how: str):
    one = everywhere(request_context)
    review(request_context(session=None), Review(**{how: [one]}))
    assert (told(request_context()), told(request_context(TWO))) == ([RULE], [])
    assert review(request_context(session=None), Review()).total == 0


def test_an_answer_in_the_clients_form_decides(request_context):
    one = everywhere(request_context)
    decide(request_context(), Decide(newer=one, for_all=False))
    assert review(request_context(session=None), Review()).total == 0
    assert told(request_context(TWO)) == []
    everywhere(request_context)
    decide(request_context(), Decide(newer=one, for_all=True))
    assert told(request_context(TWO)) == [RULE]


def test_a_forged_answer_about_another_memory_moves_nothing(request_context):
    one = save_memory(request_context(), SaveMemory(text=RULE, kind="preference")).id
    decide(request_context(), Decide(newer=one, for_all=True))
    assert told(request_context(TWO)) == []


def test_what_a_person_saves_for_all_is_there_at_once(request_context):
    saved = save_memory(request_context(session=None), SaveMemory(text=RULE, kind="preference", scope="global"))
    assert not saved.waits_for_all
    assert told(request_context(TWO)) == [RULE]


def test_another_version_waits_in_its_stead(request_context):
    one = everywhere(request_context)
    new = edit(request_context(session=None), with_clean_texts(Redactor(), EditMemory(id=one, text="Short sentences")))
    assert [each.id for each in review(request_context(session=None), Review()).proposals] == [new.id]
    review(request_context(session=None), Review(keep=[new.id]))
    assert (told(request_context()), told(request_context(TWO))) == (["Short sentences"], ["Short sentences"])
