"""A password that running text gives is found near its name, in a table and behind a login; words are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.secrets.running_text import NEAR, column, logins, near

STRONG = "Tr0ub4dor&3vT8"


@pytest.mark.parametrize("before", [" ", " for the printer: ", " of staging → ", ": "])
def test_what_can_be_nothing_but_a_password_is_found_near_its_name(before):
    ahead = f"{before}{STRONG} and then."
    assert [ahead[start:end] for start, end in near(ahead)] == [STRONG]


@pytest.mark.parametrize(
    "ahead", [" is asked for at every start", " rules. " + STRONG, "\n" + STRONG, " " * (NEAR + 9) + STRONG, ""]
)
def test_behind_a_sentence_a_line_or_too_far_off_nothing_is(ahead):
    assert list(near(ahead)) == []


def test_the_column_of_a_table_under_a_name_is_taken_and_no_other():
    text = f"| user | password |\n|---|---|\n| ada | {STRONG} |\n| bob | `{STRONG}x` |\n\nada | {STRONG}z |"
    start = text.index("password")
    end = start + len("password")
    assert [text[first:last] for first, last in column(text, start, end, says_it_all=False)] == [STRONG, f"{STRONG}x"]
    prose = text.replace("|---|---|", "none")
    assert list(column(prose, start, end, says_it_all=False)) == []


def test_what_people_make_up_is_taken_under_a_name_that_means_nothing_else():
    text = "| suite | password |\n|---|---|\n| smoke | girasol2girasol |\n| all | 12 of 14 tests |\n"
    place = text.index("password"), text.index("password") + len("password")
    assert [text[first:last] for first, last in column(text, *place, says_it_all=True)] == ["girasol2girasol"]
    assert list(column(text, *place, says_it_all=False)) == []


@pytest.mark.parametrize("text", [f"log in as ada / {STRONG}", f"creds: ada:{STRONG}"])
def test_a_login_gives_its_password(text):
    assert [text[span.start : span.end] for span in logins(text)] == [STRONG]


@pytest.mark.parametrize("text", ["log in as ada / example", "accounts/settings", "root: /var/lib/palimp", "signed in"])
def test_a_login_without_one_gives_nothing(text):
    assert list(logins(text)) == []


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200))
def test_whatever_the_text_is_places_are_in_it(text, start, end):
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    for first, last in [*near(text[end:]), *column(text, start, end, says_it_all=True)]:
        assert end <= end + first < end + last <= len(text)
    assert all(0 <= span.start < span.end <= len(text) for span in logins(text))
