"""Ids: ordered by time, short when shown, never ambiguous once shown.

Theory
------
An id is a letter for what it names (`m` a memory), the second of its creation in six base-32 digits,
and five random digits. It starts with a letter, so no notation takes it for a number. The alphabet
has no i, l, o and u, which are read as something else (Crockford's base 32).

People and models are shown the shortest prefix that fits nothing else, eight characters at least. A later id of
the same second could make a prefix ambiguous that was shown before; so no id is taken that begins with one.
With eight characters there are 32 prefixes in a second, and when all were shown, no id could be made any more.
So half of those of each length are left to ids that are shown longer: 16 in a second have eight characters, 256
more have nine. (Of those a list may show less, what fits nothing else when it is made; if it is made in that
very second, more may come to fit.)
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from palimp_protocol.limits import ID_CHARACTERS_SHOWN

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
EPOCH_S: Final = 1_735_689_600
"""2025-01-01T00:00:00Z. Six digits of seconds last until 2059."""

TIME_DIGITS: Final = 6
RANDOM_DIGITS: Final = 5
RANDOM_BITS: Final = RANDOM_DIGITS * 5
ID_CHARACTERS: Final = 1 + TIME_DIGITS + RANDOM_DIGITS


_PAIRS: Final = [left + right for left in ALPHABET for right in ALPHABET]
"""Two digits for each ten bits: ids are made in every save."""


def new_id(kind: str, now_ms: int, random: int) -> str:
    """Return an id of *kind* (one letter) for the second of *now_ms*, with *random* of RANDOM_BITS bits."""
    return second_prefix(kind, now_ms) + _PAIRS[random >> 15] + _PAIRS[random >> 5 & 1023] + ALPHABET[random & 31]


def second_prefix(kind: str, now_ms: int) -> str:
    """Return what all ids of *kind* begin with that are made in the second of *now_ms*."""
    second = max(0, now_ms // 1000 - EPOCH_S) % 32**TIME_DIGITS
    return kind + _PAIRS[second >> 20] + _PAIRS[second >> 10 & 1023] + _PAIRS[second & 1023]


class IdsOfSecond:
    """The ids that were made in one second, and what was shown of each."""

    def __init__(self, second: str, ids: Iterable[str] = ()) -> None:
        """Take *ids*, of which anything may have been shown that stands for one alone; all begin with *second*."""
        self.second = second
        ids = list(ids)
        self._taken = Counter(prefix for each in ids for prefix in _prefixes(each))
        self._shown = {next((prefix for prefix in _prefixes(each) if self._taken[prefix] == 1), each) for each in ids}
        self._shown_of_length = Counter(map(len, self._shown))

    def add(self, drawn: str) -> str | None:
        """Take the id *drawn* and return what is shown of it; None when something that was shown fits it, too."""
        prefixes = _prefixes(drawn)
        if not self._shown.isdisjoint(prefixes):
            return None
        shown = next(prefix for prefix in prefixes if prefix not in self._taken and self._has_room(len(prefix)))
        self._taken.update(prefixes)
        self._shown.add(shown)
        self._shown_of_length[len(shown)] += 1
        return shown

    def _has_room(self, length: int) -> bool:
        """Whether fewer than half of the prefixes of *length* were shown; the last length is for whoever is left."""
        half = (len(ALPHABET) // 2) ** (length - ID_CHARACTERS_SHOWN + 1)
        return length == ID_CHARACTERS or self._shown_of_length[length] < half


def _prefixes(whole: str) -> list[str]:
    """Return the prefixes of the id *whole* that may be shown, shortest first."""
    return [whole[:length] for length in range(ID_CHARACTERS_SHOWN, len(whole) + 1)]


def normalize(prefix: str) -> str:
    """Return *prefix* as ids are spelled: lower case, with look-alike letters read as digits."""
    return prefix.strip().lower().translate(_LOOK_ALIKES)


_LOOK_ALIKES: Final = str.maketrans({"i": "1", "l": "1", "o": "0"})
