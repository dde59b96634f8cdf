"""Passwords in addresses, and addresses that are secret themselves."""

import pytest
from marked_secrets import wrongly_redacted

CASES = {
    "A password goes up to the last host that may follow it.": r"""
        postgres://ada:‹url-password:sonnen@blume›@db:5432/x
        postgres://ada:‹url-password:sonnen/blume›@db/x
        postgres://ada:‹url-password:sonnen?blume›@db/x
        redis://:‹url-password:sonnenblume›@host
        redis://ada:‹url-password:b#c?d›@host/x
        https://ada:‹url-password:sonnen@blume›@host/x@y
        HTTPS://ada:‹url-password:sonnen@blume›@host/a@b
        https://host:‹url-password:sonnen/blume›@y.z/w
        postgres://ada:‹url-password:sonnenblume/@mohn›@db/x
        jdbc:oracle:thin:ada/‹url-password:sonnenblume›@host
    """,
    "A port, a path and a query are none.": r"""
        https://host:8080/x@y
        https://host/x@y:z
        redis://host?x=a:b@c
        redis://ada:sonnen?x=1@host
        redis://ada:b#c?mail=x@host/y
        redis://ada:‹url-password:sonnenblume›@host/?mail=x@y
    """,
    "A user alone is one that was drawn by chance, or an id.": r"""
        https://‹url-password:550e8400-e29b-41d4-a716-446655440000›@host/1
        https://‹url-password:Xk29fQ7mLp4ZtR8vWn3c›@sentry.io/1
        https://sonnenblume@host/1
    """,
    "What stands for a password is none.": r"""
        https://ada:***@host
        https://ada:xxx@host
        https://ada:x.x.x@host
        https://ada:$PASS@host
        https://ada:{p}@host
        https://ada:%s@host
        jdbc:oracle:thin:ada/${PASS}@host
    """,
    "The address of a hook is secret from its first part that was drawn.": r"""
        https://hooks.x.com/services/T0/B0/‹webhook:Xk29fQ7mLp4ZtR8vWn3c›
        http://hooks.x.com/services/‹webhook:Xk29fQ7mLp4ZtR8vWn3c/and/more›?x=y
        https://hooks.x.com/run?sig=‹webhook:Xk29fQ7mLp4ZtR8vWn3c›&x=1
        https://hooks.x.com/run?a=‹webhook:b=Xk29fQ7mLp4ZtR8vWn3c›
        https://hooks.x.com/‹webhook:3f2a9b4c5d6e7f8091a2›.
        https://x.com/webhook/a,https://y.com/webhook/‹webhook:Xk29fQ7mLp4ZtR8vWn3c›
        https://x.com/webhook/a https://y.com/webhook/‹webhook:Xk29fQ7mLp4ZtR8vWn3c›
        https://hooks.x.com/commits/3f2a9b4c5d6e7f8091a2
        https://x.com/a/Xk29fQ7mLp4ZtR8vWn3c
        ftp://hooks.x.com/Xk29fQ7mLp4ZtR8vWn3c https://hooks.x.com/‹webhook:Xk29fQ7mLp4ZtR8vWn3c›
    """,
}


@pytest.mark.parametrize("why", CASES)
def test_what_an_address_gives_goes_and_nothing_else(why: str):
    assert wrongly_redacted(CASES[why]) == []
