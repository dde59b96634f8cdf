"""Estimate by weighted signs whether to keep a message, and its kind (`tools/capture_weights/fit.py`)."""

from collections.abc import Container, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from palimp_daemon.features.capture.rules import weights
from palimp_daemon.features.capture.rules.cues import AnyOf, InAnyLanguage
from palimp_daemon.features.capture.rules.fixes import fix_signs
from palimp_daemon.features.capture.rules.shared_words import length_in_words, stems
from palimp_daemon.features.capture.rules.signs import SIGNS, is_noncommittal, signs_of
from palimp_daemon.languages.language_of import ENGLISH, language_of
from palimp_protocol.messages.memory_messages import MemoryKind

UserKind = Literal["decision", "preference", "correction"]

CORE: Final = frozenset(
    ["standing", "always", "must", "decided", "we_do", "no_longer", "remember", "wish", "no", "label", "imperative"]
)
"""Signs that settle something; the others qualify or weaken it."""

_SETTLED: Final = frozenset(["decided", "we_do", "no_longer"])
"""Signs of a decision, in a text to be remembered."""

_RULED: Final = frozenset(["standing", "must", "wish", "imperative"])
"""Signs of a rule in such a text."""

_OF_WILL: Final = CORE | {"our", "asks_you", "way"}
"""Signs of a wish or a decision; "always", "every" and "only" may state a fact."""

_ADDRESSING: Final = frozenset(
    ["standing", "must", "decided", "we_do", "remember", "wish", "no", "imperative", "asks_you"]
)
"""Signs of somebody's will; without rules of its own, a language needs one beside *only*, *all* and denials."""

_NUMBER_FOR_ALL: Final = frozenset(["always", "number"])
_OF_YOUR_WAY: Final = frozenset(["asks_you", "way"])
"""Signs of an order on how the agent writes."""

_ALWAYS_ALONE: Final = frozenset(["always"])

_DENYING: Final = frozenset(["no", "no_longer"])
"""An English correction has one of these; an answer without them only adds information."""

_NO_EXCEPTION: Final = InAnyLanguage(lambda words: words.no_exception)
"""A rule without exception; "only" and "every" may be part of a fact."""

_ANYWHERE: Final = ("chat", "past", "muses")
"""Signs that count anywhere in a message, even in questions."""
_ANYWHERE_SIGNS: Final = frozenset(_ANYWHERE)
_ANYWHERE_IN_FIX: Final = ("hash", "chat", "number")

_LENGTHS: Final = ((5, "words<5"), (10, "words<10"), (25, "words<25"), (50, "words<50"), (90, "words<90"))
"""Signs of messages below a number of words; the first match counts."""


class Utterance(NamedTuple):
    """A sentence with its signs."""

    text: str
    is_noncommittal: bool
    signs: frozenset[str]

    @property
    def settles(self) -> bool:
        """Whether it may settle something."""
        return not self.is_noncommittal and bool(self.signs & CORE or self.signs >= _OF_YOUR_WAY)


def utterances(sentences: Iterable[str], passing: Container[str] = ()) -> list[Utterance]:
    """Return *sentences* with their signs; those *passing* settle nothing."""
    return [
        Utterance(each, is_noncommittal(each), signs_of(each) & _ANYWHERE_SIGNS if each in passing else signs_of(each))
        for each in sentences
    ]


def user_signs(said: Sequence[Utterance], before: str, found: str) -> frozenset[str]:
    """Return the signs of an answer to *before*; *found*: the kind by the rules."""
    signs = _rule_signs(found, [each.text for each in said])
    meant = [each for each in said if not each.is_noncommittal]
    signs = signs.union(*(each.signs for each in meant))
    signs.add(f"core {min(4, max((len(each.signs & CORE) for each in meant), default=0))}")
    signs |= {f"any {name}" for name in _ANYWHERE if any(name in each.signs for each in said)}
    signs |= _shape(said)
    if before:
        signs.add("answers a question" if before.rstrip().endswith(("?", "？")) else "answers")
    return frozenset(signs)


def shows_will(said: Sequence[Utterance], signs: frozenset[str]) -> bool:
    """Tell whether a message is in English, or has a sign of somebody's will, or a number for all."""
    if "no rule" in signs or signs >= _NUMBER_FOR_ALL:
        return True
    return any(each.settles and each.signs & _ADDRESSING for each in said)


def _rule_signs(found: str, sentences: Sequence[str]) -> set[str]:
    if found:
        return {f"rule {found}"}
    return {"no rule"} if language_of(" ".join(sentences)) == ENGLISH else set()


def _shape(said: Sequence[Utterance]) -> set[str]:
    words = sum(length_in_words(each.text) for each in said)
    shape = {next((name for most, name in _LENGTHS if words < most), "words")}
    idle = sum(each.is_noncommittal for each in said)
    if idle:
        shape.add("all idle" if idle == len(said) else "mostly idle" if idle * 2 >= len(said) else "partly idle")
    if said and said[-1].is_noncommittal:
        shape.add("ends idle")
    return shape


def kind_of_user(signs: frozenset[str]) -> UserKind | Literal["finding"]:
    """Return the likeliest kind for *signs* of a user's message."""
    if "no rule" in signs and signs & _OF_WILL == _ALWAYS_ALONE:
        return "finding"
    is_correction = weights.odds("correction", signs) > 0 and not ("no rule" in signs and signs.isdisjoint(_DENYING))
    return "correction" if is_correction else _settled_or_wished(signs)


def kind_of_asked_for(sentences: Sequence[str]) -> MemoryKind:
    """Return the kind of *sentences* to be remembered by request."""
    signs = frozenset[str]().union(*map(signs_of, sentences))
    is_rule = not signs.isdisjoint(_RULED) or any(map(_NO_EXCEPTION.search, sentences))
    return _settled_or_wished(signs) if is_rule or not signs.isdisjoint(_SETTLED) else "note"


def _settled_or_wished(signs: frozenset[str]) -> UserKind:
    return "preference" if weights.odds("preference", signs) > 0 else "decision"


# --- an agent's message --------------------------------------------------------------------------

_RECAP: Final = InAnyLanguage(lambda words: words.recap)
_RESTATES: Final = AnyOf(
    r"^\W*(?:(?:ok(?:ay)?|great|good|perfect|right|excellent)\W+)*(?:so\b|then\b|got it\b|understood\b|clear\b"
    r"|noted\b|settled\b|amend|therefore\b)",
)
_RULE: Final = InAnyLanguage(lambda words: words.rule)
_DID: Final = InAnyLanguage(lambda words: words.did)
_HOW_FAR: Final = InAnyLanguage(lambda words: words.how_far)
"""Reports progress, or quotes a person."""
_WILL: Final = InAnyLanguage(lambda words: words.will)
_EXPLAINS: Final = AnyOf(
    r"\b(?:because of|happened|at \d\d:\d\d|it reads|it returns|looks good|equally|faster|slower|the risks?"
    r"|difference|nobody (?:watches|has)|reproduce"
    r"|workers?:|does neither)\b",
)


def is_recap(said: Sequence[str]) -> bool:
    """Tell whether an agent's first sentence begins a recap."""
    return bool(said) and bool(_RECAP.search(said[0]))


def recap_start(said: Sequence[str]) -> int | None:
    """Return the number of a recap's first sentence, or None."""
    for number, each in enumerate(said):
        if _RECAP.search(each) and not each.rstrip().endswith("?"):
            return number
    return next((number for number, each in enumerate(said) if _RESTATES.search(each)), None)


def recap_signs(said: Sequence[Utterance], start: int, asked: str) -> frozenset[str]:
    """Return the signs of a message with a recap from *start* on."""
    part = said[start:]
    text = " ".join(each.text for each in part)
    words = length_in_words(text)
    signs = {"marked" if _RECAP.search(said[start].text) else "restates"}
    signs.add(f"rules {min(4, sum(bool(_RULE.search(each.text)) for each in part))}")
    signs.add(f"semicolons {min(2, text.count(';'))}")
    signs.add(f"parts {min(3, text.count(' - ') + text.count('—') + text.count('->') + text.count(', '))}")
    signs |= {name for each in part if not each.is_noncommittal for name in each.signs}
    signs |= {f"any {name}" for name in _ANYWHERE if any(name in each.signs for each in said)}
    signs.add(next((name for most, name in _LENGTHS if words < most), "words"))
    signs.add("starts it" if start == 0 else "later")
    if said[-1].text.rstrip().endswith("?"):
        signs.add("ends asking")
    told = {"did": _DID, "how far": _HOW_FAR, "will": _WILL, "explains": _EXPLAINS}
    signs |= {name for name, patterns in told.items() if patterns.search(text)}
    if not signs.isdisjoint(told):
        signs.add("status")
    if not any(_RULE.search(each.text) for each in part):
        signs.add("no rule")
    if stems(asked) & stems(text):
        signs.add("shares words")
    asking = utterances([asked]) if asked else []
    signs |= {f"asked {name}" for each in asking for name in each.signs & CORE}
    return frozenset(signs)


def agent_fix_signs(sentences: Sequence[str], asked: str, *, found: bool) -> frozenset[str]:
    """Return the signs of an agent's fix; *found*: a rule matched."""
    signs = _rule_signs("fix" if found else "", sentences) | fix_signs(sentences, asked)
    signs |= {f"any {name}" for name in _ANYWHERE_IN_FIX if any(map(SIGNS[name].search, sentences))}
    signs |= {"recaps"} if is_recap(sentences) else set()
    words = sum(map(length_in_words, sentences))
    signs.add(next((name for most, name in _LENGTHS if words < most), "words"))
    return frozenset(signs)
