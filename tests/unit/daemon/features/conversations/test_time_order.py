"""What was said last stands first where rows of conversations disagree, and nothing moves where they do not."""

from pathlib import Path

import pytest
from conversation_services import KeptConversations, transcript

from palimp_daemon.features.conversations.time_order import Said, numbers_in, order_of
from palimp_protocol.messages.memory_messages import Recall

DAY_MS = 86_400_000
ASKED = {"cap": 1.0, "backoff": 1.0, "retri": 0.5}


def said(session: int, day: int, *words: str, replaces: bool = False, **numbers: str) -> Said:
    """Return what a turn of *session* says on *day*: words of the question, and *numbers* by what they count."""
    beside = {word: frozenset(each.split()) for word, each in numbers.items()}
    return Said(session, day * DAY_MS, {word: ASKED[word] for word in words}, beside, replaces)


CAP = ("cap", "backoff")


@pytest.mark.parametrize(
    ("rows", "order"),
    [
        pytest.param([said(1, 1, *CAP), said(2, 2, *CAP, replaces=True)], [1, 0], id="the later says so"),
        pytest.param([said(1, 1, *CAP, s="60"), said(2, 2, *CAP, s="30")], [1, 0], id="another number of the same"),
        pytest.param(
            [said(1, 1, *CAP, s="60"), said(3, 3, *CAP, s="20"), said(2, 2, *CAP, s="30")], [1, 2, 0], id="three values"
        ),
        pytest.param([said(2, 2, *CAP, s="30"), said(1, 1, *CAP, s="60")], [0, 1], id="the newer stands first already"),
        pytest.param([said(1, 1, *CAP, replaces=True), said(2, 2, *CAP)], [0, 1], id="the earlier replaced another"),
        pytest.param([said(1, 1, *CAP, s="60"), said(2, 2, *CAP, s="60 5")], [0, 1], id="the same number, too"),
        pytest.param([said(1, 1, *CAP, s="60"), said(2, 2, *CAP, tries="4")], [0, 1], id="numbers of other things"),
        pytest.param([said(1, 1, *CAP), said(1, 1, *CAP, replaces=True)], [0, 1], id="one session"),
        pytest.param([said(1, 1, *CAP), said(2, 2, "retri", replaces=True)], [0, 1], id="about little of it"),
        pytest.param([said(1, 1), said(2, 2, replaces=True)], [0, 1], id="about nothing of it"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_the_later_stands_before_what_it_disagrees_with(rows: list[Said], order: list[int]):
    assert order_of(rows) == order


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("cap the backoff at 60 seconds", {"seconds": {"60"}}),
        ("Port 8000, then port 9000.", {"port": {"8000", "9000"}}),
        ("Node 22 in .nvmrc", {"node": {"22"}, "in": {"22"}}),
        ("80% of v1.2 and /api/v1 on 2025-01-02", {"%": {"80"}}),
        ("a1 b2", {}),
    ],
)
def test_a_number_is_known_by_the_words_beside_it(sentence: str, expected: dict[str, set[str]]):
    assert numbers_in(sentence) == expected


SESSIONS = (
    ("march", "The exporter's backoff needs a cap.", "Settled: the exporter caps its backoff at 60 seconds."),
    ("april", "Name the exporter's log file.", "The exporter logs to out.log, and its cap on lines is 9."),
    (
        "may",
        "The gateway kills idle exporters.",
        "Amended, superseding that: cap the exporter's backoff at 30 seconds.",
    ),
)


@pytest.fixture
async def talks(kept: KeptConversations, tmp_path: Path) -> KeptConversations:
    for month, (name, *texts) in enumerate(SESSIONS, 3):
        file = tmp_path / f"{name}.jsonl"
        file.write_text(transcript(*texts, session=name).replace("2025-11-21T", f"2025-0{month}-21T"))
        await kept.read(file, kept.caller(session=name))
    return kept


async def months(kept: KeptConversations, query: str) -> list[str]:
    """Return the answers that speak of the backoff, by their seconds."""
    found = await kept.conversations.recall(Recall(query=query, kind="conversation"), kept.caller(session="new"))
    texts = [each.snippet + each.title for each in found.memories]
    return [number for text in texts for number in ("60", "30") if f"{number} seconds" in text.replace("*", "")]


async def test_what_was_said_last_is_told_first(talks: KeptConversations):
    assert await months(talks, "at which cap is the exporter's backoff") == ["30", "60"]


async def test_a_question_about_the_past_is_answered_as_it_was_found(talks: KeptConversations):
    asked = "what was the exporter's cap of 60 seconds on the backoff before the amendment, originally settled"
    assert await months(talks, asked) == ["60", "30"]
