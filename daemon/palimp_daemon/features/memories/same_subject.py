"""Find the older memories on a new one's subject, for the answer to its save.

They share two telling words with it, or a rare one (`search.subject_words`), and enough of all words
(`judgement.replacing`), or have a rare name that by the new one holds no more (`text.former_values`). All but the first
of a group of saves share SUBJECT_BUDGET_S.
"""

import time
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from palimp_daemon.judgement.replacing import Statement, log_odds, share_of
from palimp_daemon.search.plan import inverse_frequency
from palimp_daemon.search.subject_words import SUBJECT_WORDS, roots_of, subject_keys, subject_words
from palimp_daemon.store.store import Store, newest_memory
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq
from palimp_daemon.store.tables.search.signatures import (
    MEMORIES_PER_WORD_MAX,
    MemoryText,
    current_among,
    newest_with_key,
)
from palimp_daemon.text.former_values import names_of_former, values_replaced
from palimp_daemon.text.titles import with_title

FEW: Final = 3
"""A word in at most so many memories is rare; candidates share one, or two others."""

CANDIDATES_MAX: Final = 3
"""Memories compared with a new one word by word."""

SIFTED_MAX: Final = 12
"""Candidates checked for whether they still hold, rarest shared words first."""

SHARE_MIN: Final = 0.3
"""Share of the shorter text's words (`judgement.replacing.share_of`) that makes two texts' subject the same."""

SUBJECT_BUDGET_S: Final = 0.001
"""Seconds for a group of saves after its first; each needs a fifth of a millisecond."""

READ_CHARACTERS: Final = 600
"""Characters read of each text."""


class NewMemoryText(NamedTuple):
    """A memory about to be stored."""

    project: int
    title: str
    content: str
    kind: str
    session: int | None
    created_at: int
    keys: Sequence[int]
    """Of its subject words (`search.subject_words`)."""


class OnSubject(NamedTuple):
    """An older memory on the subject, and the log odds that the new one replaces it."""

    odds: float
    row: Row


def on_same_subject(store: Store, asked: Sequence[NewMemoryText]) -> list[list[OnSubject]]:
    """Return the memories on each one's subject, likeliest replaced first."""
    ends_at = time.monotonic() + SUBJECT_BUDGET_S
    newest = newest_memory(store)
    return [
        _about(store, each, newest) if newest and (number == 0 or time.monotonic() < ends_at) else []
        for number, each in enumerate(asked)
    ]


def _about(store: Store, asked: NewMemoryText, newest: int) -> list[OnSubject]:
    found = newest_with_key(store, [*dict.fromkeys([*asked.keys, *_former_keys(asked.content)])])
    likely = likeliest({key: seqs for key, seqs in found.items() if len(seqs) <= MEMORIES_PER_WORD_MAX}, newest)
    current = current_among(store, asked.project, likely[:SIFTED_MAX], READ_CHARACTERS)
    if not current:
        return []
    new = Statement(_words(asked.title, asked.content[:READ_CHARACTERS]), asked.kind, asked.session, asked.created_at)
    chosen = [current[seq] for seq in likely if seq in current][:CANDIDATES_MAX]
    old = {each.seq: _statement(each) for each in chosen}
    rare = {seq for seqs in found.values() if len(seqs) <= FEW for seq in seqs}
    odds = {
        seq: log_odds(new, each, None)
        for seq, each in old.items()
        if each.created_at <= new.created_at
        and (
            share_of(new.words, each.words) >= SHARE_MIN
            or (seq in rare and _is_said_of(names_of_former(asked.content, current[seq].content), found))
        )
    }
    in_order = sorted(odds, key=lambda seq: (-odds[seq], -seq))
    return [OnSubject(odds[row.seq], row) for row in rows_by_seq(store, in_order)]


def _former_keys(content: str) -> list[int]:
    words = (word for value in values_replaced(content) for word in subject_words(value))
    return subject_keys(islice(words, SUBJECT_WORDS))


def _is_said_of(names: Sequence[str], found: Mapping[int, Sequence[int]]) -> bool:
    keys = (subject_keys(subject_words(name)) for name in names)
    return any(0 < len(found.get(key, ())) <= FEW for each in keys for key in each)


def likeliest(found: Mapping[int, Sequence[int]], memories: int) -> list[int]:
    """Return the memories that share two words, or one that FEW have, rarest shares first.

    *found* maps words to memories, of *memories* in all.
    """
    weights: dict[int, float] = {}
    counts: dict[int, int] = {}
    for seqs in found.values():
        rarity = inverse_frequency(len(seqs), memories)
        for seq in seqs:
            weights[seq] = weights.get(seq, 0.0) + rarity
            counts[seq] = counts.get(seq, 0) + (2 if len(seqs) <= FEW else 1)
    return sorted((seq for seq, count in counts.items() if count > 1), key=lambda seq: (-weights[seq], -seq))


def _statement(said: MemoryText) -> Statement:
    return Statement(_words(said.title, said.content), said.kind, said.session, said.created_at)


def _words(title: str, content: str) -> frozenset[str]:
    # Not the index's stems, as `store.tables.memory_statements` compares: those of a new text must be asked for first.
    return roots_of(with_title(title, content))
