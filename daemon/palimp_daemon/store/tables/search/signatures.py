"""SQL of `sketches`: memories similar to a text, or on its subject."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import in_list, insert_rows, row_list
from palimp_daemon.search.minhash import SHARED_MIN, SIGNATURE_SIZE, SIMILARITY_MIN, normalize, similarity, words_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq
from palimp_protocol.decoders import decoder_of

ENTRIES_MAX: Final = 64
"""Signature entries read per text, so that common word pairs do not slow a save."""

CANDIDATES_MAX: Final = 8
"""Memories compared word by word with a new one, those with the most shared hashes first."""

NEWER_THAN_ALL: Final = 2**63 - 1
"""The number of a text not yet stored."""

SIMILAR_SHOWN_MAX: Final = 3
"""Near-duplicates named in an answer."""


MEMORIES_PER_WORD_MAX: Final = 24
"""A subject word in more memories is ignored."""


class Text(NamedTuple):
    """A text that may be stored already; *key*: `search.minhash.text_key`."""

    project_id: int
    kind: str
    key: int
    content: str


def same_memories(store: Store, texts: Sequence[Text]) -> list[int | None]:
    """Return the newest memory in force with each text's project, kind and content."""
    listed, values = row_list([(place, text.key, text.project_id, text.kind) for place, text in enumerate(texts, 1)])
    found: list[tuple[int, int, str]] = store.rows(
        f"SELECT column1, m.seq, m.content FROM {listed} CROSS JOIN sketches s ON s.hash = column2"
        " CROSS JOIN memories m ON m.seq = s.seq WHERE column1 IS NOT NULL AND m.project_id = column3"
        " AND m.kind = column4 AND m.deleted_at IS NULL AND m.superseded_by IS NULL ORDER BY m.seq",
        values,
    )
    same: list[int | None] = [None] * len(texts)
    for place, seq, content in found:
        if normalize(content) == normalize(texts[place - 1].content):
            same[place - 1] = seq
    return same


def similar_memories(store: Store, project_id: int, words: list[bytes], hashes: list[int]) -> list[Row]:
    """Return the project's memories similar to *words*, signed by *hashes*, best first."""
    [entries] = signature_entries(store, [(NEWER_THAN_ALL, hashes)])
    return similar_among(store, entries, project_id, words, hashes)


def signature_entries(store: Store, signatures: Sequence[tuple[int, list[int]]]) -> list[list[int]]:
    """Return the ENTRIES_MAX newest older memories of each, once per shared hash."""
    places = ", ".join(f"column{number + 2}" for number in range(SIGNATURE_SIZE))
    listed, values = row_list([(seq, *hashes, *[None] * (SIGNATURE_SIZE - len(hashes))) for seq, hashes in signatures])
    # One row for all: each row is a hand-over of the interpreter's lock.
    found: str = store.value(
        "SELECT json_group_array((SELECT group_concat(seq, ' ') FROM (SELECT seq FROM sketches"
        f" WHERE hash IN ({places}) AND seq < column1 ORDER BY seq DESC LIMIT {ENTRIES_MAX})))"
        f" FROM {listed} WHERE column1 IS NOT NULL",
        values,
    )
    return [[int(seq) for seq in (each or "").split()] for each in decoder_of(list[str | None]).decode(found)]


def similar_among(
    store: Store, entries: Sequence[int], project_id: int, words: list[bytes], hashes: list[int]
) -> list[Row]:
    """Return the `similar_memories` among *entries* (`signature_entries`)."""
    least = min(SHARED_MIN, len(hashes))
    if not entries or (least > 1 and len(entries) == len(set(entries))):
        return []  # nobody shares enough: so it is with most texts, and counting takes longer than to see that
    candidates = [seq for seq, count in Counter(entries).most_common(CANDIDATES_MAX) if count >= least]
    texts = _texts(store, candidates, project_id)
    scores = {seq: similarity(words, words_of(texts[seq])) for seq in candidates if seq in texts}
    near = [seq for seq in sorted(scores, key=lambda seq: -scores[seq]) if scores[seq] >= SIMILARITY_MIN]
    return rows_by_seq(store, near[:SIMILAR_SHOWN_MAX])


def _texts(store: Store, seqs: Sequence[int], project_id: int) -> dict[int, str]:
    if not seqs:
        return {}
    places, values = in_list(seqs)
    is_valid = "project_id = ? AND deleted_at IS NULL AND superseded_by IS NULL"
    statement = f"SELECT seq, content FROM memories WHERE seq IN {places} AND {is_valid}"
    return dict(store.rows(statement, (*values, project_id)))


def insert_signatures(store: Store, signatures: Sequence[tuple[int, list[int]]]) -> None:
    """Store *signatures* by memory; the hashes include the text's key."""
    entries = [(each, seq) for seq, hashes in signatures for each in hashes]
    if entries:
        insert_rows(store.connection, "sketches (hash, seq)", entries, or_ignore=True)


class MemoryText(NamedTuple):
    """A memory's text or its beginning, time and session."""

    seq: int
    title: str
    content: str
    kind: str
    session: int | None
    created_at: int


def newest_with_key(store: Store, keys: Sequence[int]) -> dict[int, list[int]]:
    """Return each key's (`search.subject_words`) MEMORIES_PER_WORD_MAX + 1 newest memories."""
    newest = f"SELECT seq FROM sketches WHERE hash = column1 ORDER BY seq DESC LIMIT {MEMORIES_PER_WORD_MAX + 1}"
    if not keys:
        return {}
    listed, values = row_list([(key,) for key in keys])
    # One row for each: each row is a hand-over of the interpreter's lock.
    found = store.rows(
        f"SELECT column1, (SELECT group_concat(seq, ' ') FROM ({newest})) FROM {listed} WHERE column1 IS NOT NULL",
        values,
    )
    return {key: [int(seq) for seq in seqs.split()] for key, seqs in found if seqs}


def current_among(store: Store, project: int, seqs: Sequence[int], characters: int) -> dict[int, MemoryText]:
    """Return *project*'s memories in force among *seqs*, with *characters* of text."""
    if not seqs:
        return {}
    places, numbers = in_list(seqs)
    found = store.rows(
        "SELECT seq, title, substr(content, 1, ?), kind, session_id, created_at FROM memories"
        # The plus keeps SQLite from going through all that the project has.
        f" WHERE seq IN {places} AND +project_id = ? AND deleted_at IS NULL AND superseded_by IS NULL",
        (characters, *numbers, project),
    )
    return {row[0]: MemoryText(*row) for row in found}
