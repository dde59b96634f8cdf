"""Words with which a text says that something does not hold any more."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.former_values import changes_in, values_replaced
from palimp_daemon.text.replacing_words import is_exception, says_little_besides, words_that_replace


@pytest.mark.parametrize(
    "text",
    [
        "We move from Jenkins to GitLab.",
        "The pin is not needed any more.",
        "Correction: not 5 but 3 retries.",
        "Back to CBOR for the payload.",
        "Wir haben auf GitLab umgestellt.",
        "Der Workaround entfällt.",
        "On n'utilise plus Jest.",
        "Ya no usamos Redis.",
        "Não usamos mais o Celery.",
        "Non usiamo più Jenkins.",
        "We gebruiken Jenkins niet meer.",
        "Redis を廃止した。",
        "缓存改用 Redis。",
    ],
)
def test_a_text_says_that_something_no_longer_holds(text: str) -> None:
    assert words_that_replace(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use Redis for the cache.",
        "Sampling is faster when PM2.5 is over 50.",
        "The new office is in Bern.",
        "Now is a good time to test.",
        "Replacements are ordered by the lab.",
        "Die Datei war neu.",
        "",
    ],
)
def test_common_words_say_nothing_of_the_kind(text: str) -> None:
    assert words_that_replace(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Finance mart only: remains on Redshift.",
        "Only for rev C: log over RTT.",
        "EU nodes unchanged.",
        "Nur für Staging.",
        "otp ttl 180s, rest same",
        "Zeitlimit 60 s, Rest wie bisher.",
        "Límite de 60 s, el resto igual.",
        "Délai de 60 s, le reste inchangé.",
        "Reception terminals: 60 minutes. Everyone else stays where they are.",
        "In `compat` files keywords may be in any case. Elsewhere as before.",
        "Nodes with a solar panel: 120 s, all battery nodes keep 300 s.",
        "Kiosk-Geräte: 60 Minuten, alle anderen wie bisher.",
        "Bornes : 60 minutes, partout ailleurs comme avant.",
        "Quioscos: 60 minutos, los demás como antes.",
        "キオスク端末は60分、それ以外は従来どおり。",
        "自助终端为60分钟，其他保持不变。",
    ],
)
def test_an_exception_holds_in_some_place_only(text: str) -> None:
    assert is_exception(text)


def test_what_is_dropped_for_something_is_an_exception() -> None:
    assert is_exception("Protobuf dropped for the audit stream.")
    assert not is_exception("Protobuf was dropped in March.")


def test_only_by_itself_is_no_exception() -> None:
    assert not is_exception("It was only a test.")


def test_what_is_said_of_all_is_no_exception() -> None:
    assert not is_exception("All nodes send every 120 s now, and all tests pass.")


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    words_that_replace(text)
    is_exception(text)


@pytest.mark.parametrize("function", [values_replaced, changes_in, words_that_replace, is_exception])
@pytest.mark.parametrize(
    "unit",
    [
        "sk-",
        "密码",
        "a.",
        "에서 ",
        "a에서 ",
        "从a ",
        "から",
        "from a to ",
        "instead of ",
        "n't a ",
        "ne ",
        "migr de ",
        "aを",
        "a를 b로 ",
        "を",
        "a -> ",
        "a -> b, ",
        "removed ",
    ],
)
def test_a_long_text_is_read_in_time_that_grows_with_it(function, unit: str):
    """Of processor time, however busy the machine is: what begins anew at each letter of a run takes its square."""
    before = time.thread_time()
    function(unit * (40_000 // len(unit)))
    assert time.thread_time() - before < 5


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("A pool of 5 workers reads the queue.", "A pool of 9 workers reads the queue instead of 5."),
        ("Uploads end after 20 s, because Nginx drops them.", "Uploads end after 60 s instead of 20."),
        ("Der Export läuft nachts, weil Kafka und Spark dann frei sind.", "Der Export läuft mittags statt nachts."),
        ("Le délai est de 3 jours, parce qu'Ana et Zoé relisent.", "Le délai est de 5 jours au lieu de 3."),
    ],
)
def test_a_text_about_one_thing_is_taken_down_whole_with_its_reason(older: str, newer: str) -> None:
    assert says_little_besides(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Uploads end after 20 s because Nginx drops them. Downloads have no end.", "Uploads end after 60 s, not 20."),
        ("De facturen gaan naar het archief of naar de klant.", "De facturen gaan naar de klant, niet het archief."),
        ("Sessions and carts live in Redis.", "Carts live in Valkey instead of Redis."),
    ],
)
def test_what_else_a_text_says_holds_on(older: str, newer: str) -> None:
    assert not says_little_besides(older, newer)
