"""Secrets are redacted; what only looks like one stays."""

import importlib.util
import re
import string
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lanes import IS_QUICK

from palimp_daemon.text.redact import PatternError, Redactor
from palimp_daemon.text.secrets.detect import DETECTORS, may_hold_secrets
from palimp_daemon.text.secrets.names import KEYS, PASSWORDS
from palimp_daemon.text.secrets.tokens import FORMS, Form
from palimp_daemon.text.secrets.values import stands_for_something
from palimp_protocol.private_marks import without_private

_SPEC = importlib.util.spec_from_file_location(
    "lists_of_secrets", Path(__file__).parents[4] / "benchmarks" / "secrets.py"
)
assert _SPEC
assert _SPEC.loader
lists = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(lists)

redacted = Redactor()
BASE64 = string.ascii_letters + string.digits + "+/"
NAMES = "|".join(map(re.escape, [*PASSWORDS, *KEYS, "pass", "pw", "psk", "secret", "token", "key", "phrase", "pin"]))
GROWTH_MAX = 8
"""Times what it was that a text may become: `<redacted:url-password>` in the place of one character of `a://:x@b`."""


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


def test_what_looks_like_each_kind_stays():
    assert {kind: redacted(text) for kind, text in LOOK_ALIKES.items()} == LOOK_ALIKES


def test_each_kind_is_found_wherever_it_stands():
    found = {kind: redacted(f"We call it with {secret} in tests.") for kind, secret in SECRETS.items()}
    assert found == {kind: f"We call it with <redacted:{kind}> in tests." for kind in SECRETS}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("DB_PASSWORD=hunter2!x", "DB_PASSWORD=<redacted:password>"),
        ('"client_secret": "keyboard cat"', '"client_secret": "<redacted:password>"'),
        ("password = 'tr0ub4dor'  # old", "password = '<redacted:password>'  # old"),
        ("The password is hunter2x, he said", "The password is <redacted:password>, he said"),
        ("postgres://bob:s3cr3t@db:5432/x", "postgres://bob:<redacted:url-password>@db:5432/x"),
        ("redis://:bosco@localhost", "redis://:<redacted:url-password>@localhost"),
        ("Authorization: Bearer abcdef0123456789ABCDEF", "Authorization: Bearer <redacted:bearer-token>"),
        ("machine h login bob password hunter22", "machine h login bob password <redacted:netrc-password>"),
        ("AccountKey=" + "a1B2" * 10 + "==;x", "AccountKey=<redacted:token>;x"),
        ("session_token: 9f8a7b6c5d4e3f2a1b0c", "session_token: <redacted:token>"),
        ("my password: Tr0ub4dor&3xyz#9, I think", "my password: <redacted:password>, I think"),
        ("DB_PASS=Secr3t12", "DB_PASS=<redacted:password>"),
        ("The password is Secr3t12.", "The password is <redacted:password>."),
        ("session_token: 9f8a7b6c5d4e3f2a1b0c.", "session_token: <redacted:token>."),
        ("SMTP_PASSWORD_2: Secr3t12", "SMTP_PASSWORD_2: <redacted:password>"),
        ("/?password=Secr3t12&user=bob", "/?password=<redacted:password>&user=bob"),
        ("password=Secr3t12;pwd=Other99x;x", "password=<redacted:password>;pwd=<redacted:password>"),
        ("pwd=Secr3t12&password=Other99x", "pwd=<redacted:password>&password=<redacted:password>"),
        ("f(password='Secr3t12',user)", "f(password='<redacted:password>',user)"),
        ("f(password=Secr3t12,g(1))", "f(password=<redacted:password>,g(1))"),
        ("smtp_pass: girasol2girasol", "smtp_pass: <redacted:password>"),
        ("become-pass: sonnen-blume-7", "become-pass: <redacted:password>"),
        ("/login?user=ada&pass=girasol2girasol", "/login?user=ada&pass=<redacted:password>"),
        (f"our api key {'kQ7x' * 7} expired", "our api key <redacted:token> expired"),
        ("the passphrase of the archive is 'cedar moth 61'", "the passphrase of the archive is '<redacted:password>'"),
        ("The passphrase was cedar moth anvil.", "The passphrase was <redacted:password>."),
    ],
)
def test_what_names_a_secret_stays_and_the_secret_goes(text, clean):
    assert redacted(text) == clean


@pytest.mark.parametrize("given", ["DB_PASSWORD=hunter2!x", "secret: Tr0ub4dor3x!9", f"API_KEY={'kQ7x' * 7}"])
@pytest.mark.parametrize("mark", "+->|")
def test_a_line_of_a_diff_is_read_as_it_was_before_its_mark(given, mark):
    assert redacted(f"@@ -1 +1 @@\n{mark}{given}\n") == f"@@ -1 +1 @@\n{mark}{redacted(given)}\n" != given


@pytest.mark.parametrize(
    ("key", "its_secret"),
    [("aws-key", "aws-secret"), ("alibaba-key", "alibaba-secret"), ("tencent-key", "tencent-secret")],
)
def test_the_secret_behind_a_keys_id_is_called_by_its_cloud(key, its_secret):
    ids = {
        "aws-key": "AKIA" + "IOSFODNN7ABCDEFG",
        "alibaba-key": "LTAI" + "5tKx8Qm2Zr7Wv",
        "tencent-key": "AKID" + "z8krbsJ5yKBZQpn74WFkmLPx3gnPhESA",
    }
    drawn = "wJalrXUtnFEMI7K9MDENGbPxRfiCYzq3Tn8aLs2v"
    assert redacted(f"{ids[key]} {drawn}") == f"<redacted:{key}> <redacted:{its_secret}>"


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
        "render_pass: shadow2map",
        "pass = shadow2map",
        "login = account = password = ''",
        "${DB_PASSWORD:?missing2day} ${API_TOKEN:?set it}",
        "The passphrase is kept in the safe.",
        "The passphrase of the archive was changed last spring.",
        "rotation of the api key rotation-v2-job",
        "passphrase: see 1Password, vault Ops",
        'password: "ask Ada for it"',
    ],
)
def test_what_only_looks_like_one_stays(text):
    assert redacted(text) == text


STILL_LEFT = {"ntlm", "unknown-vendor-parts"}
"""Names of the listed secrets that are not found, the second with some draws only."""


@pytest.mark.parametrize("seed", range(1 if IS_QUICK else 3))
def test_of_the_lists_nearly_all_secrets_go_and_nearly_no_look_alike_is_touched(seed):
    """The lists are larger than what anybody had in mind; their tokens are drawn anew for each seed."""
    left, secrets = lists.not_gone(lists.OWN, redacted, seed)
    hurt, others = lists.touched(lists.OWN, redacted, seed)
    assert secrets >= 150
    assert others >= 150
    assert {*left} <= STILL_LEFT
    assert hurt == []


PLACE = re.compile(r"<redacted:([\w-]+)>")


def gone_from(text: str) -> str:
    """Return what went from *text*: `kind:characters` of each part, in order."""
    out = redacted(text)
    kept = [re.escape(part) for part in PLACE.split(out)[::2]]
    whole = re.fullmatch("(.+?)".join(kept), text, re.DOTALL)
    assert whole, out  # nothing else is changed
    return " ".join(f"{kind}:{len(part)}" for kind, part in zip(PLACE.findall(out), whole.groups(), strict=True))


def test_of_each_listed_secret_that_part_goes_and_by_that_name_which_was_looked_at_once():
    """`kinds.tsv` says of each listed secret as which kind how many characters go; a person has read it."""
    rows = [row for row in lists.rows_of(lists.OWN / "must_go.tsv") if row.name not in STILL_LEFT]
    said = (Path(__file__).parent / "secrets" / "kinds.tsv").read_text(encoding="utf-8")
    assert "".join(f"{row.name}\t{gone_from(row.text)}\n" for row in rows) == said


def test_of_what_ordinary_tools_print_hardly_a_line_is_touched():
    """Also in one text, where the lines before say more of each."""
    lines = [row.text for row in lists.rows_of(lists.OWN / "ordinary.tsv")]
    assert len(lines) >= 2000
    assert sum(redacted(line) != line for line in lines) <= 2
    pages = ["\n".join(lines[start : start + 40]) for start in range(0, len(lines), 40)]
    assert sum(redacted(page) != page for page in pages) <= 2


PRIVATE_PARTS = st.recursive(
    st.text("ab \n", max_size=8),
    lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"<private>x{'y'.join(parts)}</private>"),
    max_leaves=8,
).filter(lambda text: text.startswith("<"))


@given(PRIVATE_PARTS)
def test_pairs_may_be_nested_as_deep_as_they_are(marked):
    assert without_private(f"before {marked} after") == "before  after"


LISTED = [row.text for name in ("must_go", "must_stay") for row in lists.rows_of(lists.OWN / f"{name}.tsv")]


def is_found(text: str) -> bool:
    return any(span.end > span.start for detector in DETECTORS for span in detector(text))


def test_no_detector_finds_anything_in_a_text_that_holds_no_lead():
    """Every text of the lists is looked at, whole and cut anywhere: what is passed over unseen has no secrets."""
    found = [text for text in LISTED if is_found(text)]
    assert len(found) >= 150
    assert [text for text in found if not may_hold_secrets(text)] == []
    assert sum(map(may_hold_secrets, LISTED)) < len(LISTED)


@given(st.sampled_from(LISTED), st.sampled_from(LISTED), st.integers(0, 300), st.integers(0, 300))
def test_no_detector_finds_anything_in_a_part_of_a_text_that_holds_no_lead(one, other, start, end):
    part = one[start % (len(one) + 1) :] + other[: end % (len(other) + 1)]
    assert may_hold_secrets(part) or not is_found(part)


# What is drawn by hypothesis is small and simple first, which no vendor's generator is.
OF_ANY_CHARACTERS = [form for form in FORMS if form.before == Form("", "", "").before and not form.is_random]


@given(st.sampled_from(OF_ANY_CHARACTERS), st.data())
def test_every_form_of_a_vendors_token_is_found_in_running_text(form, data):
    """What is drawn by the form's own pattern is gone, wherever it stands."""
    without_looks = re.sub(r"\(\?![^()]*\)", "", form.after)
    after = data.draw(st.from_regex(re.compile(without_looks, re.ASCII), fullmatch=True))
    token = form.marker + after
    assume(not stands_for_something(after) and "\n" not in token)
    assert token not in redacted(f"We call it with {token} in tests.")


PREFIX = st.from_regex(r"[a-z][a-z0-9]{2,9}(?:[_-][a-z0-9]{1,8}){0,2}[_-]", fullmatch=True)


def drawn(seed, length):
    """Return what a vendor's generator gives: letters of both cases and digits by chance."""
    random = Random(seed)
    return "".join(random.choice(string.ascii_letters + string.digits) for _ in range(length))


@given(PREFIX, st.integers(0, 10**6), st.integers(48, 120))
def test_a_token_of_a_vendor_that_nobody_listed_is_found_by_being_drawn_by_chance(prefix, seed, length):
    """A prefix and many characters of no meaning are a token, whoever's; what is drawn may be a digest's name."""
    assume(not re.match(r"(?:sha|md|blake|h|xxh)\d", prefix))
    secret = drawn(seed, length)
    assume(sum(map(str.isdigit, secret)) >= 3)  # one in a hundred has fewer, and may be a name in camelCase
    assert secret not in redacted(f"We call it with {prefix}{secret} in tests.")


@given(
    st.sampled_from(["commit", "build", "release", "img", "resp"]),
    st.sampled_from("_-"),
    st.text("0123456789abcdef", min_size=40, max_size=64),
)
def test_a_hash_behind_a_name_is_no_token(name, separator, digest):
    text = f"We deployed {name}{separator}{digest} to staging."
    assert redacted(text) == text


@given(st.lists(st.text("0123456789abcdef", min_size=1, max_size=4), min_size=8, max_size=8))
def test_an_address_of_the_network_is_no_line_of_pgpass(groups):
    text = f'The host answers at "{":".join(groups)}" only.'
    assert redacted(text) == text


PRIVATE = "-----BEGIN RSA " + "PRIVATE KEY-----"
END = "-----END RSA " + "PRIVATE KEY-----"
LINES_OF_KEY = st.lists(st.text(BASE64, min_size=64, max_size=64), min_size=2, max_size=6)


@given(
    LINES_OF_KEY, st.sampled_from(["", "+", "-", "    ", "> ", "\t"]), st.sampled_from(["\n", "\r\n", "\\n"]), st.data()
)
def test_a_private_key_is_found_whole_or_cut_however_its_lines_are_written(lines, prefix, ending, data):
    """Indented, in a diff, in JSON; without its beginning, without its end."""
    assume(all(any(map(each, line)) for line in lines for each in (str.isupper, str.islower, str.isdigit)))
    marks = data.draw(st.sampled_from([(PRIVATE, END), (PRIVATE, ""), ("", END), ("", "")]))
    assume(ending != "\\n" or any(marks))
    text = ending.join(prefix + line for line in (marks[0], *lines, marks[1]) if line)
    left = redacted(f"before\n{text}\nafter")
    assert not any(line in left for line in lines)
    assert left.startswith("before\n")
    assert left.endswith("\nafter")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a <private>b\nc</private> d", "a  d"),
        ("a <private>b</private> c <PRIVATE>d</Private> e", "a  c  e"),
        ("first\n<private>\nsecond\nthird", "first\n"),
        ("first\n  <private>second", "first\n  "),
        ("<private>a\n<private>b</private>c", "c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a < private >b</ private > c <private\n>d</private\n> e", "a  c  e"),
        ('a <private reason="a review">b</private> c', "a  c"),
        ("```\n<private>b</private>\n```\nc", "```\n\n```\nc"),
        ("a <pri<private>b</private>vate>c</private> d", "a  d"),
    ],
)
def test_what_is_marked_as_private_is_dropped(text, clean):
    assert redacted(text) == clean


@given(
    st.sampled_from(["{}", "`{}`", '"{}"', "“{}”", "**{}**", "({})"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<"), min_size=1).filter(str.strip),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<")),
)
def test_a_text_that_mentions_the_mark_of_private_parts_stays(quoted, before, after):
    """Nothing is closed, and the mark does not begin its line: it is what the text is about."""
    text = before.strip() + " " + quoted.format("<private>") + after
    assert without_private(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "What stands between `<private>` and `</private>` is dropped.",
        'The tags "<private>" and "</private>" mark it.',
        "`<private>` at the beginning of a line\nand more",
        "use the <private> tag\nand go on",
        "</private> alone",
        "Write:\n```html\n<private>\n```\nand more",
        "Begin:\n~~~\n<private>\n~~~\nend:\n~~~\n</private>\n~~~\nand more",
        "> ```\n> <private>\n> </private>\n> ```",
        "a <privateer> and a <private-label>",
        "x </private> y <private> z",
    ],
)
def test_marks_between_quotes_or_in_a_sentence_are_text(text):
    assert redacted(text) == text


SNIPPETS = st.sampled_from(
    [*SECRETS.values(), "password = ", "token: ", "<private>", "</private>", "<redacted:own>", "https://a:", "@b", "'",
     "Tr0ub4dor3x", "; ", "\n", "pwd=", "&", "curl -u a:", "Basic ", "パスワード：", "-----BEGIN ", "PRIVATE KEY-----",
     "|", '"']
)  # fmt: skip


@given(st.lists(st.one_of(SNIPPETS, st.text(max_size=8)), max_size=12).map("".join))
def test_cleaning_twice_changes_nothing_and_never_grows_without_bound(text):
    """Whatever stands beside whatever: secrets, names, marks, quotes."""
    once = redacted(text)
    assert redacted(once) == once
    assert len(once) <= GROWTH_MAX * len(text)


@given(st.text(st.characters(), max_size=200))
def test_any_text_can_be_cleaned(text):
    """Lone surrogates, too, which UTF-8 has no bytes for."""
    assert isinstance(redacted(text), str)


@given(st.text(st.characters(categories=["L", "M", "Zs", "Po", "So"], exclude_characters="#%&*@/\\'\"•·…?!")))
def test_a_text_without_names_numbers_and_signs_is_not_touched(text):
    """In every script: what holds neither digits nor a sign that gives a value has no secret."""
    assume(not re.search(NAMES, text, re.IGNORECASE))
    assert redacted(text) == text


def test_the_users_own_patterns_are_taken_out_too():
    redact = Redactor(["ACME-[0-9]{4}", r"(?i)\bproject zebra\b"])
    assert redact("ticket ACME-1234 of Project Zebra") == "ticket <redacted:own> of <redacted:own>"


@pytest.mark.parametrize("pattern", ["(", "a*", r"(?=x)"])
def test_a_pattern_that_cannot_work_is_refused_by_name(pattern):
    with pytest.raises(PatternError) as refused:
        Redactor([pattern])
    assert repr(pattern) in str(refused.value)
    assert "b'" not in str(refused.value)
