"""Patterns shared by rules."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from palimp_daemon.languages.language import Capture, one_line, sections_of_all

WORDS_MIN: Final = 4
"""Words of a sentence that can be understood later."""


class AnyOf:
    """Alternative patterns, compiled at first use."""

    def __init__(self, *patterns: str) -> None:
        self._patterns = patterns

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self._all()), re.IGNORECASE)

    def _all(self) -> Sequence[str]:
        return self._patterns

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in *text*."""
        return self._compiled.search(text)


class InAnyLanguage(AnyOf):
    """Patterns of each language, read at first use."""

    def __init__(self, of: Callable[[Capture], str]) -> None:
        super().__init__()
        self._of = of

    def _all(self) -> Sequence[str]:
        return [one_line(found) for each in sections_of_all(lambda one: one.capture) if (found := self._of(each))]


SUPPOSES: Final = AnyOf(
    r"\?\W*$",
    r"^(?:(?:so|and|but|ok|hmm|well)\W+)*(?:what|why|how|which|who|where|is|are|was|were|do|does|did|can|could"
    r"|should|shall|would|will|may) (?:we|you|i|it|this|that|the|there|if|about|is|are|do|does|did|would)\b",
    r"^(?:(?:so|and|but|ok|hmm|well)\W+)*when (?:is|are|was|were|do|does|did|can|could|should|shall|would|will)\b",
    r"\b(?:imagine|suppose|what if|maybe|perhaps|not sure|i guess|wondering|hypothetically|could we|should we|just"
    r" kidding|lol|might|not yet)\b",
    r"\bi (?:don't|do not) know\b",
)
"""Asks, supposes, doubts, jokes."""

_FOR_NOW: Final = AnyOf(
    r"\bfor (?:a|one|the) (?:moment|minute|second|while|now)\b|\bfor now\b",
    r"\b(?:this time|right now|at the moment|for this (?:one|time)|(?<![,;:–—-] )last time|yet|at some point)\b",
    r"\bnow\W*$",
    r"\buntil\b(?! (?:19|20)\d\d\b| (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)| v?\d)",
    r"^(?:wait|hold on|hang on) (?:before|until|till|a|with|while)\b",
    r"\bto wait\b|\bbefore (?:we|i) (?:choose|decide|pick|commit|continue|go on)\b",
    r"\blet's (?:see|try|look|check|wait|do (?:it|this|that)|start|continue|use the time|move on|talk|discuss)\b",
    r"\blet me (?:ask|think|check|see|know|look|try|finish)\b",
    r"\blet['’]?s (?!not\b)\w+ (?:the|this|that|these|those|it|them)\b"
    r"(?!.*\b(?:because|since|so that|always|never|from now on|going forward|every time|in future)\b)",
    r"\bwhen(?:ever)? you(?:'re| are) (?:done|ready|finished|back|there)\b",
)

WHY: Final = AnyOf(
    r"\b(?:because|since|so that|otherwise|due to|in order|as (?:it|they|we|the|this))\b",
    r"\b(?:instead of|rather than|over|not)\b",
    r"[,;:] \w",
)
"""Gives a reason or a rejected alternative: the user thought about it."""

STILL_FAILS: Final = AnyOf(
    r"(?<=\w )(?<!\bwe )(?<!\byou )(?:is|are|was|were|does|do|did|has|have|can|will|wo|ca)(?:n't| ?not) (?:even "
    r"|really )?"
    r"(?:work|pass|compil|build|start|run|finish|show|load|help|appear|happen|respond|see|find|found|connect|there"
    r"|visible|aligned|enough)\w*",
    r"\b(?:same|another|new) error\b|\bi (?:still )?(?:get|got|see|saw)\b|\bstill\b|\bi (?:don't|can't|do not"
    r"|cannot)\b",
    r"\b(?:fails?|failed|failing|crash\w*|errors?|broken|hangs)\b",
)
OF_THIS_DAY: Final = AnyOf(r"\b(?:today|tomorrow|tonight|first|later|on (?:mon|tues|wednes|thurs|fri)day)\b")
UNTRUE: Final = AnyOf(r"\b(?:out of date|outdated|obsolete|deprecated|wrong|incorrect|not true)\b")


def is_of_the_moment(sentence: str) -> bool:
    """Tell whether *sentence* asks, supposes, or is about the moment."""
    return bool(SUPPOSES.search(sentence) or _FOR_NOW.search(sentence))
