"""Ids: ordered by time, short when shown, never ambiguous once shown if it can be helped.

Theory
------
An id is a letter for what it names (`m` a memory), the second of its creation in six base-32 digits,
and five random digits. It starts with a letter, so no notation takes it for a number. The alphabet
has no i, l, o and u, which are read as something else (Crockford's base 32).

People and models are shown the shortest prefix that fits nothing else, eight characters at least.
A later id of the same second could make a prefix ambiguous that was shown before; so a new id is
drawn again while its first eight characters are taken (by `memories.draw_id`).
"""

from typing import Final

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
EPOCH_S: Final = 1_735_689_600
"""2025-01-01T00:00:00Z. Six digits of seconds last until 2059."""

TIME_DIGITS: Final = 6
RANDOM_DIGITS: Final = 5
RANDOM_BITS: Final = RANDOM_DIGITS * 5


_PAIRS: Final = [left + right for left in ALPHABET for right in ALPHABET]
"""Two digits for each ten bits: ids are made in every save."""


def new_id(kind: str, now_ms: int, random: int) -> str:
    """Return an id of *kind* (one letter) for the second of *now_ms*, with *random* of RANDOM_BITS bits."""
    return second_prefix(kind, now_ms) + _PAIRS[random >> 15] + _PAIRS[random >> 5 & 1023] + ALPHABET[random & 31]


def second_prefix(kind: str, now_ms: int) -> str:
    """Return what all ids of *kind* begin with that are made in the second of *now_ms*."""
    second = max(0, now_ms // 1000 - EPOCH_S) % 32**TIME_DIGITS
    return kind + _PAIRS[second >> 20] + _PAIRS[second >> 10 & 1023] + _PAIRS[second & 1023]


def normalize(prefix: str) -> str:
    """Return *prefix* as ids are spelled: lower case, with look-alike letters read as digits."""
    return prefix.strip().lower().translate(_LOOK_ALIKES)


_LOOK_ALIKES: Final = str.maketrans({"i": "1", "l": "1", "o": "0"})
