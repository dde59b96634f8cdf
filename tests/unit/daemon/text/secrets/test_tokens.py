"""Vendors' tokens by their form, and where one may stand."""

import pytest
from marked_secrets import wrongly_redacted

GITHUB = "ghp_" + "a1B2" * 9
DRAWN = "Xk29fQ7mLp4ZtR8vWn3cYb5dGh6jKs1qTe0uIoPa"

CASES = {
    "It begins a word.": f"""
        ‹github-token:{GITHUB}›
        é‹github-token:{GITHUB}›
        -‹github-token:{GITHUB}›
        x{GITHUB}
        X{GITHUB}
        7{GITHUB}
        _{GITHUB}
        é_{GITHUB}
    """,
    "One behind the other, also where the first only begins so.": f"""
        ‹github-token:{GITHUB}›,‹github-token:{GITHUB}›
        ghp_short and ‹github-token:{GITHUB}›
        glpat-{GITHUB[:9]} and ‹github-token:{GITHUB}›
    """,
    "One of no known vendor has much that was drawn behind a prefix.": f"""
        ‹api-key:acme_{DRAWN}›
        ‹api-key:acme-prod_{DRAWN}› and ‹api-key:acme_live_{DRAWN}›
        sha256_{DRAWN}
        Acme_{DRAWN[:39]}
        acme_{DRAWN[:39]}
        acme_{"3f2a9b4c5d" * 4}
        acme_{"3F2A9B4C5D" * 4}
        acme_{"aSonnenBlumeInEinemFeldVollerMohnUndKleeX"}
    """,
}


@pytest.mark.parametrize("why", CASES)
def test_a_token_goes_and_what_only_begins_as_one_stays(why: str):
    assert wrongly_redacted(CASES[why]) == []
