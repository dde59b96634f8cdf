"""Secrets are taken out; what only looks like one stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.capture.redact import PatternError, redacted, use_patterns
from palimp_daemon.capture.secrets import PATTERNS

# Made of pieces, so that no scanner of repositories takes them for real ones.
SECRETS = {
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----",
    "aws-key": "AKIA" + "IOSFODNN7ABCDEFG",
    "github-token": "ghp_" + "a1B2" * 9,
    "gitlab-token": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "slack-token": "xoxb-" + "1234567890-abcdefghij",
    "slack-webhook": "https://hooks.slack.com/services/" + "T00000000/B00000000/abcdefgh",
    "anthropic-key": "sk-ant-" + "api03-abcdefghijklmnop1234",
    "openai-key": "sk-proj-" + "a1B2c3D4" * 5,
    "stripe-key": "sk_live_" + "a1B2c3D4e5F6g7H8",
    "google-key": "AIza" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R",
    "npm-token": "npm_" + "a1B2c3" * 6,
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" * 4,
    "huggingface-token": "hf_" + "a1B2c3D4" * 4,
    "sendgrid-key": "SG." + "a1B2c3D4e5F6g7H8" + "." + "a1B2c3D4e5F6g7H8",
    "twilio-key": "SK" + "0123456789abcdef" * 2,
    "digitalocean-token": "dop_v1_" + "0123456789abcdef" * 4,
    "telegram-token": "123456789:" + "AA" + "a1B2c3D4" * 4,
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
}


LOOK_ALIKES = {
    "private-key": "-----BEGIN " + "PUBLIC KEY-----\nMIIEpAIBAAKCAQEA\n-----END PUBLIC KEY-----",
    "aws-key": "AKIA is how their keys begin, as in AKIAEXAMPLE",
    "github-token": "ghp_short and ghp_" + "x" * 20,
    "gitlab-token": "the glpat-prefix of GitLab",
    "slack-token": "xoxb-1 and the xox family",
    "slack-webhook": "see https://hooks.slack.com/services/ in their docs",
    "anthropic-key": "keys begin with sk-ant-api03",
    "openai-key": "class sk-toggleable__control and sk-proj-x",
    "stripe-key": "sk_live_ or sk_test_ in front",
    "google-key": "AIza begins them",
    "npm-token": "npm_config_registry and npm_lifecycle_event",
    "pypi-token": "pypi-publish and pypi-attestations",
    "huggingface-token": "hf_hub_download(repo)",
    "sendgrid-key": "SG.DOLLAR and SG.x.y",
    "twilio-key": "SKU0123456789 and SK" + "xyz" * 11,
    "digitalocean-token": "dop_v1_ is their prefix",
    "telegram-token": "12:AA and 123456789:AB",
    "jwt": "eyJhbGciOi is how a header begins; a.b.c",
    "azure-key": "AccountKey=<from the portal> and sig=1",
    "url-password": "https://user@example.com and git@host:path/x",
    "bearer-token": "Bearer authentication is used; a bearer of news",
    "netrc-password": "the machine has a login and a password",
    "password": "password: str = Field(...)",
    "token": "token: Token | None",
}


@pytest.mark.parametrize(("kind", "text"), LOOK_ALIKES.items())
def test_what_looks_like_each_kind_stays(kind, text):
    assert redacted(text) == text


def test_every_kind_has_an_example_and_a_look_alike():
    named = {pattern.kind for pattern in PATTERNS}
    by_name = {"azure-key", "url-password", "bearer-token", "netrc-password", "password", "token"}
    assert set(LOOK_ALIKES) == named
    assert set(SECRETS) == named - by_name  # those are in `test_what_names_a_secret_stays_and_the_secret_goes`


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items())
def test_each_kind_is_found_wherever_it_stands(kind, secret):
    assert redacted(f"We call it with {secret} in tests.") == f"We call it with <redacted:{kind}> in tests."


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("DB_PASSWORD=hunter2!x", "DB_PASSWORD=<redacted:password>"),
        ('"client_secret": "keyboard cat"', '"client_secret": "<redacted:password>"'),
        ("password = 'tr0ub4dor'  # old", "password = '<redacted:password>'  # old"),
        ("The password is hunter2x, he said", "The password is <redacted:password> he said"),
        ("postgres://bob:s3cr3t@db:5432/x", "postgres://bob:<redacted:url-password>@db:5432/x"),
        ("redis://:bosco@localhost", "redis://:<redacted:url-password>@localhost"),
        ("Authorization: Bearer abcdef0123456789ABCDEF", "Authorization: Bearer <redacted:bearer-token>"),
        ("machine h login bob password hunter22", "machine h login bob password <redacted:netrc-password>"),
        ("AccountKey=" + "a1B2" * 10 + "==;x", "AccountKey=<redacted:azure-key>;x"),
        ("session_token: 9f8a7b6c5d4e3f2a1b0c", "session_token: <redacted:token>"),
        ("my password: Tr0ub4dor&3xyz#9, I think", "my password: <redacted:password>, I think"),
        ("DB_PASS=Secr3t12", "DB_PASS=<redacted:password>"),
        ("The password is Secr3t12.", "The password is <redacted:password>"),
        ("session_token: 9f8a7b6c5d4e3f2a1b0c.", "session_token: <redacted:token>"),
        ("SMTP_PASSWORD_2: Secr3t12", "SMTP_PASSWORD_2: <redacted:password>"),
        ("/?password=Secr3t12&user=bob", "/?password=<redacted:password>&user=bob"),
        ("password=Secr3t12;pwd=Other99x;x", "password=<redacted:password>;pwd=<redacted:password>"),
        ("pwd=Secr3t12&password=Other99x", "pwd=<redacted:password>&password=<redacted:password>"),
        ("f(password='Secr3t12',user)", "f(password='<redacted:password>',user)"),
        ("f(password=Secr3t12,g(1))", "f(password=<redacted:password>(1))"),
    ],
)
def test_what_names_a_secret_stays_and_the_secret_goes(text, clean):
    assert redacted(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "password: str",
        "password = os.environ['DB_PASSWORD']",
        "api_key = get_key()",
        "api_key=settings.api_key,",
        'password = "<your password>"',
        "password=${DB_PASSWORD}",
        "secret = None",
        "max_tokens = 4096",
        "sort_key = lambda row: row.name",
        "primary_key=True",
        "the token is used twice",
        "routing_key: default",
        "let token = crypto_random_string::<24>();",
        "postgres://${USER}:${PASS}@host/db",
        "https://example.com:8080/path",
        "commit 4ec7d2a0d8ea3b36bef2e616aaaa0123456789ab",
        "sk-learn is not scikit",
        "Invalid username or password",
        "key: value",
        "token_count: 200000",
        "password = decode(abc123)",
        "first_pass = run(1)",
        "The password is settings.value1.",
        "two_pass: bool, bypass=x",
    ],
)
def test_what_only_looks_like_one_stays(text):
    assert redacted(text) == text


def test_what_is_marked_as_private_is_dropped():
    assert redacted("a <private>b\nc</private> d <PRIVATE>e") == "a  d "


def test_cleaning_twice_changes_nothing():
    text = "\n".join([*SECRETS.values(), "password = hunter2!x", "https://a:b1c2d3@e"])
    assert redacted(redacted(text)) == redacted(text)


@given(st.text())
def test_any_text_can_be_cleaned(text):
    assert isinstance(redacted(text), str)


@pytest.fixture
def own_patterns():
    """Sets the user's own patterns for one test."""
    yield use_patterns
    use_patterns(())


def test_the_users_own_patterns_are_taken_out_too(own_patterns):
    own_patterns(["ACME-[0-9]{4}", r"(?i)\bproject zebra\b"])
    assert redacted("ticket ACME-1234 of Project Zebra") == "ticket <redacted:own> of <redacted:own>"


@pytest.mark.parametrize("pattern", ["(", "a*", r"(?=x)"])
def test_a_pattern_that_cannot_work_is_refused_by_name(own_patterns, pattern):
    with pytest.raises(PatternError) as refused:
        own_patterns([pattern])
    assert repr(pattern) in str(refused.value)
