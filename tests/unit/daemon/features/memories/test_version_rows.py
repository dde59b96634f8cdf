"""What was replaced stands under what replaced it."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.memories.version_rows import FOLDED_MAX, newest_by_links, rows_with_links
from palimp_daemon.store.tables.memory_links import MemoryLink


def link(newer: int, older: int, relation: str = "replaces", said_by: str = "user") -> MemoryLink:
    return MemoryLink(newer * 100 + older, newer, older, relation, said_by, "", newer)  # pyright: ignore[reportArgumentType]


def test_what_holds_takes_the_place_of_what_it_replaced() -> None:
    rows = rows_with_links([1, 9], {1: 2, 9: 9}, [link(2, 1)])
    assert [row.seq for row in rows] == [2, 9]
    assert [each.older for each in rows[0].links] == [1]
    assert rows[1].links == ()


def test_of_the_present_the_first_row_alone_tells_its_history() -> None:
    links, holding = [link(2, 1), link(4, 3)], {1: 2, 3: 4}
    assert [[each.older for each in row.links] for row in rows_with_links([1, 3], holding, links)] == [[1], []]
    told = rows_with_links([1, 3], holding, links, tells_all=True)
    assert [[each.older for each in row.links] for row in told] == [[1], [3]]


def test_each_memory_has_one_row() -> None:
    assert [row.seq for row in rows_with_links([2, 1], {1: 2, 2: 2}, [link(2, 1)])] == [2]


def test_what_was_not_found_is_told_only_on_demand() -> None:
    found = rows_with_links([2], {2: 2}, [link(2, 1)])
    assert found[0].links == ()
    assert [each.older for each in rows_with_links([2], {2: 2}, [link(2, 1)], tells_all=True)[0].links] == [1]


def test_who_asks_for_the_past_gets_every_row_as_it_was_found() -> None:
    rows = rows_with_links([1, 2], {1: 2, 2: 2}, [link(2, 1)], of_the_past=True)
    assert [row.seq for row in rows] == [1, 2]
    assert [each.newer for each in rows[0].links] == [2]


def test_a_chain_is_told_newest_first_and_cut() -> None:
    links = [link(number + 1, number) for number in range(1, 9)]
    [row] = rows_with_links([9], {9: 9}, links, tells_all=True)
    assert [each.older for each in row.links] == [8, 7, 6][:FOLDED_MAX]


def test_what_was_inferred_folds_nothing() -> None:
    assert newest_by_links([link(2, 1, said_by="inferred")]) == {}


def test_what_narrows_keeps_its_row_and_is_told() -> None:
    rows = rows_with_links([1], {1: 1}, [link(2, 1, "narrows")])
    assert [row.seq for row in rows] == [1]
    assert [each.newer for each in rows[0].links] == [2]


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)).map(lambda pair: link(*pair)), max_size=12))
def test_links_in_a_circle_end_somewhere(links: list[MemoryLink]) -> None:
    holding = newest_by_links(links)
    rows = rows_with_links(range(1, 9), holding, links)
    assert len({row.seq for row in rows}) == len(rows)
