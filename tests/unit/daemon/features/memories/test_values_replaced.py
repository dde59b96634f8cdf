"""A text that says which value holds no more replaces what has that value, and narrows what says more."""

import pytest

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


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
        ("The tides come from Bathy.", "Tides: Bathy was superseded by Poseidon."),
        ("The tides come from Bathy.", "Tides come from Poseidon; Bathy is retired."),
        ("Die Gezeiten liefert Bathy.", "Bei den Gezeiten haben wir Bathy durch Poseidon ersetzt."),
        ("Les marées viennent de Bathy.", "Marées : Bathy a été remplacé par Poseidon."),
        ("Les marées viennent de Bathy.", "Nous avons migré les marées de Bathy vers Poseidon."),
        ("Las mareas usan Bathy.", "Dejamos de usar Bathy para las mareas."),
        ("Las mareas usan Bathy.", "Cambiamos las mareas de Bathy a Poseidon."),
        ("As marés usam Bathy.", "Mudamos as marés do Bathy para o Poseidon."),
        ("Les marées utilisent Bathy.", "On passe de Bathy à Poseidon : les marées l'utilisent."),
        ("Las mareas usan Bathy.", "Las mareas se movieron de Bathy a Poseidon."),
        ("Le maree usano Bathy.", "Le maree sono passate a Poseidon, spostate da Bathy ad Astro."),
        ("Le maree usano Bathy.", "Abbiamo spostato le maree da Bathy a Poseidon."),
        ("De getijden gebruiken Bathy.", "De getijden gebruiken geen Bathy meer."),
        ("Приливы считает Bathy.", "Приливы перенесли с Bathy на Poseidon."),
        ("Приливы считает Bathy.", "Приливы: вместо Bathy теперь Poseidon."),
        ("조석은 Bathy로 계산한다.", "조석을 Bathy에서 Poseidon으로 옮겼다."),
        ("조석은 Bathy로 계산한다.", "조석에 더 이상 Bathy를 쓰지 않는다."),
        ("潮位はBathyで求める。", "潮位はBathyをPoseidonに置き換えた。"),
        ("潮位用Bathy计算。", "潮位计算从Bathy迁移到了Poseidon。"),
        ("tides: bathy for the forecast", "tides: bathy removed, poseidon added for the forecast"),
        ("tides come from bathy", "tides: bathy out, poseidon in"),
        ("The tides come from Bathy.", "Bathy is gone and the tides come from Poseidon."),
        ("The tides come from Bathy.", "Bathy has been dropped, tides come from Poseidon."),
        ("Die Gezeiten liefert Bathy.", "Gezeiten: Bathy raus, dafür Poseidon."),
        ("Las mareas usan Bathy.", "Mareas: Bathy eliminado, ahora Poseidon."),
        ("Les marées viennent de Bathy.", "Marées : Bathy retiré, Poseidon à la place."),
        ("Le maree usano Bathy.", "Maree: Bathy rimosso, aggiunto Poseidon."),
        ("As marés usam Bathy.", "Marés: Bathy removido, entra Poseidon."),
        ("De getijden gebruiken Bathy.", "Getijden: Bathy eruit, Poseidon erin."),
        ("Приливы считает Bathy.", "Приливы: Bathy убран, теперь Poseidon."),
        ("tide poll interval 30s", "tide poll interval 30s -> 45s"),
        ("kiln heats to 900 degrees", "kiln heats 900 → 950 degrees"),
        ("The kiln holds 30 bowls: no more fit.", "The kiln holds 45 bowls now, since the shelf was moved."),
        ("Der Ofen fasst 30 Schalen.", "Der Ofen fasst jetzt 45 Schalen, das Blech ist versetzt."),
    ],
)
def test_what_has_the_value_is_replaced(request_context, older: str, newer: str):
    assert link(request_context, older, newer) == "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Readings are polled every 30 seconds by the collector.",
            "Readings are now polled every 60 seconds by the collector.",
        ),
        ("The timeout is 30 seconds.", "The timeout is 60 seconds now."),
        ("Das Timeout beträgt 30 Sekunden.", "Das Timeout beträgt jetzt 60 Sekunden."),
        ("Le délai est de 30 secondes.", "Le délai est maintenant de 60 secondes."),
        ("El plazo es de 30 segundos.", "El plazo ahora es de 60 segundos."),
        ("収集間隔は30秒とする。", "収集間隔は現在60秒とする。"),
        ("采集器每30秒读取一次水位数据。", "采集器现在每60秒读取一次水位数据。"),
    ],
)
def test_the_same_with_another_number_now_replaces_it(request_context, older: str, newer: str):
    assert link(request_context, older, newer) == "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Phase 1 of the migration is done.", "Phase 2 of the migration is done now."),
        ("Station 3 of the harbour has 5 sensors.", "Station 4 of the harbour now has 5 sensors."),
        ("The timeout is 30 seconds.", "The timeout is 60 seconds."),
        ("The upload limit is 30 MB for guests.", "The upload limit is now 60 MB for members."),
        ("Kiln 3 heats to 900 degrees and cools for 6 hours.", "Kiln 4 now cools for 6 hours."),
        ("The kiln cools for 6 hours and rests for 2 days.", "The kiln rests for 6 hours now."),
        ("The kiln heats to 900 degrees and cools for 6 hours.", "The kiln heats 12 plates now."),
    ],
)
def test_another_number_that_is_no_value_or_not_now_replaces_nothing(request_context, older: str, newer: str):
    assert not link(request_context, older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Sessions and carts live in Redis.", "Carts moved from Redis to Postgres."),
        ("The kiln heats to 900 degrees, cools for 6 hours and opens by itself.", "The kiln cools for 9 hours now."),
        ("Der Ofen heizt bis 900 Grad und kühlt 6 Stunden lang.", "Der Ofen heizt jetzt bis 950 Grad."),
        ("El horno calienta a 900 grados y enfría 6 horas.", "El horno ahora enfría 9 horas."),
        ("The mirror holds wheels and crates in `quay`.", "Wheels of the mirror moved from `quay` to `harbor`."),
        ("The mirror holds wheels and crates in quay.", 'Wheels of the mirror use "harbor" instead of "quay".'),
        ("The shop runs Django with Oracle.", "We switched the shop from Oracle to MariaDB."),
        ("Metrics go to Graphite. Alerts go to the pager.", "Metrics moved from Graphite to Prometheus."),
        ("harbour: quay 4, berth via oakhook, depth 6 m", "harbour: oakhook removed, berth booked directly"),
        ("ferry: 20 kn, 3 crew, max load 40t", "ferry: max load 40t -> 55t, new hull"),
        ("harbour office in quayside", "harbour office quayside -> uptown, same phone"),
        (
            "Berths are booked in Oakhook and paid on arrival. The harbour master prints the list each morning.",
            "Oakhook is gone and Mooringo has taken its place. It lost bookings whenever two people clicked at once.",
        ),
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
        ("The tides come from Bathy.", "Tides go from Bathy to the printer every hour."),
        ("Die Gezeiten liefert Bathy.", "Die Gezeiten gehen von Bathy zu den Häfen."),
        ("Les marées viennent de Bathy.", "Les marées passent de Bathy à l'imprimante."),
        ("Las mareas usan Bathy.", "Las mareas pasan de Bathy a la impresora."),
        ("Приливы считает Bathy.", "Приливы из Bathy отправляются на почту."),
        ("조석은 Bathy로 계산한다.", "조석은 Bathy에서 메일로 보낸다."),
        ("潮位はBathyで求める。", "潮位はBathyからメールで送る。"),
        ("潮位用Bathy计算。", "潮位从Bathy发送到邮箱。"),
        ("tides: buoy sends to bathy, poseidon archives", "tides go buoy -> bathy -> poseidon"),
        ("tides: bathy feeds poseidon", "tides: bathy -> poseidon every hour"),
        ("Tides are polled every 30 s, retried 3 times.", "Tides: parse(line) -> Depth, raises on junk."),
        ("Berths are paid in the office. A job cleans the list at night.", "The crane has a job removed since May."),
    ],
)
def test_what_has_another_value_is_left_alone(request_context, older: str, newer: str):
    assert link(request_context, older, newer) == ""


def test_what_says_that_a_name_holds_no_more_stands_before_what_has_it(request_context):
    """It answers less well by its words, and the older one, which says more, is told behind it."""
    older = "Berths of the harbour are booked in Oakhook, paid on arrival, and the list is printed each morning."
    newer = "Oakhook is gone. For berths of the harbour crews call Mooringo, which answers at night, too."
    for text in (older, newer):
        save_memory(request_context(session=text[:7]), SaveMemory(text=text, kind="decision"))
    found = recall(request_context(session="c"), Recall(query="booked berths of the harbour")).memories
    assert [each.title[:7] for each in found] == ["Oakhook", "Berths "]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which queue", "pelican out"),  # has no word of the question
        ("who wakes us at night", "queue: pelican"),
        ("how many replicas", "queue: pelican"),
    ],
)
def test_what_took_a_names_place_stands_first_where_that_part_is_asked_for(request_context, question: str, first: str):
    texts = (
        "queue: pelican stream, 3 replicas, an alarm wakes us at night",
        "pelican out, heron in; messages stuck after the loss of a node",
    )
    for text in texts:
        save_memory(request_context(session=text[:7]), SaveMemory(text=text, kind="decision"))
    answer = recall(request_context(session="c"), Recall(query=question))
    assert [*answer.memories, *answer.unrelated][0].title.startswith(first)


@pytest.mark.parametrize(
    "ending", ["", " Meteorologists complained, harbourmasters celebrated, newspapers exaggerated."]
)
def test_a_former_name_is_looked_for_however_long_the_other_words_are(request_context, ending: str):
    """Of a long text only the longest words are kept, and names are often short."""
    assert link(request_context, "tides come from bth", f"no more bth, tables are printed instead.{ending}")


@pytest.mark.parametrize(
    ("older", "newer", "relation"),
    [
        ("The kiln holds 30 bowls, and 4 jugs.", "The kiln holds 45 bowls now, the shelf was moved.", "narrows"),
        ("Firing 2 is done: all bowls are whole.", "Firing 3 is done now, two bowls broke.", ""),
        ("Kiln 2 is cold, do not open it.", "Kiln 3 is cold now, take the bowls out.", ""),
    ],
)
def test_another_value_before_a_comma_counts_near_now_alone(request_context, older: str, newer: str, relation: str):
    assert link(request_context, older, newer) == relation


@pytest.mark.parametrize(
    ("older", "newer", "is_doubted"),
    [
        ("The kiln holds at 900 degrees", "The kiln holds at 950 degrees", True),
        ("Schalen brennen nach 30 Tagen", "Schalen brennen nach 60 Tagen", True),
        ("Bake bowl 3 in the kiln", "Bake bowl 4 in the kiln", False),
    ],
)
def test_another_number_alone_is_doubted_and_hides_nothing(
    request_context, older: str, newer: str, *, is_doubted: bool
):
    save_memory(request_context(session="a"), SaveMemory(text=older, kind="decision"))
    saved = save_memory(request_context(session="a"), SaveMemory(text=newer, kind="decision"))

    assert saved.linked == []
    assert [each.title for each in saved.unclear] == [older] * is_doubted
