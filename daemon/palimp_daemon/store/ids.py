"""Make ids: a letter for the kind, the second in six base-32 digits (Crockford), five random digits; a prefix is shown.

It ends at the first random digit in the alphabet's lower half, at eight characters or more, so that none is a prefix of
another. Of a second 16 ids are shown with eight characters, 256 more with nine.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Final

from palimp_protocol.limits import ID_CHARACTERS_SHOWN, ID_TRIES_MAX

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
EPOCH_S: Final = 1_735_689_600
"""2025-01-01T00:00:00Z. Six digits of seconds last until 2059."""

TIME_DIGITS: Final = 6
RANDOM_DIGITS: Final = 5
RANDOM_BITS: Final = RANDOM_DIGITS * 5


_UPPER_HALF: Final = ALPHABET[len(ALPHABET) // 2]

_PAIRS: Final = [left + right for left in ALPHABET for right in ALPHABET]
"""Precomputed two digits for each ten bits: every save makes ids."""


def new_id(kind: str, now_ms: int, random: int) -> str:
    """Return an id of *kind* (one letter); *random* has RANDOM_BITS bits."""
    return second_prefix(kind, now_ms) + _PAIRS[random >> 15] + _PAIRS[random >> 5 & 1023] + ALPHABET[random & 31]


def second_prefix(kind: str, now_ms: int) -> str:
    """Return the common beginning of ids of a second."""
    second = max(0, now_ms // 1000 - EPOCH_S) % 32**TIME_DIGITS
    return kind + _PAIRS[second >> 20] + _PAIRS[second >> 10 & 1023] + _PAIRS[second & 1023]


def id_of_content(kind: str, content: bytes) -> str:
    """Return an id of *kind* that depends on *content* alone."""
    bits = int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())
    digits = (ALPHABET[bits >> 5 * place & 31] for place in range(TIME_DIGITS + RANDOM_DIGITS))
    return kind + "".join(digits)


def shown_of(whole: str) -> str:
    """Return the shown part of the id *whole*."""
    for length in range(ID_CHARACTERS_SHOWN, len(whole)):
        if whole[length - 1] < _UPPER_HALF:
            return whole[:length]
    return whole


class IdsOfSecond:
    """Shown forms of the ids of one second."""

    def __init__(self, kind: str, now_ms: int, ids: Iterable[str] = ()) -> None:
        """Begin with known *ids* of that kind and second."""
        self.prefix = second_prefix(kind, now_ms)
        self._kind, self._now_ms = kind, now_ms
        self._shown = {shown_of(each) for each in ids}
        self._longer_by = 0
        """Characters added to the shortest shown form when short ids run out."""

    def draw(self, random: Callable[[], int]) -> tuple[str, str] | None:
        """Return a free id and its shown form, as short as possible, if any."""
        while self._longer_by < RANDOM_DIGITS:
            for _ in range(ID_TRIES_MAX):
                drawn = new_id(self._kind, self._now_ms, _shown_longer(random(), self._longer_by))
                if (shown := shown_of(drawn)) not in self._shown:
                    self._shown.add(shown)
                    return drawn, shown
            self._longer_by += 1
        return None


def _shown_longer(random: int, by: int) -> int:
    highest = [1 << (RANDOM_BITS - 1 - 5 * place) for place in range(by + 1)]
    return (random | sum(highest)) ^ highest[-1]


def normalize(prefix: str) -> str:
    """Return *prefix* in lower case, look-alike letters as digits."""
    return prefix.strip().lower().translate(_LOOK_ALIKES)


_LOOK_ALIKES: Final = str.maketrans({"i": "1", "l": "1", "o": "0"})
