"""A text that says which value holds no more replaces what has that value, and narrows what says more."""

import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_protocol.messages.memories import SaveMemory


def link(request_context, older: str, newer: str) -> str:
    """Return what *newer* is said to do to *older*: its relation, or nothing."""
    save_memory(request_context(session="a"), SaveMemory(text=older, kind="decision"))
    saved = save_memory(request_context(session="b"), SaveMemory(text=newer, kind="decision"))
    return " ".join(each.relation for each in saved.linked)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Metrics go to Graphite.", "Metrics moved from Graphite to Prometheus."),
        ("The pool has 12 connections.", "The pool has 20 connections instead of 12."),
        ("Use tslint in the mobile app.", "Stop using tslint in the mobile app; use biome."),
        ("Format the scripts with yapf.", "Format the scripts with ruff, not yapf."),
        ("日志写入 Logstash。", "日志已从 Logstash 切换到 Vector。"),
        ("通知はメールで送る。", "通知はメールではなくSlackで送ることにした。"),
        ("Die Suche läuft mit Solr.", "Die Suche wurde von Solr auf Meilisearch umgestellt."),
        ("Les builds passent par Travis.", "Les builds: migrés de Travis à Forgejo."),
        ("Las colas usan Kafka.", "Las colas usan NATS en lugar de Kafka."),
        ("As filas usam Celery.", "Trocamos o Celery pelo Dramatiq nas filas."),
        ("Le code usano Celery.", "Le code usano Dramatiq invece di Celery."),
        ("De wachtrij gebruikt Kafka.", "De wachtrij gebruikt NATS in plaats van Kafka."),
    ],
)
def test_what_has_the_value_is_replaced(request_context, older: str, newer: str):
    assert link(request_context, older, newer) == "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Sessions and carts live in Redis.", "Carts moved from Redis to Postgres."),
        ("The shop runs Django with Oracle.", "We switched the shop from Oracle to MariaDB."),
        ("Metrics go to Graphite. Alerts go to the pager.", "Metrics moved from Graphite to Prometheus."),
    ],
)
def test_the_rest_of_what_says_more_holds_on(request_context, older: str, newer: str):
    assert link(request_context, older, newer) == "narrows"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The pool has 12 connections.", "The queue has 20 workers instead of 16."),
        ("Metrics go to Graphite.", "The editor moved from vim to helix."),
        ("The logs of nginx are kept for 30 days.", "Reports are made weekly instead of daily."),
        ("Metrics go to Graphite.", "Metrics move from the agent to Graphite every minute."),
        ("Carts are kept for 7 days.", "Carts are cleaned by a job; it moved from cron to systemd."),
        ("Retries are capped at 5.", "Retries use jitter rather than fixed delays."),
    ],
)
def test_what_has_another_value_is_left_alone(request_context, older: str, newer: str):
    assert link(request_context, older, newer) == ""
