"""A password that running text gives is found near its name, in a table and behind a login; words are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_secrets import wrongly_redacted

from palimp_daemon.text.secrets.running_text import NEAR, column, logins, near

STRONG = "Tr0ub4dor&3vT8"

CASES = {
    "Behind a login stands a password that was drawn, or made up with capitals and signs.": r"""
        login ada / ‹password:Girasol77›
        log in as ada / ‹password:Girasol77!›
        log in as ada / girasol77
        login: ada / Girasol77girasol
        login ada/‹password:Xk29fQ7mLp4Z!›
        login ada/‹password:Xk29fQ7mLp4Z›.
        login ada/‹password:Xk29fQ7mLp4Z›: next
    """,
    "Behind ssh it may stand some words further on.": r"""
        ssh ada@host with ‹password:Xk29fQ7mLp4Z›
        ssh ada@host ‹password:Girasol77›
        ssh ada@host, or else: ‹password:girasol77girasol›
        login at host with Xk29fQ7mLp4Z
    """,
    "The sentence of a name gives its value, and the next one does not.": r"""
        The password of the printer in the hall: ‹password:Xk29fQ7mLp4Z›.
        The password is kept. Xk29fQ7mLp4Z is a branch
        The password is kept! Xk29fQ7mLp4Z is a branch
        The password?\nXk29fQ7mLp4Z is a branch
        The password is for all of the printers in all of the halls below Xk29fQ7mLp4Z
    """,
    "What somebody made up is told by the word before it, and by what the name says.": r"""
        The password was changed to ‹password:Girasol77›
        The password was changed to ‹password:Girasol77›.
        The password was changed to girasol77
        The secret was changed to Girasol77
        the password now ‹password:Girasol77›, not Sonnenblume88
        The password manager is Girasol-7.1.77
        The password meter on the form was Girasol-7.12
        The password is ‹password:Girasol-7.1.77›
        The password for the printer: ‹password:girasol77girasol›
        The password for the printer: ‹password:girasol77girasol›.
        The password rules for the printer: girasol77girasol
        The secret for the printer: girasol77girasol
        The secret for the printer → ‹password:zimaXKFLfNDH›
    """,
    "Right behind the name an id goes, too.": r"""
        password ‹password:Girasol77!›
        password ‹password:550e8400-e29b-41d4-a716-446655440000›
        password ‹password:550e8400-e29b-41d4-a716-446655440000›.
        the password that he uses 550e8400-e29b-41d4-a716-446655440000
        secret Girasol77!
        password `‹password:Xk29fQ7mLp4Z›`, and
        password for it ‹password:Xk29fQ7mLp4Z!›
        password for it *_‹password:Xk29fQ7mLp4Z›
    """,
    "Under a head of a table with a rule all rows have it.": r"""
        | user | password |\n|---|---|\n| ada | ‹password:girasol77girasol› |\n| bob | `‹password:sonnenblume88›` |
        | password | user |\n|---|---|\n| ‹password:girasol77girasol› | sonnenblume88 |\n| ‹password:mohn2mohn› | bob |
        | user | secret |\n|---|---|\n| ada | girasol77girasol |\n| bob | ‹password:Xk29fQ7mLp4Z› |
        | a table | of it |\n\n| user | password |\n| --- | --- |\n| ada | ‹password:Ab!de?gh› |
        user | password\n--- | ---\nada | ‹password:girasol77girasol›
        password |\n---|\n‹password:girasol77girasol›|
        | girasol77girasol | password |\n|---|---|\n| girasol77girasol | ‹password:girasol77girasol› |
        | user | password |\n|---|---|\n|  |  |\n| ada | ‹password:girasol77girasol› |\n\n| girasol | pferdestall88 |
        | user | password |\n| ada | girasol77girasol |
        | password |\n| --- x |\n| girasol77girasol |
        | password |\n| -- |\n| girasol77girasol |
        The password\n---\ngirasol77girasol
        The password of it |\n---|\ngirasol77girasol|
    """,
}


@pytest.mark.parametrize("why", CASES)
def test_what_running_text_gives_goes_and_nothing_else(why):
    assert wrongly_redacted(CASES[why]) == []


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
