"""Values of which a text says that they hold no more."""

import re

import pytest

from palimp_daemon.languages.language import sections
from palimp_daemon.text.former_values import HINT_LETTERS, changes_in, values_replaced


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("pool size 12 -> 20, busy", [("pool size 12", "20"), ("size 12", "20"), ("12", "20")]),
        ("`quay` → `harbor`", [("quay", "harbor")]),
        ("berth a -> b -> c", []),
        ("nothing -> ", []),
        ("x->y, p->q", []),
    ],
)
def test_an_arrow_has_a_former_value_before_it_and_a_new_one_behind(text: str, changes: list[tuple[str, str]]) -> None:
    assert changes_in(text) == changes


def test_each_pattern_of_a_value_has_a_word_that_hints_at_it() -> None:
    """A text without one is not read by the patterns."""
    for name, language in sections(lambda language: language.replacing).items():
        hints = language.hints.split()
        for pattern in language.values:
            words = {word[:HINT_LETTERS] for word in re.findall(r"[^\W\d_]+", pattern)}
            assert any(word.startswith(hint) or hint.startswith(word) for word in words for hint in hints), (
                name,
                pattern,
            )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("バックアップは6時間ではなく12時間ごとに取る。", "6時間"),
        ("会话有效期从15分钟改为30分钟。", "15分钟"),
        ("배포는 월요일이 아니라 수요일에 한다.", "월요일"),
        ("Le fatture escono in PDF invece che in Word.", "in Word"),
        ("La coda usa NATS anziché RabbitMQ.", "RabbitMQ"),
        ("Les envois partent le jeudi au lieu des mardis.", "mardis"),
        ("Os relatórios saem em PDF ao invés de Word.", "Word"),
        ("Nous avons remplacé Vagrant par des conteneurs.", "Vagrant"),
        ("On n'envoie plus de fax aux mairies.", "fax aux mairies"),
        ("Abbiamo sostituito Maven con Gradle.", "Maven"),
        ("Seit Mai ersetzen wir Maven durch Gradle.", "Maven"),
        ("Gradle löst Maven ab.", "Maven"),
        ("画像はS3からR2へ移した。", "S3"),
        ("Pictures: R2 supersedes S3.", "S3"),
        ("Pictures were migrated off S3 onto R2.", "S3"),
        ("Pictures no longer go through Akamai but through Fastly.", "Akamai"),
        ("Scrap the nightly export, stream it instead.", "nightly export"),
        ("Swapped Moment out for Temporal.", "Moment"),
        ("Temporal rather than Moment from now on.", "Moment"),
        ("The build image was bumped from Jammy to Noble.", "Jammy"),
        ("No more Maven, plain scripts build it.", "Maven"),
        ("There is no berth limit any longer, the pilot decides.", "berth limit"),
        ("We have no pagers anymore.", "pagers"),
        ("Keine Faxe mehr, Post geht per Mail.", "Faxe"),
        ("Er is geen Maven meer, alleen scripts.", "Maven"),
        ("Plus de Maven : des scripts suffisent.", "Maven"),
        ("Больше никакого Maven, только скрипты.", "Maven"),
        ("Basta Maven, solo script.", "Maven"),
        ("Harbour fee is 12 (was 9).", "9"),
        ("Berths are let by the hour (before: by the day), paid on arrival.", "by the day"),
        ("Liegezeit 6 Stunden (vorher 4 Stunden).", "4 Stunden"),
        ("La taxe est de 12 (avant : 9).", "9"),
        ("La tasa es 12 (antes 9).", "9"),
        ("Стоянка 6 часов (раньше 4 часа).", "4 часа"),
    ],
)
def test_a_value_is_read_in_the_ways_of_its_language(text: str, value: str) -> None:
    assert value in values_replaced(text)


@pytest.mark.parametrize(
    "text",
    [
        "Should we replace Maven with Gradle?",
        "要不要弃用 Maven？",
        "Do not drop Maven, Gradle is slower.",
        "We agreed not to drop Maven; the plugin works instead of failing.",
        "No more than one Maven runs at a time.",
        "Builds need no more Maven than before.",
        "Plus de 3 Maven par jour.",
        "Nach dem Abschluss darf kein Maven mehr laufen.",
        "The job failed (was Maven stuck?).",
    ],
)
def test_what_is_only_asked_or_refused_replaces_nothing(text: str) -> None:
    assert "Maven" not in values_replaced(text)


def test_a_question_beside_a_replacement_does_not_take_it_back() -> None:
    assert values_replaced("We dropped Maven. Does anybody miss it?") == ("Maven",)
