"""What a digest is made of."""

import itertools

from request_contexts import RequestContexts

from palimp_daemon.features.memories.digest_material import Line, material
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import Store
from palimp_protocol.messages.memory_messages import SaveMemory


def lines_of(request_context: RequestContexts, store: Store) -> list[Line]:
    found = material(request_context().caller, 0, 2**62, store)
    assert found is not None
    return [line for section in found.sections for line in section.lines]


def test_what_likely_was_replaced_is_listed_with_what_likely_replaces_it(
    request_context: RequestContexts, store: Store
):
    """Nobody said so, so it is not left out; of rules nothing is inferred."""
    texts = ("Velero backup of each cluster every 6 hours, kept 14 days.", "Velero backup of each cluster every day.")
    for text in texts:
        save_memory(request_context(session=text), SaveMemory(text=text, kind="decision"))
        save_memory(request_context(session=text), SaveMemory(text=f"Always: {text}", kind="preference"))
        request_context.minutes = itertools.count(60 * 24 * 90)

    decisions, rules = (
        [line for line in lines_of(request_context, store) if line.title.startswith(beginning)]
        for beginning in ("Velero", "Always")
    )

    newer, older = decisions
    assert older.qualified == f"likely replaced by {newer.id}"
    assert (newer.qualified, *(rule.qualified for rule in rules)) == ("", "", "")
