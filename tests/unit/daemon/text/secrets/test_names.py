"""Names in several languages, and the words in and around one that make it secret or another thing."""

import pytest
from marked_secrets import wrongly_redacted

CASES = {
    "Other languages have a word for it, to which they add a few letters.": r"""
        lösenordet: ‹password:sonnenblume7›
        parolası: ‹password:sonnenblume7›
        passwörtern: ‹password:sonnenblume7›
        senhaxxxxx: sonnenblume7
        api-schlüsseln: ‹token:550e8400-e29b-41d4-a716-446655440000›
    """,
    "A word may end in it, unless it is too long for a name.": r"""
        mysqlpasswordsecret: ‹password:sonnenblume7›
        averyveryveryverylongpassword: sonnenblume7
        githubauthtoken: ‹token:550e8400-e29b-41d4-a716-446655440000›
        githubtoken: 550e8400-e29b-41d4-a716-446655440000
        x_apikey: ‹token:550e8400-e29b-41d4-a716-446655440000›
    """,
    "The last word before a key says that it is another, and the last two that it is secret.": r"""
        the api key: ‹token:550e8400-e29b-41d4-a716-446655440000›
        api of key: ‹token:550e8400-e29b-41d4-a716-446655440000›
        api of some key: 550e8400-e29b-41d4-a716-446655440000
        the primary key: 550e8400-e29b-41d4-a716-446655440000
        of primary api key: ‹token:550e8400-e29b-41d4-a716-446655440000›
        session token: ‹token:550e8400-e29b-41d4-a716-446655440000›
        session seed: 550e8400-e29b-41d4-a716-446655440000
    """,
    "A word that tells something of a secret is in no name of one.": r"""
        password_min_length: sonnenblume7
        passwordHint: sonnenblume7
        secretName: sonnenblume7
        sort_key: Xk29fQ7mLp4ZtR8vWn3c
    """,
    "A recovery phrase and its like are passwords, in the plural as well.": r"""
        recovery code: ‹password:sonnenblume7›
        backup codes: ‹password:sonnenblume7›
        IDENTIFIED BY '‹password:sonnenblume›'
    """,
}


@pytest.mark.parametrize("why", CASES)
def test_what_such_a_name_gives_goes_and_nothing_else(why: str):
    assert wrongly_redacted(CASES[why]) == []
