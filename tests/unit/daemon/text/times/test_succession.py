"""What took the place of what a question asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.times.succession import Successor, successor_in


@pytest.mark.parametrize(
    ("question", "name", "rest"),
    [
        ("What was our warehouse before Snowflake?", "Snowflake", "What was our warehouse  ?"),
        ("Before Apple Pay came, how did we pay?", "Apple Pay", ", how did we pay?"),
        ("Welche Datenbank hatten wir vor PostgreSQL?", "PostgreSQL", "Welche Datenbank hatten wir  ?"),
        ("Quel outil avions-nous avant Sentry ?", "Sentry", "Quel outil avions-nous   ?"),
        ("¿Qué usábamos antes de Meilisearch?", "Meilisearch", "¿Qué usábamos  ?"),
        ("Where did it run before Kubernetes was introduced?", "Kubernetes", "Where did it run  ?"),
        ("which queue was it before iMQ", "iMQ", "which queue was it"),
        ("Was war das Werkzeug vor Żubr.", "Żubr", "Was war das Werkzeug"),
    ],
)
def test_a_name_behind_before_is_what_came_after(question: str, name: str, rest: str) -> None:
    assert successor_in(question) == Successor(name, rest)


@pytest.mark.parametrize(
    "question",
    [
        "What did we do before the release?",
        "What must be run before Alembic migrations are applied?",
        "what was it before",
        "Was war vor 3 Wochen?",
        "",
    ],
)
def test_a_moment_or_a_step_is_no_successor(question: str) -> None:
    assert successor_in(question) is None


@given(st.text(max_size=300))
def test_whatever_is_asked_can_be_read(question: str) -> None:
    found = successor_in(question)
    assert found is None or found.name in question
