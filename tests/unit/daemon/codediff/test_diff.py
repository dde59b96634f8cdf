"""What a change took out and put in."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.codediff.diff import (
    HUNK_LINES_MAX,
    Hunk,
    clean_hunk,
    hunks_between,
    only_gone,
    takes_out,
    without_moves,
)

OLD = "import os\n\ndef first():\n    return load(1)\n\ndef second():\n    return load(2)\n"


def changed(old: str, new: str) -> list[Hunk]:
    return without_moves(hunks_between("a.py", old, new))


def test_a_removed_function_is_one_hunk_with_its_place():
    [hunk] = changed(OLD, OLD[: OLD.index("def second")])
    assert (hunk.line, hunk.removed, hunk.added) == (6, ("def second():", "    return load(2)"), ())
    assert takes_out(hunk)


def test_a_line_that_was_only_indented_or_requoted_is_in_no_hunk():
    assert changed('call("a")\n', "    call('a'),\n") == []


def test_a_line_that_the_change_adds_elsewhere_was_moved():
    moved = "def second():\n    return load(2)\n\nimport os\n\ndef first():\n    return load(1)\n"
    assert not any(takes_out(hunk) for hunk in changed(OLD, moved))


def test_each_added_line_accounts_for_one_removed_line():
    hunks = changed(
        "call_it(now)\nkeep(1)\ncall_it(now)\n", "keep(1)\nkeep(2)\nkeep(3)\nkeep(4)\nkeep(5)\ncall_it(now)\n"
    )
    assert sum(len(hunk.gone) for hunk in hunks) == 1


def test_a_statement_that_was_wrapped_is_no_removal():
    assert changed("result = call(first, second)\n", "result = call(\n    first,\n    second,\n)\n") == []


def test_changes_that_are_near_one_another_are_one_hunk():
    old = "\n".join(f"line_number({n})" for n in range(20))
    near = old.replace("line_number(3)", "other(3)").replace("line_number(5)", "other(5)")
    far = old.replace("line_number(3)", "other(3)").replace("line_number(15)", "other(15)")
    assert len(changed(old, near)) == 1
    assert len(changed(old, far)) == 2


def test_a_long_hunk_continues_in_the_next():
    old = "\n".join(f"line_number({n})" for n in range(HUNK_LINES_MAX + 50))
    assert [len(hunk.removed) for hunk in changed(old, "")] == [HUNK_LINES_MAX, 50]


def test_long_texts_are_told_apart_without_aligning_them():
    old = "\n".join(f"line_number({n})" for n in range(3000))
    new = "\n".join(f"line_number({n})" for n in range(3000, 0, -1) if n != 1500)
    assert [line for hunk in changed(old, new) for line in hunk.gone] == ["line_number(0)", "line_number(1500)"]


def test_a_side_that_cleaning_makes_shorter_has_no_moves_any_more():
    hunk = Hunk("a.py", 1, ("secret", "of two lines"), (), (True, False))
    assert clean_hunk(hunk, lambda _: "gone").is_moved == (False,)


def test_of_a_commit_only_the_lines_that_are_gone_are_kept():
    hunk = Hunk("a.py", 1, ("one()", "", "two()"), ("three()",), (False, True, True))
    assert only_gone(hunk).removed == ("one()",)
    assert only_gone(hunk).added == ()


texts = st.lists(st.sampled_from(["a()", "b()", "  c()", "", "}", "d(1)", "e('x')"]), max_size=12).map("\n".join)


@given(texts, texts)
def test_what_is_removed_was_there_and_what_is_added_is_there(old, new):
    for hunk in hunks_between("a.py", old, new):
        assert set(hunk.removed) <= set(old.splitlines())
        assert set(hunk.added) <= set(new.splitlines())


@given(texts)
def test_a_text_does_not_differ_from_itself(text):
    assert hunks_between("a.py", text, text) == []
