"""Conversations of several tones that no rule was written from: what is captured of them, and what is not.

Each of MUST names the kind that is right; LEAST says how many of them are captured with it at least.
Of `MUST_NOT` nothing is captured.
"""

from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import Message

MUST = [
    (
        "decision",
        "A: Do we keep the invoices in S3 or on the NAS?",
        "U: S3, with object lock. the NAS goes away in May",
    ),
    ("decision", "U: Talked to Priya and Tom: we drop Safari 14 with the next release, 0.3 % of users are left."),
    (
        "decision",
        "A: 1) retry in the client 2) a queue 3) let it fail",
        "U: 2) since the mobile network drops twice a day",
    ),
    ("decision", "U: Das haben wir heute beschlossen: Mandanten bekommen je ein eigenes Schema."),
    ("decision", "U: Acordamos con el cliente que las facturas se guardan diez años, nunca menos."),
    ("decision", "U: all timestamps in the event log are UTC with milliseconds, no offsets, the parser chokes on them"),
    ("decision", "U: we're going with pgbouncer in transaction mode, so prepared statements are out"),
    ("preference", "U: please never amend commits that I have already reviewed"),
    ("preference", "U: From now on, write the summary first and the details below, I read on the phone."),
    ("preference", "U: Schreib Commit-Nachrichten bitte immer auf Englisch und im Imperativ."),
    ("preference", "U: No toques nunca la carpeta vendor sin preguntarme, por favor."),
    ("preference", "U: I don't like it when tests share fixtures, always build them in the test itself"),
    ("correction", "A: I set the retention to 30 days.", "U: no, it's 90 days for audit logs, legal asked for it"),
    (
        "correction",
        "A: The token is read from the cookie.",
        "U: That's wrong, it comes in the X-Auth header since 2.4.",
    ),
    ("correction", "A: Ich nehme Port 8080.", "U: Nein, 8080 ist falsch, der Dienst läuft auf 9090."),
    ("correction", "A: El límite es 100 por minuto.", "U: No, es 60 por minuto, lo bajaron en marzo."),
    (
        "fix",
        "U: the nightly job hangs",
        "A: Both workers took the two locks in different order, a deadlock. I sorted the"
        " locks by id; it ran 50 times without hanging.",
    ),
    (
        "fix",
        "U: login fails behind the proxy",
        "A: The cause was the missing X-Forwarded-Proto header, so cookies were not"
        " secure. I set it in the proxy and login works again.",
    ),
    (
        "finding",
        "U: compare both serializers on the large dump",
        "A: msgpack takes 1.9 s and 210 MB, JSON 7.4 s and 390 MB on the same dump.",
    ),
    (
        "finding",
        "U: how much memory does the index need?",
        "A: 1.2 GB for a million rows, of which 700 MB are vectors.",
    ),
    ("note", "U: btw remember that the demo account is wiped every night"),
]

LEAST = 19
"""Of MUST that are captured with their kind: nine in ten."""

MUST_NOT = [
    ("U: run the tests",),
    ("U: fix this now, the demo is in ten minutes",),
    ("U: can you add a button for the export next to the filter?",),
    ("U: rename it to order_lines and push",),
    ("U: Mach bitte den Build grün und dann committe das.",),
    ("U: ejecuta las pruebas otra vez y mira el log",),
    ("U: why is the second request slower than the first?",),
    ("U: should we use a mutex here or is the queue enough?",),
    ("U: vielleicht nehmen wir irgendwann Kafka, mal sehen",),
    ("U: the page is white, look at the console",),
    ("U: thanks, that looks good. next one",),
    ("A: I'll now run the test suite and check the logs.", "U: ok"),
    ("A: Let me check how the cache is filled before I change anything.",),
    ("A: Done. I renamed the field in 14 files and the tests pass.", "U: great"),
    ("A: Now I will always close the file first. Running the linter next.",),
    ("A: Jetzt schaue ich mir die Konfiguration an und starte den Server.",),
    ('U: Traceback (most recent call last):\n  File "a.py", line 3, in run\nValueError: must never be empty',),
    ("U: > we always deploy on Mondays\nis that still in the wiki?",),
    ("A: Shall I split the module?", "U: hmm, not now. let's see after the release"),
    ("A: Shall I delete the old branch?", "U: no, leave it"),
]


def kinds_of(said: tuple[str, ...]) -> list[str]:
    """Return the kinds of the memories that are captured from messages, of which each begins with U: or A:."""
    roles = {"U": "user", "A": "assistant"}
    return [each.kind for each in extracts_of([Message(roles[text[0]], text[2:].strip()) for text in said])]


def test_most_of_what_is_worth_it_is_captured_with_its_kind():
    missed = [(kind, said[-1], found) for kind, *said in MUST if kind not in (found := kinds_of(tuple(said)))]
    assert len(MUST) - len(missed) >= LEAST, missed


def test_orders_questions_narration_and_pasted_texts_give_nothing():
    assert [(said[-1], found) for said in MUST_NOT if (found := kinds_of(said))] == []
