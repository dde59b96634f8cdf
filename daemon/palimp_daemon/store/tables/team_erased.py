"""SQL of hashes in `team_erased`: a text erased by a team does not return under another id."""

import hashlib
from typing import Final

from palimp_daemon.search.minhash import normalize
from palimp_daemon.store.store import Store

ERASED: Final = "it was deleted for good, here or by your team"
"""Reason for a memory whose text is not accepted, or not sent."""

_HASH_BYTES: Final = 16


def note_erased_text(store: Store, memory: str, text: str) -> None:
    """Note the hash of the erased *memory*'s *text*, if shared."""
    set_erased_hash(store, memory, _hash(store, text))


def set_erased_hash(store: Store, memory: str, text_hash: str) -> None:
    """Set the text hash of an erased memory; empty if unknown."""
    if text_hash:
        store.execute("UPDATE team_erased SET text = ? WHERE memory_id = ?", (text_hash, memory))


def is_text_erased(store: Store, text: str) -> bool:
    """Tell whether *text* was erased in a shared project."""
    if not has_erased_texts(store):
        return False
    return store.value("SELECT 1 FROM team_erased WHERE text != '' AND text = ?", (_hash(store, text),)) is not None


def has_erased_texts(store: Store) -> bool:
    """Tell whether any erased text's hash is known."""
    return bool(store.value("SELECT EXISTS (SELECT 1 FROM team_erased WHERE text != '')"))


def _hash(store: Store, text: str) -> str:
    team = store.value("SELECT id FROM team")
    if team is None:
        return ""
    said = normalize(text).encode("utf-8", "replace")
    return hashlib.blake2b(said, key=team.encode()[: hashlib.blake2b.MAX_KEY_SIZE], digest_size=_HASH_BYTES).hexdigest()
