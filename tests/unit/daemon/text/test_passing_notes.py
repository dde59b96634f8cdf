"""What passes is told by its form: logs, events of the day, reminders; and no fact, rule or longer note with them."""

import pytest

from palimp_daemon.text.passing_notes import PASSING_CHARACTERS_MAX, is_passing


@pytest.mark.parametrize(
    "text",
    [
        "TODO check again tomorrow",
        "TODO: ask Marek on Monday",
        "TODO morgen prüfen",
        "Relancer le serveur demain",
        "明日もう一度確認する",
        "2026-11-28 10:01:02 ERROR worker: connection refused",
        "ERROR: connection refused",
        "Nov 28 10:01:02 app1 kernel: oom",
        "Traceback (most recent call last):\n  File x",
        "CI was red this morning, green again.",
        "The build is running",
        "Deploy to staging finished at 14:32.",
        "Staging was down for ten minutes.",
        "Restarted the dev server.",
    ],
)
def test_what_passes(text: str):
    assert is_passing("note", text)
    assert is_passing("finding", text)


@pytest.mark.parametrize(
    "text",
    [
        "The build takes nine minutes.",
        "Log level: INF on debug builds, ERR on release builds.",
        "INFO is the level in production.",
        "Reminder goes out 24 h before the appointment.",
        "php 8.3 since last night",
        "free articles: 4 from today, sales begged",
        "The tests are slow because each opens the file again.",
        "When the build is red, nobody merges until it is green.",
        "The staging server is down on weekends to save money.",
        "El informe sale cada mañana a las siete.",
    ],
)
def test_what_lasts(text: str):
    assert not is_passing("note", text)


def test_a_decision_a_rule_and_a_longer_note_last_whatever_they_say():
    text = "We start with the parser tomorrow."
    assert is_passing("note", text)
    assert not any(is_passing(kind, text) for kind in ("decision", "preference", "correction", "fix", "architecture"))
    assert not is_passing("note", text + " It has no tests yet." * (PASSING_CHARACTERS_MAX // 20))
