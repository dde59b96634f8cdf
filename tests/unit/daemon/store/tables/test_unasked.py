"""What a session may be told without asking: nothing that was purged or replaced, or that likely holds no more."""

import itertools

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import rows_by_seq
from palimp_daemon.store.tables.mutes import mute
from palimp_daemon.store.tables.proposals import propose
from palimp_daemon.store.tables.unasked import UNASKED, replaced_among, unasked_selection, withheld_among
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


def test_what_was_purged_or_replaced_is_told_to_nobody_unasked(request_context: RequestContexts, store: Store):
    purged, old = (save_memory(request_context(), SaveMemory(text=text)).id for text in ("One.", "Two."))
    recall(request_context(), Recall(id=purged, action="purge"))
    save_memory(request_context(), SaveMemory(text="Three.", replaces=[old]))

    found, count = memory_rows.newest(store, unasked_selection([1]), 9)

    assert [row.content for row in found] == ["Three."]
    assert count == 1


def test_what_is_muted_or_waits_is_told_to_nobody_unasked_and_not_counted(
    request_context: RequestContexts, store: Store
):
    """One that is both is counted once."""
    for number in range(5):
        save_memory(request_context(), SaveMemory(text=f"Number {number}.", kind="note" if number else "decision"))
    mute(store, [2, 3], 5)
    propose(store, 3, 5)
    propose(store, 4, 5)

    found, count = memory_rows.newest(store, unasked_selection([1]), 9)
    assert ([row.seq for row in found], count) == ([5, 1], 2)
    found, count = memory_rows.newest(store, unasked_selection([1], ["note"]), 9)
    assert ([row.seq for row in found], count) == ([5], 1)
    assert withheld_among(store, [1, 2, 3, 4, 5]) == {2, 3, 4}
    assert memory_rows.fitting(store, [1, 2, 3, 4, 5], UNASKED) == {1, 5}


def test_of_texts_on_one_subject_the_newest_holds_in_any_script(request_context: RequestContexts, store: Store):
    texts = [
        "原始文件在存储桶里保留三十天，然后删除。",
        "Срок хранения исходных файлов в корзине: тридцать дней, потом удаляются.",
        "Retries of upstream calls end after three attempts.",
    ]
    for text in texts:
        save_memory(request_context(), SaveMemory(text=text))
    request_context.minutes = itertools.count(60 * 24 * 90)
    save_memory(request_context(session="later"), SaveMemory(text="原始文件在存储桶里保留九十天，财务需要。"))
    save_memory(
        request_context(), SaveMemory(text="Срок хранения исходных файлов в корзине: девяносто дней для финансов.")
    )

    assert replaced_among(store, rows_by_seq(store, [1, 2, 3, 4, 5])) == {1: 4, 2: 5}


@pytest.mark.parametrize(("beginning", "left_out"), [("", {1: 2}), ("Staging only: ", {}), ("Nur für Tests: ", {})])
def test_an_exception_leaves_out_no_older_memory(
    request_context: RequestContexts, store: Store, beginning: str, left_out: dict[int, int]
):
    save_memory(request_context(), SaveMemory(text="Velero backup of each cluster every 6 hours, kept 14 days."))
    request_context.minutes = itertools.count(60 * 24 * 90)
    newer = f"{beginning}Velero backup of each cluster every day, kept 3 days."
    save_memory(request_context(session="later"), SaveMemory(text=newer))

    assert replaced_among(store, rows_by_seq(store, [1, 2])) == left_out


@pytest.mark.parametrize(
    ("older", "is_left_out"),
    [
        ("Berths are booked in Oakhook and paid on arrival, and a list is printed each morning.", True),
        ("The harbour has 4 cranes and 2 quays, and berths are booked in Oakhook.", False),
    ],
)
def test_what_begins_with_a_name_that_is_gone_is_told_by_what_says_so(
    request_context: RequestContexts, store: Store, older: str, is_left_out: bool
):
    for number, text in enumerate((older, "Oakhook is gone and Mooringo has taken its place; it lost bookings.")):
        save_memory(request_context(session=f"s{number}"), SaveMemory(text=text, kind="decision"))
    assert replaced_among(store, rows_by_seq(store, [1, 2])) == ({1: 2} if is_left_out else {})


def left_out(request_context: RequestContexts, store: Store, *memories: tuple[str, str]) -> dict[int, int]:
    """Return which of *memories* (kind and text), saved a month apart, a start leaves out, each with its successor."""
    for number, (kind, text) in enumerate(memories):
        request_context.minutes = itertools.count(60 * 24 * 30 * (number + 1))
        save_memory(request_context(session=f"s{number}"), SaveMemory(text=text, kind=kind))
    return replaced_among(store, rows_by_seq(store, range(1, len(memories) + 1)))


@pytest.mark.parametrize(
    ("kind", "beginning", "is_left_out"),
    [("fix", "", False), ("fix", "No longer: ", True), ("decision", "", True), ("finding", "", True)],
)
def test_a_repair_leaves_out_no_decision_unless_it_says_so(
    request_context: RequestContexts, store: Store, kind: str, beginning: str, is_left_out: bool
):
    """What broke in a thing is no word against the thing."""
    older = ("decision", "Ferry tickets are printed on the thermal printer at gate 3.")
    newer = (kind, f"{beginning}Ferry tickets were printed twice on the thermal printer at gate 3.")
    assert left_out(request_context, store, older, newer) == ({1: 2} if is_left_out else {})


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        (
            "Ferry deck lamps are dimmed to 20 percent at night.",
            "Ferry deck lamps are dimmed to 45 percent in the night watch.",
            "Ferry deck lamps are dimmed to 20 percent at night again.",
        ),
        (
            "Decklampen der Fähre leuchten nachts mit 20 Prozent.",
            "Decklampen der Fähre leuchten nachts mit 45 Prozent Helligkeit.",
            "Decklampen der Fähre leuchten nachts wieder mit 20 Prozent.",
        ),
    ],
)
def test_what_was_in_between_is_left_out_where_a_former_state_holds_again(
    request_context: RequestContexts, store: Store, first: str, second: str, third: str
):
    """Besides the former memory, which is the likeliest to be meant."""
    found = left_out(request_context, store, *(("finding", text) for text in (first, second, third)))
    assert found.keys() == {1, 2}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Cargo ferries must be empty by 07:00.", "Passenger ferries must be empty by 09:00."),
        ("The cleaning of cabins ends at 7 and is logged.", "The cleaning of kitchens ends at 9 and is logged."),
        ("Die Reinigung der Kabinen endet abends um 7.", "Die Reinigung der Küchen endet abends um 9."),
    ],
)
def test_of_two_subjects_of_one_kind_both_are_told(
    request_context: RequestContexts, store: Store, older: str, newer: str
):
    assert left_out(request_context, store, ("finding", older), ("finding", newer)) == {}
    again = newer.replace("Passenger", "Cargo").replace("kitchens", "cabins").replace("Küchen", "Kabinen")
    request_context.minutes = itertools.count(60 * 24 * 200)
    save_memory(request_context(session="later"), SaveMemory(text=again, kind="finding"))
    assert 1 in replaced_among(store, rows_by_seq(store, [1, 2, 3]))
