"""Short messages that settle something by their form, where there is too little to weigh.

Each language has its own words (`languages.language.Terse`). A word of the moment outweighs all forms.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from palimp_daemon.features.capture.rules.cues import STILL_FAILS, AnyOf, InAnyLanguage, is_of_the_moment
from palimp_daemon.features.capture.rules.decisions import DECIDED
from palimp_daemon.features.capture.rules.shared_words import length_in_words, names_in, stems, words_of
from palimp_daemon.features.capture.rules.signs import SIGNS, is_noncommittal
from palimp_daemon.languages.language import Terse, one_line, sections_of_all

TerseKind = Literal["decision", "preference", "correction"]

WORDS_MAX: Final = 12
"""Words of a message in which a single sign tells; in a longer one it may be about anything."""

CHARACTERS_MAX: Final = 240
"""Characters of such a message, twice those of most: patterns of languages take the square of a longer one's."""

NAMED_WORDS_MAX: Final = 3
"""Words of a thing named in passing: "no new dependencies"."""

LASTING_WORDS_MIN: Final = 3
"""Words of a rule that ends with always or everywhere; "yes, always" is about something said before."""

PARTS_REPLACING: Final = 3
"""A denial, the name wanted, and the one not wanted."""

OPENINGS_MAX: Final = 3
"""Openings before the sentence proper: "nope, ok, well"."""

_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*")
_BEHIND_COMMA: Final = re.compile(r"(?<=[,，、;] )[^,，、;]+")
_PATH: Final = AnyOf(r"(?:^|\s)\.?[\w.-]+/")
_OPENING: Final = InAnyLanguage(
    lambda words: rf"^\W*(?:{one_line(words.opening)})\b[\s,;:!.…–—-]+(?=\S)" if words.opening else ""
)


@cache
def _languages() -> list[Terse]:
    return [each.terse for each in sections_of_all(lambda one: one.capture) if each.terse]


@cache
def _re(pattern: str) -> re.Pattern[str]:
    """Compile a language's pattern; an empty one is found nowhere."""
    return re.compile(one_line(pattern) or r"(?!)", re.IGNORECASE)


def terse_kind(sentences: Sequence[str], before: str) -> TerseKind | None:
    """Return the kind of a short message that settles something by its form, or None."""
    if not is_terse(sentences) or any(map(is_noncommittal, sentences)):
        return None
    text = " ".join(sentences)
    for words in _languages() if len(sentences) == 1 else ():
        if kind := _kind_for_now(words, text):
            return kind
    if any(map(is_of_the_moment, sentences)):
        return None
    return "decision" if before and picks(text) else _kind_in_any(sentences, text, before)


def _kind_in_any(sentences: Sequence[str], text: str, before: str) -> TerseKind | None:
    speaking = [words for words in _languages() if _speaks(words, text)]
    if any(_is_passing(words, text) for words in speaking):
        return None
    for words in speaking:
        if kind := _kind_in(words, sentences, before):
            return kind
    return None


def _kind_for_now(words: Terse, text: str) -> TerseKind | None:
    end = _re(rf"\s+(?:{one_line(words.for_now)})\W*$").search(text) if words.for_now else None
    rest = text[: end.start()] if end else ""
    if not rest or is_of_the_moment(rest) or _is_passing(words, rest):
        return None
    if (found := _re(words.none_of).match(rest)) and _re(words.idle).match(rest[found.end() :]):
        return None
    is_settled = found and _re(words.ours).search(rest)
    if is_settled or _re(words.practice).fullmatch(rest) or any(_states_practice(words, each) for each in (rest, text)):
        return _kind_of_thing(rest)
    return None


def _speaks(words: Terse, text: str) -> bool:
    acts = (words.order, words.bans, words.none_of, words.unasked, words.protects, words.settles, words.bound)
    others = (words.from_now, words.lasting, words.denies, words.rather, words.instead, words.only)
    return any(_re(sign).search(each) for sign in (*acts, *others) for each in _starts(text))


def _is_passing(words: Terse, text: str) -> bool:
    without = _re(words.ours).sub(" ", text)
    rest = _re(words.lasting).sub(" ", _re(words.from_now).sub(" ", without))
    if _re(words.moment).search(rest) or _re(words.told).search(text):
        return True
    return rest == without and bool(_re(words.at_hand).search(rest))


def is_terse(sentences: Sequence[str]) -> bool:
    """Tell whether *sentences* are a short message."""
    is_short = sum(map(len, sentences)) <= CHARACTERS_MAX
    return is_short and 0 < sum(map(length_in_words, sentences)) <= WORDS_MAX


def is_standing_order(sentences: Sequence[str]) -> bool:
    """Tell whether a short message is an order for always, or never."""
    return is_terse(sentences) and any(_orders_always(words, sentences) for words in _languages())


def picks(text: str) -> bool:
    """Tell whether *text* is the name of a thing picked: "postgres it is"."""
    return any(_re(words.picked).match(each) for words in _languages() for each in _starts(text))


def tells_how_it_was(sentences: Sequence[str]) -> bool:
    """Tell whether a short message only reports: "never seen that"."""
    text = " ".join(sentences)
    return is_terse(sentences) and any(_re(words.told).search(text) for words in _languages() if _speaks(words, text))


def _orders_always(words: Terse, sentences: Sequence[str]) -> bool:
    text = " ".join(sentences)
    if any(_re(sign).search(text) for sign in (words.told, words.settles)) or _re(words.denies).match(text):
        return False
    if len(set(_lasting_words(words, text))) > 1:
        return True
    is_lasting = _is_lasting(words, text) or _re(words.from_now).search(text)
    return bool(is_lasting and _re(words.order).search(text))


def _is_lasting(words: Terse, text: str) -> bool:
    """Tell whether *text* has a word of rules, not ending a task: "rename it everywhere"."""
    found = [*_re(words.lasting).finditer(text)]
    return bool(found) and not (SIGNS["task"].search(text) and _is_end(text, found[0]))


def _is_end(text: str, found: re.Match[str]) -> bool:
    return not text[found.end() :].strip(" .!。")


def _lasting_words(words: Terse, text: str) -> list[str]:
    return [found[0].lower() for found in _re(words.lasting).finditer(text)]


def _kind_in(words: Terse, sentences: Sequence[str], before: str) -> TerseKind | None:
    text = " ".join(sentences)
    kind = _lasting_kind(words, sentences)
    if not kind and not (STILL_FAILS.search(text) or SIGNS["task"].search(text)):
        kind = _kind_of_denial(words, text, before) or _kind_of_two_names(words, sentences)
    for each in sentences:
        kind = kind or _kind_by_form(words, each, before)
    rejects = before and not before.rstrip().endswith(("?", "？")) and _re(words.denies).match(text)
    return "correction" if kind and rejects else kind


def _lasting_kind(words: Terse, sentences: Sequence[str]) -> TerseKind | None:
    text = " ".join(sentences)
    if _orders_always(words, sentences):
        return "preference"
    if _re(words.from_now).search(text):
        return _kind_of_thing(text)
    is_at_end = any(_is_end(text, found) for found in _re(words.lasting).finditer(text)) and _is_lasting(words, text)
    is_rule = is_at_end and length_in_words(text) >= LASTING_WORDS_MIN and not _re(words.idle).search(text)
    return "preference" if is_rule else None


def _kind_of_thing(text: str) -> TerseKind:
    return "preference" if SIGNS["way"].search(text) else "decision"


def _kind_of_denial(words: Terse, text: str, before: str) -> TerseKind | None:
    starts = _starts(text)
    if not before or not any(_re(words.denies).match(each) or _re(words.rather).match(each) for each in starts):
        return None
    said, former = set(_NUMBER.findall(text)), set(_NUMBER.findall(before))
    if said and former and not said & former and not _is_counted(before):
        return "correction"
    is_about_it = bool(stems(text) & stems(before))
    return "correction" if is_about_it and any(map(_re(words.states).match, starts)) else None


def _is_counted(before: str) -> bool:
    """Tell whether the agent's numbers are only what it found."""
    return any(_re(words.observed).search(before) for words in _languages())


def _kind_of_two_names(words: Terse, sentences: Sequence[str]) -> TerseKind | None:
    parts = [each for sentence in sentences for each in re.split(r"[,;:–—-]\s+", sentence.rstrip(" .!"))]
    if len(parts) != PARTS_REPLACING or not _re(words.denies).match(f"{parts[0]}, "):
        return None
    not_wanted = _re(words.none_of).match(parts[2])
    names = [parts[1], parts[2][not_wanted.end() :]] if not_wanted else []
    is_named = all(0 < length_in_words(each) <= NAMED_WORDS_MAX and not _re(words.idle).search(each) for each in names)
    return "decision" if names and is_named else None


def _kind_by_form(words: Terse, sentence: str, before: str) -> TerseKind | None:
    starts = _starts(sentence)
    if DECIDED.search(sentence) or any(_states_practice(words, each) for each in starts):
        return "decision"
    if _tells_way_to_work(words, sentence):
        return "preference"
    parts = [*starts, *_BEHIND_COMMA.findall(sentence)]
    if any(_bans(words, each) for each in starts) or any(_does_without(words, each, before) for each in parts):
        return "preference" if _re(words.unasked).search(sentence) else _kind_of_thing(sentence)
    return _put_instead(words, starts[-1], before)


def _states_practice(words: Terse, text: str) -> bool:
    return bool(_re(words.settles).search(text) or _re(words.bound).match(text))


def _tells_way_to_work(words: Terse, sentence: str) -> bool:
    """Tell whether *sentence* protects a place, asks to be asked, or is about style."""
    if any(_is_protected(words, each) for each in _starts(sentence)):
        return True
    if _re(words.unasked).search(sentence) and _re(words.order).search(sentence):
        return True
    is_of_way = SIGNS["way"].search(sentence) and not SIGNS["imperative"].search(sentence)
    return bool(is_of_way and _re(words.only).search(sentence))


def _bans(words: Terse, text: str) -> bool:
    found = _re(words.bans).match(text)
    return bool(found) and not _re(words.idle).search(text[found.end() - 1 :])


def _is_protected(words: Terse, text: str) -> bool:
    return bool(_re(words.protects).search(text)) and bool(_PATH.search(text) or _re(words.ours).search(text))


def _does_without(words: Terse, text: str, before: str) -> bool:
    found = _re(words.none_of).match(text)
    if not found:
        return False
    named = words_of(_re(words.please).sub(" ", text[found.end() :]))
    if not named or _re(words.idle).match(text[found.end() :]):
        return False
    if any(_re(sign).search(text) for sign in (words.please, words.ours, words.unasked)):
        return True
    return len(words_of(re.split(r"[,.;:]\s", text[found.end() :])[0])) == 1 and _is_named(named[:1], before)


def _put_instead(words: Terse, text: str, before: str) -> TerseKind | None:
    """Return the kind of "this, not that", on style, or with the agent's own word for that."""
    parts = _re(words.instead).split(text.rstrip(" .!。"))
    if len(parts) != 2 or _NUMBER.search(text):
        return None
    new, old = (part.strip(" ,;:–—-") for part in parts)
    is_short = all(0 < length_in_words(part) <= NAMED_WORDS_MAX for part in (new, old))
    if not is_short or _re(words.idle).search(old) or _re(words.idle).search(new):
        return None
    if SIGNS["way"].search(text):
        return "preference"
    return "correction" if _is_named(words_of(old), before) else None


def _is_named(words: Sequence[str], before: str) -> bool:
    return bool(names_in(words) & stems(before))


def _starts(text: str) -> list[str]:
    """Return *text*, and what is left of it without each of its openings."""
    found = [text]
    while len(found) <= OPENINGS_MAX and (opening := _OPENING.search(found[-1])):
        found.append(found[-1][opening.end() :])
    return found
