"""What is looked up before an action: what names it, and nothing that holds no more, waits or was told."""

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.acting import as_told, known_before
from palimp_daemon.features.sessions.actions import action_of
from palimp_daemon.store.tables.memory_rows import shown_id
from palimp_daemon.store.tables.mutes import mute, unmute
from palimp_daemon.store.tables.proposals import confirm, propose
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

RULE = "Never edit `cart/ttl.py` by hand: it is generated."


def saved(request_context, text: str, **more) -> str:
    return save_memory(request_context(), SaveMemory(text=text, **more)).id


def told(request_context, *before: int) -> list[str]:
    context = request_context(session="another")
    action = action_of("Edit", {"file_path": "/work/one/cart/ttl.py"}, ["/work/one"])
    assert action is not None
    found = known_before(context.caller, action, context.now_ms, set(before), (), context.store)
    return [shown_id(fit.row) for fit in found.fits]


def test_what_of_an_action_each_memory_names_goes_with_it(request_context):
    saved(request_context, RULE, kind="correction")
    saved(request_context, "Everything in `cart/` is tested with `pytest cart -x`, always.", kind="correction")
    context = request_context(session="another")

    def names(tool: str, **given: str) -> tuple[str, ...]:
        action = action_of(tool, given, ["/work/one"])
        assert action is not None
        known = known_before(context.caller, action, context.now_ms, set(), (), context.store)
        told = as_told(known)
        return tuple(name for _, name in told.memories) if told else ()

    assert names("Edit", file_path="/work/one/cart/ttl.py") == ("cart/ttl.py", "cart/")
    assert names("Bash", command="pytest cart -x") == ("pytest cart",)


def number_of(request_context, memory_id: str) -> int:
    [(seq,)] = (
        request_context()
        .store.connection.execute("SELECT seq FROM memories WHERE id LIKE ?", (f"{memory_id}%",))
        .fetchall()
    )
    return seq


def test_what_names_a_file_is_known_before_an_edit_of_it(request_context):
    rule = saved(request_context, RULE, kind="correction")
    saved(request_context, "The cart is emptied at night.")
    assert told(request_context) == [rule]
    assert told(request_context, number_of(request_context, rule)) == []


def test_what_was_replaced_or_purged_is_not_told(request_context):
    old = saved(request_context, RULE, kind="correction")
    new = saved(request_context, "`cart/ttl.py` may be edited again.", kind="correction", replaces=[old])
    assert told(request_context) == [new]
    recall(request_context(), Recall(action="purge", id=new))
    assert new not in told(request_context)


def test_a_proposal_is_not_told_until_somebody_confirmed_it(request_context):
    rule = saved(request_context, RULE, kind="correction")
    number = number_of(request_context, rule)
    propose(request_context().store, number, 0)
    assert told(request_context) == []
    confirm(request_context().store, [number])
    assert told(request_context) == [rule]


def test_what_is_muted_is_not_told(request_context):
    rule = saved(request_context, RULE, kind="correction")
    number = number_of(request_context, rule)
    mute(request_context().store, [number], 0)
    assert told(request_context) == []
    unmute(request_context().store, [number])
    assert told(request_context) == [rule]
