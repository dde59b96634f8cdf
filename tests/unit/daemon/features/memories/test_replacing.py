"""Saves that say what they replace: by their caller, by their text, and afterwards."""

import pytest

from palimp_daemon.features.memories import find
from palimp_daemon.features.memories.history_view import history_told
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede, with_clean_reason
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.tables.memory_links import links_among
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.links import Supersede
from palimp_protocol.messages.memory_messages import Recall, Saved, SaveMemory


def saved(request_context, text: str, project: str | None = "/work/one", **more) -> Saved:
    return save_memory(request_context(project), SaveMemory(text=text, **more))


def replaced(request_context) -> set[str]:
    found = rows(request_context.store.connection, "SELECT content FROM memories WHERE superseded_by IS NOT NULL")
    return {content for (content,) in found}


def undone(request_context, work) -> str:
    """Do *work* as a write does it, and return why it was refused."""
    request_context.store.connection.execute("BEGIN")
    with pytest.raises(PalimpError) as refused:
        work()
    request_context.store.connection.execute("ROLLBACK")
    request_context.store.forget()
    return refused.value.text


def test_a_save_replaces_what_it_names(request_context):
    old = saved(request_context, "Retries are three.")
    other = saved(request_context, "Timeouts are ten seconds.")
    new = saved(request_context, "Retries are five.", replaces=[old.id[:6]], narrows=[other.id])

    assert [(each.id, each.relation, each.said_by) for each in new.linked] == [
        (old.id, "replaces", "agent"),
        (other.id, "narrows", "agent"),
    ]
    assert replaced(request_context) == {"Retries are three."}
    [view] = recall(request_context(), Recall(id=old.id)).memories
    assert view.superseded_by == new.id


def test_who_types_a_command_is_the_user_and_who_types_it_in_a_session_is_an_agent(request_context):
    old = saved(request_context, "Retries are three.")
    by_agent = save_memory(request_context(), SaveMemory(text="Retries are five.", source="cli", replaces=[old.id]))
    context = request_context()
    alone = type(context)(context.store, type(context.caller)(context.caller.project), context.now_ms, context.random)
    by_user = save_memory(alone, SaveMemory(text="Retries are six.", source="cli", replaces=[by_agent.id]))
    assert [by_agent.linked[0].said_by, by_user.linked[0].said_by] == ["agent", "user"]


@pytest.mark.parametrize("field", ["replaces", "narrows"])
def test_a_name_that_stands_for_nothing_is_refused_and_nothing_is_stored(request_context, field):
    saved(request_context, "Retries are three.")
    elsewhere = saved(request_context, "Retries are nine.", "/work/two")
    for name in ("m0nothing", elsewhere.id):
        why = undone(request_context, lambda name=name: saved(request_context, "Retries are five.", **{field: [name]}))
        assert why == f"{field}: {name}: no such memory in this project or the global scope."
    assert recall(request_context(), Recall()).total == 1


def test_a_memory_of_one_project_cannot_replace_what_holds_in_all_but_narrow_it(request_context):
    everywhere = saved(request_context, "Commit in small steps.", None)
    why = undone(request_context, lambda: saved(request_context, "Squash here.", replaces=[everywhere.id]))
    assert "it can narrow" in why
    assert saved(request_context, "Squash here.", narrows=[everywhere.id]).linked[0].relation == "narrows"
    assert replaced(request_context) == set()


def test_the_same_text_or_its_id_says_afterwards_what_it_replaces(request_context):
    one, two = saved(request_context, "Retries are three."), saved(request_context, "Timeouts are one second.")
    new = saved(request_context, "Retries are five, timeouts two seconds.")

    again = saved(request_context, "Retries are five,  timeouts two seconds.", replaces=[one.id])
    by_id = saved(request_context, f" {new.id} ", replaces=[two.id])
    assert (again.id, by_id.id, by_id.is_known, by_id.title) == (new.id, new.id, True, new.title)
    assert replaced(request_context) == {"Retries are three.", "Timeouts are one second."}
    assert recall(request_context(), Recall()).total == 3


def test_an_id_alone_is_a_text_where_nothing_is_replaced(request_context):
    assert not saved(request_context, "m1abcdefg").is_known


def test_a_circle_is_refused(request_context):
    one = saved(request_context, "Retries are three.")
    two = saved(request_context, "Retries are five.", replaces=[one.id])
    three = saved(request_context, "Retries are six.", replaces=[two.id])

    for newer, older in ((one, two), (one, three), (two, three)):
        why = undone(
            request_context, lambda names=(newer.id, older.id): saved(request_context, names[0], replaces=[names[1]])
        )
        assert why == f"{newer.id} is replaced by {older.id} already: the other way round would go in a circle."
    assert "by itself" in undone(request_context, lambda: saved(request_context, one.id, replaces=[one.id]))
    assert replaced(request_context) == {"Retries are three.", "Retries are five."}


@pytest.mark.parametrize(
    "text", ["Retries are five. Replaces {}.", "We retry five times instead of {}", "5回。Supersedes `{}`"]
)
def test_a_text_that_says_what_it_replaces_does(request_context, text):
    old = saved(request_context, "Retries are three.")
    new = saved(request_context, text.format(old.id))

    assert [(each.id, each.said_by) for each in new.linked] == [(old.id, "text")]
    [link] = links_among(request_context.store, [1])
    assert link.said.lower().split()[0] in {"replaces", "instead", "supersedes"}
    assert replaced(request_context) == {"Retries are three."}


def test_a_text_that_names_what_there_is_not_is_stored_all_the_same(request_context):
    assert saved(request_context, "It replaces m1abcdefg.").linked == []


def test_what_the_caller_and_the_text_name_is_said_once_and_by_the_caller(request_context):
    old = saved(request_context, "Retries are three.")
    new = saved(request_context, f"Retries are five. Replaces {old.id}.", replaces=[old.id])
    assert [(each.id, each.said_by) for each in new.linked] == [(old.id, "agent")]


def test_superseding_says_who_said_it_and_why_and_twice_changes_nothing(request_context):
    old, new = saved(request_context, "Retries are three."), saved(request_context, "Retries are five.")
    request = Supersede(older=old.id, newer=new.id, why="measured\nagain")
    request = with_clean_reason(Redactor(), request)
    first, second = supersede(request_context(), request), supersede(request_context(), request)

    assert (first.link, first.is_known) == ("link1", False)
    assert (second.link, second.is_known) == ("link1", True)
    history = history_told(request_context.store, 1)
    assert history is not None
    assert [version.id for version in history.versions] == [old.id, new.id]
    assert [(link.newer, link.older, link.said_by, link.said) for link in history.links] == [
        (new.id, old.id, "agent", "measured again")
    ]


def test_what_is_purged_replaces_nothing(request_context):
    old, new = saved(request_context, "Retries are three."), saved(request_context, "Retries are five.")
    recall(request_context(), Recall(id=new.id, action="purge"))
    why = undone(request_context, lambda: supersede(request_context(), Supersede(older=old.id, newer=new.id)))
    assert why == f"{new.id} is purged: restore it first."


@pytest.mark.parametrize(
    "asked",
    [
        Recall(query="retries", kind="decision"),
        Recall(query="retries", title="three"),
        Recall(query="retries", tags=["net"]),
    ],
)
def test_what_replaces_a_memory_and_was_not_asked_for_does_not_take_its_place(request_context, asked):
    old = saved(request_context, "Retries are three.", kind="decision", tags=["net"])
    new = saved(request_context, "Retries are five.", kind="note", replaces=[old.id])

    [view] = recall(request_context(), asked).memories
    assert (view.id, view.superseded_by) == (old.id, new.id)


def test_what_a_purged_memory_replaced_is_found_again(request_context):
    old = saved(request_context, "Retries are three.")
    new = saved(request_context, "Retries are five.", replaces=[old.id])
    recall(request_context(), Recall(action="purge", id=new.id))

    [view] = recall(request_context(), Recall(query="retries")).memories
    assert (view.id, view.superseded_by) == (old.id, "")


def test_secrets_in_a_reason_are_not_stored(request_context):
    old, new = saved(request_context, "Retries are three."), saved(request_context, "Retries are five.")
    key = "AKIA" + "IOSFODNN7" + "EXAMPLF"
    request = Supersede(older=old.id, newer=new.id, why=f"the key {key} was in it")
    supersede(request_context(), with_clean_reason(Redactor(), request))
    assert key not in links_among(request_context.store, [1])[0].said


def test_a_memory_without_links_has_no_history(request_context):
    saved(request_context, "Retries are three.")
    assert history_told(request_context.store, 1) is None


def test_what_narrows_a_version_is_named_with_it(request_context):
    old = saved(request_context, "Retries are three.")
    exception = saved(request_context, "In staging retries are one.", narrows=[old.id])
    for seq, others in ((1, [exception.id]), (2, [old.id])):
        history = history_told(request_context.store, seq)
        assert history is not None
        assert [other.id for other in history.others] == others


def test_a_message_that_a_replaced_memory_quotes_finds_that_one_first(request_context):
    """Whoever pastes it looks for what is known of it; what replaced it is named beside it."""
    message = "Serializer for class 'InspectionDto' is not found"
    old = saved(request_context, f'Release builds crash with "{message}": R8 is switched off.')
    new = saved(
        request_context, "R8 is on again, the serializer rules for release builds are included.", replaces=[old.id]
    )

    pasted = recall(request_context(), Recall(query=message)).memories
    asked = recall(request_context(), Recall(query="Is R8 on for release builds?")).memories

    assert pasted[0].id == old.id
    assert pasted[0].links[0].id == new.id
    assert asked[0].id == new.id


@pytest.mark.parametrize("is_near", [True, False])
def test_of_what_hardly_answers_what_holds_now_stands_for_what_it_replaced(request_context, monkeypatch, is_near):
    monkeypatch.setattr(find, "answers", lambda *_, **__: False)
    monkeypatch.setattr(find, "may_answer", lambda *_, **__: is_near)
    old = saved(request_context, "Retries of the gateway are three.")
    new = saved(request_context, "Upstream calls end after five attempts.", replaces=[old.id])
    others = [saved(request_context, f"The gateway of place {number} is old.").id for number in range(4)]
    reply = recall(request_context(), Recall(query="retries gateway"))
    assert (reply.memories, reply.total, reply.is_near) == ([], 0, is_near)
    assert [each.id for each in reply.unrelated] == [new.id, *others][: find.UNRELATED_MAX]
