"""Fixes: the agent says what went wrong, why, and what it did about it.

A cause is said as such ("because", "came from"), or it is what the agent states before it says what it did, when the
user had told of trouble. A remedy is something that the agent did ("I pinned it"), found to help ("Pinning it solves
it"), or that holds now ("the build passes again").
"""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.capture.rules.cues import SUPPOSES, WORDS_MIN, AnyOf

_SINCE: Final = r"\bsince (?!\d|mon|tue|wed|thu|fri|sat|sun|last|yesterday|then|today|this (?:morning|week))"
"""For the reason that, and not from that day on."""
_CAUSE: Final = AnyOf(
    r"\b(?:because|root cause|cause[ds]?(?: of| was| is)?|caused by|due to|the (?:reason|problem|culprit|bug"
    r"|issue) (?:was|is)|turned out|turns out|c[ao]mes? from|stems? from|happened (?:because|when)|led to)\b",
    _SINCE,
    r"\b(?:never|not|twice|missing|forgot|wrong|opposite|stale|off-by-one|race|default(?:s|ed)? to)\b[^.]*[;:,]",
    r": (?:the|a|an|it|its|that|each|every|both)\b",
)
"""Gives a cause."""
_STATED_CAUSE: Final = AnyOf(
    r"\b(?:root cause|caused by|the (?:reason|problem|culprit|issue|cause) (?:was|is)|(?:found|is"
    r"|was) the (?:cause|bug|reason|problem|culprit|issue)"
    r"|turned out|turns out|c[ao]mes? from|stems? from|happened (?:because|when)|because|due to|found it|solved)\b",
    _SINCE,
)
"""Names a cause as such."""
_LOOKING: Final = (
    r"(?:now|also|then|just|have|look|think|thought|see|saw|seen|find|found|check|run|ran|read|tr[yi]|believe|suspect"
    r"|guess|can|could|will|would|do|did|don|didn|am|was|had|need|want|know|knew|cannot|won|may|might|must|should|shall"
    r"|forg[eo]t|miss|notice|wonder|hope|understand|agree|reproduc|search|list|trac|debug|ask|expect|ge?ot|measur"
    r"|wait(?:ed)? |recommend|suggest|propose|say|said|mean|meant|left|leave|stop|start|continue|open"
    r"|made a (?:list|note|plan))"
)
_DID: Final = AnyOf(
    r"\bi(?:'ve| have)? (?:(?:now|also|then|just|simply|therefore|have) )*"
    rf"(?!{_LOOKING}(?:e?d|e?s|ing|\b))[a-z]+\b",
)
"""The agent did something, and did not only look, think or try."""
_REMEDY: Final = AnyOf(
    r"\b(?:fix(?:ed|es)|solve[sd]|resolve[sd]|mended|repaired)\b",
    r"\bi (?:call|close|wait|read|check|catch|return|pass|keep|compare|sort|take|lock|renew|set|put|clear|write)\b",
    r"\b(?:now|again) (?:passes|works|green|succeeds|holds|returns|sends|closes|waits)\b|\bnow (?:it )?\w+s\b",
    r"\bnow\.?$|^with (?:a|an|the|that|this)\b.*\b(?:takes?|works?|passes)\b",
    r"\b(?:with|after) (?:that|the|this)\b[^.]*\b(?:passes|works|green|gone|sees|stays|succeeds)\b",
    r"^\w+ing\b[^.]*\b(?:fix|solve|resolve|bring|brought|make|made|help|remove|get|avoid|prevent|cure)[sd]?\b",
)
"""Something was done about it, or holds now."""
_TROUBLE: Final = AnyOf(
    r"\b(?:bugs?|crash\w*|fail\w*|br[eo]k\w*|broken|leak\w*|slow|los[est]\w*|lost|twice|flaky|dead ?lock\w*|errors?"
    r"|problems?|issues?|hang\w*|hung|segfault\w*|growth|grow\w*|closed|regress\w*|red|skip\w*|wrong|duplicat\w*"
    r"|stuck|time ?outs?|timed out|corrupt\w*|missing|exception|stale|race|memory|why)\b",
    r"\b(?:wrongly|incorrect\w*|stop(?:s|ped) working|logs? (?:me|us|users) out|randomly|sometimes|off by"
    r"|unexpected\w*|5\d\ds?|freez\w*|froze|spik\w*|disconnect\w*|logged out|garbled|unresponsive|refused"
    r"|denied|overflow\w*|out of memory|oom|too (?:late|long|large|many)|differs?)\b",
    r"\btakes? (?:minutes|hours|forever|ages|too|so|\d)",
    r"\binstead of\b|\b(?:doesn't|does not|won't|isn't|aren't|don't|do not|can't|cannot|not) (?:\w+ )?(?:start|work"
    r"|load|show|open|compile|build|pass|finish|connect|appear|update|respond|render|save|arrive|match|run|found"
    r"|terminate)",
)
"""Something goes wrong."""
_ENDED: Final = AnyOf(
    r"\b(?:is|are|was|were) (?:gone|back|green|fixed|stable|clean|up again|down to)\b|\bno longer\b|\bagain\b",
    r"\bpass(?:es|ed)?\b|\bworks?\b|\bfinds? (?:all|every)\b|\bstays?\b|\bfrom [\d.,]+ ?\w+ to [\d.,]+",
    r"\btakes? [\d.,]+ ?(?:ms|s|sec\w*|min\w*)\b",
)
"""Tells that what was wrong no longer is."""
_WAS_SO: Final = AnyOf(r"\b(?:was|were|had|did(?:n't| not)|\w+ed|never|no|not|without|missing|only|still)\b")
"""Tells how it was."""
_CHANGED: Final = AnyOf(
    r"\bi(?:'ve| have)? (?:now |also |then )?(?:changed|raised|lowered|added|updated|replaced|moved|switched|set"
    r"|removed|pinned|fixed|renamed|increased|made|corrected|restored|rewrote|reverted|wrapped|capped)\b",
)
"""The agent changed something."""
_DOUBTS: Final = AnyOf(
    r"\b(?:may|might|probably|perhaps|maybe|could be|not sure|i think|i suspect|seems?|looks like|let me"
    r"|i'll (?:look|check|try|see)|still looking|not yet|can't tell|i'm looking|it means|would)\b",
)
"""Is not sure."""
_LOOKS_INTO_IT: Final = AnyOf(
    r"\bto (?:see|reproduce|find out|check|verify|debug|test|measure|understand)\b|\bso that (?:we"
    r"|i) (?:can )?(?:see|know|find)\b",
    r"\b(?:added|put|made|wrote|created|opened) (?:\w+ ){0,3}(?:logs?|logging|prints?|log lines?|breakpoints?"
    r"|tables?|notes?|issues?|tickets?|todos?|lists?|examples?|comments?)\b",
)
"""Is done to find the cause, or to tell of it."""
_ASKS_FOR: Final = AnyOf(
    r"^(?:please |can you |could you |now |then )*(?:add|write|explain|show|list|remove|describe|give|make|create"
    r"|rename|tell"
    r"|move|use|change|update|set|put|open|run|implement|build|refactor|convert|replace|migrate|install|upgrade|deploy"
    r"|document|translate|sort|align|format|clean|summari[sz]e|let's|go|continue|commit|check|review|test|read)\b",
    r"^(?!(?:so |and |but |hm+,? )*why\b).*\?\W*$",
)
"""Asks for something else than that trouble be ended."""
_OF_ITSELF: Final = AnyOf(r"^(?:\W*(?:ok|okay|sure|done|yes|right|good|thanks|understood|sorry)\W+)*i(?:'\w+)?\b")
"""Speaks of the agent."""


def fix_in(sentences: Sequence[str], asked: str) -> tuple[int, int] | None:
    """Return the first and the last of an agent's *sentences* that tell of a fix. *asked* is what the user had said."""
    remedies = [number for number, each in enumerate(sentences) if _is_remedy(each)]
    is_task = bool(_ASKS_FOR.search(asked))
    is_told_of_trouble = bool(_TROUBLE.search(asked)) or (not is_task and _is_told_of(asked, sentences))
    if not remedies or not (is_told_of_trouble or _TROUBLE.search("\n".join(sentences))):
        return None
    causes = [number for number, each in enumerate(sentences) if _is_cause(each)]
    if not is_told_of_trouble and not any(_STATED_CAUSE.search(sentences[number]) for number in causes):
        return None
    if is_task and not is_told_of_trouble and causes == remedies:
        return None  # what it found while it did what it was asked for
    if not causes and is_told_of_trouble and not is_task:
        causes = [number for number, each in enumerate(sentences[: remedies[-1]]) if _explains(each)]
    return (min(causes[0], remedies[0]), max(causes[0], remedies[-1])) if causes else None


def _is_told_of(asked: str, sentences: Sequence[str]) -> bool:
    """Tell whether what was *asked* was trouble, going by what the agent says: that it has ended, or how it was."""
    if any(_ENDED.search(each) for each in sentences):
        return bool(asked)
    is_statement = len(asked.split()) >= WORDS_MIN and not SUPPOSES.search(asked)
    was_so = any(_WAS_SO.search(each) for each in sentences[:1])
    return is_statement and was_so and any(_CHANGED.search(each) for each in sentences[1:])


def _is_cause(sentence: str) -> bool:
    """Tell whether the agent says, without doubt, why something went wrong."""
    return bool(_CAUSE.search(sentence)) and not _DOUBTS.search(sentence) and not SUPPOSES.search(sentence)


def _is_remedy(sentence: str) -> bool:
    """Tell whether the agent says what it did about it."""
    is_one = bool(_REMEDY.search(sentence) or _DID.search(sentence))
    return is_one and not (_DOUBTS.search(sentence) or _LOOKS_INTO_IT.search(sentence))


def _explains(sentence: str) -> bool:
    """Tell whether the agent states something that is not about itself."""
    is_statement = not (_OF_ITSELF.search(sentence) or _DOUBTS.search(sentence) or SUPPOSES.search(sentence))
    return is_statement and len(sentence.split()) > WORDS_MIN
