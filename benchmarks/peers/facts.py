"""What is saved and asked: facts that can be told apart, a question for each, and a code that stands in one alone.

Every fact is a pair of a component and a concern, with a decision and a reason. A question names the pair in a person's
words; its answer is right when it holds the fact's code, which the question does not. The words of a question stand
in its fact, mostly, and in forty others, one or the other.
"""

import random
import re
from typing import NamedTuple

COMPONENTS = (
    "billing importer", "login page", "search indexer", "mail sender", "report export", "image resizer",
    "payment webhook", "audit log", "session cache", "rate limiter", "file uploader", "user directory",
    "nightly backup", "price calculator", "message broker", "feature flags", "graph editor", "tax engine",
    "calendar sync", "push notifier", "license check", "data warehouse", "map renderer", "chat gateway",
    "invoice archive",
)  # fmt: skip
CONCERNS = (
    ("retries", "retries are capped at {n}", "the remote side bans callers that insist"),
    ("timeouts", "timeouts stand at {n} seconds", "slower answers were always lost ones"),
    ("time zones", "time zones are kept as UTC with {n} digits", "summer time doubled an hour in March"),
    ("encoding", "the encoding is UTF-8 with {n} escapes", "two customers send Latin-1"),
    ("sorting", "sorting is done in the database by {n} columns", "the browser froze with long lists"),
    ("pagination", "pagination goes by cursor, {n} rows a page", "offsets skipped rows under load"),
    ("locking", "locking is optimistic with {n} attempts", "row locks piled up at month's end"),
    ("rounding", "rounding is half-even to {n} places", "the auditors add up the columns"),
    ("migrations", "migrations run {n} at a time before the deploy", "a long one once blocked the start"),
    ("secrets", "secrets come from the vault and live {n} minutes", "an old dump held a password"),
    ("logging", "logging keeps {n} days without bodies", "the disk was full on a Sunday"),
    ("validation", "validation rejects more than {n} fields", "a fuzzer found a quadratic loop"),
    ("compression", "compression is zstd at level {n}", "gzip cost more than the network"),
    ("batching", "batching joins {n} records", "single inserts waited for the disk"),
    ("ordering", "ordering is by sequence number modulo {n}", "clocks of two hosts disagreed"),
    ("fonts", "fonts are embedded with {n} glyphs", "the printer replaced ligatures"),
    ("deletion", "deletion is soft for {n} weeks", "support had to restore accounts"),
    ("webhooks", "webhooks are signed and tried {n} times", "a partner replayed old ones"),
    ("testing", "testing uses {n} recorded answers", "the sandbox was down every Friday"),
    ("permissions", "permissions are checked in {n} layers", "a report leaked another team's rows"),
)
WORDINGS = (
    "What did we decide about {concern} in the {component}?",
    "How does the {component} handle {concern}?",
    "why is {concern} in the {component} the way it is",
    "I need to change {concern} for the {component}, is there anything I should know?",
)
WORD = re.compile(r"[a-z0-9-]{3,}")
SKIPPED = frozenset(
    "what did decide about the does handle why way need change for there anything should know and are with that".split()  # noqa: SIM905  easier to read
)


class Fact(NamedTuple):
    """One memory, what is asked for it, and what tells it from all others."""

    text: str
    question: str
    code: str


def facts(count: int, seed: int) -> list[Fact]:
    """Return *count* facts in random order, no two of one pair while there are pairs left."""
    chance = random.Random(seed)
    pairs = [(component, concern) for component in COMPONENTS for concern in CONCERNS]
    chance.shuffle(pairs)
    made: list[Fact] = []
    for number in range(count):
        component, (name, decision, reason) = pairs[number % len(pairs)]
        code = f"{chance.choice('BCDFGHJKLM')}{chance.choice('NPQRSTVWXZ')}{seed % 100:02}{number:04}"
        text = (
            f"Ticket {code}: in the {component}, {decision.format(n=chance.randrange(2, 90))}."
            f" The reason is that {reason}."
        )
        made.append(Fact(text, chance.choice(WORDINGS).format(concern=name, component=component), code))
    return made


def words_of(text: str) -> list[str]:
    """Return the words of *text* that a model would take for keywords."""
    return [word for word in dict.fromkeys(WORD.findall(text.lower())) if word not in SKIPPED]
