"""Who comes in to the page: each part of a request alone is enough to be refused."""

import pytest

from palimp_daemon.web.browser_sessions import BrowserSessions, cookie_values
from palimp_daemon.web.page_entry import FORM_TYPE, POLICY, Knock, refusal

PORT = 8430
HERE = f"127.0.0.1:{PORT}"
READS = Knock("GET", "/p/x/", [HERE], [], ["same-origin"], ["document"], [])
CHANGES = Knock("POST", "/p/x/undo", [HERE], [f"http://{HERE}"], ["same-origin"], ["document"], [], [FORM_TYPE], "t")
ENTERS = Knock("GET", "/in/abc", [HERE], [], ["none"], ["document"], [])

EVERYWHERE = [
    ("hosts", []),
    ("hosts", [HERE, HERE]),
    ("hosts", ["127.0.0.1"]),
    ("hosts", [f"localhost:{PORT}"]),
    ("hosts", [f"evil.example:{PORT}"]),
    ("hosts", [f"127.0.0.1:{PORT + 1}"]),
    ("hosts", [f"{HERE}.evil.example"]),
    ("origins", ["http://evil.example"]),
    ("origins", ["null"]),
    ("origins", [f"http://127.0.0.1:{PORT + 1}"]),
    ("origins", [f"https://{HERE}"]),
    ("origins", [f"http://{HERE}", f"http://{HERE}"]),
    ("sites", []),
    ("sites", ["cross-site"]),
    ("sites", ["same-site"]),
    ("sites", ["same-origin", "none"]),
    ("destinations", ["iframe"]),
    ("destinations", ["object"]),
    ("destinations", ["serviceworker"]),
    ("purposes", ["prefetch"]),
    ("method", "PUT"),
    ("method", "OPTIONS"),
]


@pytest.mark.parametrize("knock", [READS, CHANGES, ENTERS])
@pytest.mark.parametrize(("part", "value"), EVERYWHERE)
def test_one_wrong_part_is_enough_to_be_refused(knock: Knock, part: str, value: object):
    assert refusal(knock, PORT, "t") is None
    assert refusal(knock._replace(**{part: value}), PORT, "t") is not None


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("origins", []),
        ("sites", ["none"]),
        ("content_types", []),
        ("content_types", ["application/json"]),
        ("content_types", ["text/plain"]),
        ("form_token", ""),
        ("form_token", "T"),
        ("form_token", "té"),
    ],
)
def test_a_change_needs_a_form_of_the_session(part: str, value: object):
    assert refusal(CHANGES._replace(**{part: value}), PORT, "t") is not None


def test_without_a_session_only_a_token_s_address_is_answered():
    for knock in (READS, CHANGES):
        assert refusal(knock, PORT, None) is not None
    assert refusal(ENTERS, PORT, None) is None


def test_a_token_s_address_is_no_link_of_a_page_and_no_form():
    """Whoever could have it asked for by a link would have it spent."""
    for part, value in (("sites", ["same-origin"]), ("method", "POST"), ("method", "HEAD")):
        assert refusal(ENTERS._replace(**{part: value}), PORT, "t") is not None


def test_a_typed_address_is_answered():
    assert refusal(READS._replace(sites=["none"]), PORT, "t") is None


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere():
    assert "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY
    given = {name: value for name, _, value in (part.partition(" ") for part in POLICY.split("; "))}
    assert {given[f"{name}-src"] for name in ("script", "style", "img", "connect")} == {"'self'"}
    assert not any(word in POLICY for word in ("unsafe", "http", "data:", "*", "nonce"))


def test_another_port_s_cookie_of_the_same_name_keeps_nobody_out():
    """Cookies of 127.0.0.1 are every port's to set."""
    sessions = BrowserSessions()
    secret, session = sessions.open("")

    given = cookie_values([f"a=1; palimp_page_1=tossed; palimp_page_1={secret}"], "palimp_page_1")

    assert sessions.of(given) is session
    assert sessions.of(["tossed", ""]) is None
