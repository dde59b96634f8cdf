"""Fixes: the agent reports a fault, its cause, and its own remedy."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.capture.rules.cues import SUPPOSES, WORDS_MIN, AnyOf, InAnyLanguage

_SINCE: Final = r"\bsince (?!\d|mon|tue|wed|thu|fri|sat|sun|last|yesterday|then|today|this (?:morning|week))"
"""A reason, not a date."""
STILL_SO: Final = InAnyLanguage(lambda words: words.still_so)
_CAUSE: Final = AnyOf(
    r"\b(?:because|root cause|cause[ds]?(?: of| was| is)?|caused by|due to|the (?:reason|problem|culprit|bug"
    r"|issue) (?:was|is)|turned out|turns out|c[ao]mes? from|stems? from|happened (?:because|when)|led to)\b",
    _SINCE,
    r"\b(?:never|not|twice|missing|forgot|wrong|opposite|stale|off-by-one|race|default(?:s|ed)? to)\b[^.]*[;:,]",
    r": (?:the|a|an|it|its|that|each|every|both)\b",
)
_STATED_CAUSE: Final = AnyOf(
    r"\b(?:root cause|caused by|the (?:reason|problem|culprit|issue|cause) (?:was|is)|(?:found|is"
    r"|was) the (?:cause|bug|reason|problem|culprit|issue)"
    r"|turned out|turns out|c[ao]mes? from|stems? from|happened (?:because|when)|because|due to|found it|solved)\b",
    _SINCE,
)
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
"""The agent did more than look, think or try."""
_REMEDY: Final = AnyOf(
    r"\b(?:fix(?:ed|es)|solve[sd]|resolve[sd]|mended|repaired)\b",
    r"\bi (?:call|close|wait|read|check|catch|return|pass|keep|compare|sort|take|lock|renew|set|put|clear|write)\b",
    r"\b(?:now|again) (?:passes|works|green|succeeds|holds|returns|sends|closes|waits)\b|\bnow (?:it )?\w+s\b",
    r"\bnow\.?$|^with (?:a|an|the|that|this)\b.*\b(?:takes?|works?|passes)\b",
    r"\b(?:with|after) (?:that|the|this)\b[^.]*\b(?:passes|works|green|gone|sees|stays|succeeds)\b",
    r"^\w+ing\b[^.]*\b(?:fix|solve|resolve|bring|brought|make|made|help|remove|get|avoid|prevent|cure)[sd]?\b",
)
"""Something was done, or holds now."""
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
    r"\b(?:is|are|was|were|gets?|got)(?:n['’]t| not)"
    r" (?!needed|used|allowed|required|supported|wanted)\w+(?:ed|nt|en)\b",
)
_ENDED: Final = AnyOf(
    r"\b(?:is|are|was|were) (?:gone|back|green|fixed|stable|clean|up again|down to)\b|\bno longer\b|\bagain\b",
    r"\bpass(?:es|ed)?\b|\bworks?\b|\bfinds? (?:all|every)\b|\bstays?\b|\bfrom [\d.,]+ ?\w+ to [\d.,]+",
    r"\btakes? [\d.,]+ ?(?:ms|s|sec\w*|min\w*)\b",
)
_WAS_SO: Final = AnyOf(r"\b(?:was|were|had|did(?:n't| not)|\w+ed|never|no|not|without|missing|only|still)\b")
_CHANGED: Final = AnyOf(
    r"\bi(?:'ve| have)? (?:now |also |then )?(?:changed|raised|lowered|added|updated|replaced|moved|switched|set"
    r"|removed|pinned|fixed|renamed|increased|made|corrected|restored|rewrote|reverted|wrapped|capped)\b",
)
_DOUBTS: Final = AnyOf(
    r"\b(?:may|might|probably|perhaps|maybe|could be|not sure|i think|i suspect|seems?|looks like|let me"
    r"|i'll (?:look|check|try|see)|still looking|not yet|can't tell|i'm looking|it means|would)\b",
)
_NARRATES: Final = AnyOf(
    r"^\W*+(?:(?:ok(?:ay)?|now|next|first|then|great|good|perfect|right|alright|so|done)\b\W*+)*+(?:let me\b|let['’]s\b"
    r"|i(?:['’]ll| will| am going to|['’]m going to| need to| should| want to)\b|i(?:['’]m| am) \w+ing\b"
    r"|(?:looking|checking|running|reading|searching|starting|trying)\b"
    r"|\w+ing (?:that|this|it|them|these|those)\b(?: \w+)?\W*$|\w+ing\b[^.]*\bnow\W*$)",
)
"""Tells a present or next act of the agent."""
_LOOKS_INTO_IT: Final = AnyOf(
    r"\bto (?:see|reproduce|find out|check|verify|debug|test|measure|understand)\b|\bso that (?:we"
    r"|i) (?:can )?(?:see|know|find)\b",
    r"\b(?:added|put|made|wrote|created|opened) (?:\w+ ){0,3}(?:logs?|logging|prints?|log lines?|breakpoints?"
    r"|tables?|notes?|issues?|tickets?|todos?|lists?|examples?|comments?)\b",
)
_ASKS_FOR: Final = AnyOf(
    r"^(?:please |can you |could you |now |then )*(?:add|write|explain|show|list|remove|describe|give|make|create"
    r"|rename|tell"
    r"|move|use|change|update|set|put|open|run|implement|build|refactor|convert|replace|migrate|install|upgrade|deploy"
    r"|document|translate|sort|align|format|clean|summari[sz]e|let's|go|continue|commit|check|review|test|read)\b",
    r"^(?!(?:so |and |but |hm+,? )*why\b).*\?\W*$",
)
"""Asks for a task other than a fix."""
_OF_ITSELF: Final = AnyOf(
    r"^\W*+(?:(?:ok|okay|sure|done|yes|right|good|thanks|understood|sorry)\W++)*+i(?:'\w+)?\b",
)


def fix_in(sentences: Sequence[str], asked: str) -> tuple[int, int] | None:
    """Return the span of *sentences* on a fix, or None."""
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
    if any(_ENDED.search(each) for each in sentences):
        return bool(asked)
    is_statement = len(asked.split()) >= WORDS_MIN and not SUPPOSES.search(asked)
    was_so = any(_WAS_SO.search(each) for each in sentences[:1])
    return is_statement and was_so and any(_CHANGED.search(each) for each in sentences[1:])


def _is_cause(sentence: str) -> bool:
    others = (_DOUBTS, _NARRATES, SUPPOSES)
    return bool(_CAUSE.search(sentence)) and not any(signs.search(sentence) for signs in others)


def _is_remedy(sentence: str) -> bool:
    is_one = bool(_REMEDY.search(sentence) or _DID.search(sentence))
    return is_one and not any(signs.search(sentence) for signs in (_DOUBTS, _NARRATES, _LOOKS_INTO_IT))


def _explains(sentence: str) -> bool:
    is_statement = not (_OF_ITSELF.search(sentence) or _DOUBTS.search(sentence) or SUPPOSES.search(sentence))
    return is_statement and len(sentence.split()) > WORDS_MIN


_PASSIVE: Final = InAnyLanguage(lambda words: words.remedy)
"""Something was done about it; short or non-English."""
_WENT_WRONG: Final = InAnyLanguage(lambda words: words.went_wrong)
"""A fault, without a word for a cause."""
_BETTER: Final = AnyOf(
    r"\b(?:from \d[\d.,]* ?\w* to|instead of \d|rather than \d|\d+ of \d+|again|gone|green|passes|works|stays"
    r"|without (?:loss|errors?)|tested|checked|verified|confirmed"
    r"|reproduced|a test (?:covers|for)|added a test|takes \d|needs \d|in \d[\d.]* ?(?:s|ms|min\w*)|down to"
    r"|can \w+ again|simulated|measured|läuft jetzt|geht wieder|keine? \w+ mehr|geprüft|fonctionne|ne \w+ plus|vérifié"
    r"|ya (?:no|funciona|pasa)|comprobado|de nuevo|já não|está de pé|testado)\b|通りました|直りました|都通过|正常了",
)


def fix_signs(sentences: Sequence[str], asked: str) -> set[str]:
    """Return the signs of a fix, and of doubt; *asked*: the user's message."""
    whole = {
        "cause": any(map(_is_cause, sentences)),
        "stated cause": any(_STATED_CAUSE.search(each) and not _DOUBTS.search(each) for each in sentences),
        "went wrong": any(_WENT_WRONG.search(each) and not _DOUBTS.search(each) for each in sentences),
        "remedy": any(map(_is_remedy, sentences)),
        "remedy in short": any(_PASSIVE.search(each) and not _DOUBTS.search(each) for each in sentences),
        "better": any(_BETTER.search(each) for each in sentences),
        "doubt": any(_DOUBTS.search(each) for each in sentences),
        "looks into it": any(_LOOKS_INTO_IT.search(each) for each in sentences),
        "ends asking": bool(sentences) and sentences[-1].rstrip().endswith(("?", "？")),
        "asked of trouble": bool(_TROUBLE.search(asked)),
        "asked for a task": bool(_ASKS_FOR.search(asked)),
        "asked a question": bool(SUPPOSES.search(asked)),
        "asked nothing": not asked,
        "of itself": any(_OF_ITSELF.search(each) for each in sentences[:1]),
    }
    signs = {name for name, is_so in whole.items() if is_so}
    done = signs & {"remedy", "remedy in short"}
    wrong = signs & {"cause", "went wrong"}
    if done and wrong:
        signs.add("wrong and mended")
        beside = signs & {"asked of trouble", "better", "asked for a task", "asked a question", "doubt"}
        signs |= {f"wrong, mended, {name}" for name in beside}
    return signs


def fix_span(sentences: Sequence[str]) -> tuple[int, int] | None:
    """Return the span of *sentences* on fault, remedy or new state, or None."""
    telling = [
        number
        for number, each in enumerate(sentences)
        if any(signs.search(each) for signs in (_CAUSE, _WENT_WRONG, _PASSIVE, _REMEDY, _BETTER)) or _DID.search(each)
    ]
    return (telling[0], telling[-1]) if telling else None


def tells_of_trouble(asked: str) -> bool:
    """Tell whether the user *asked* about trouble."""
    return bool(_TROUBLE.search(asked))


def most_telling(sentences: Sequence[str]) -> str:
    """Return the one of *sentences* that says most about the fault."""

    def tells(sentence: str) -> int:
        is_cause, went_wrong = bool(_CAUSE.search(sentence)), bool(_WENT_WRONG.search(sentence))
        return 2 * is_cause + 2 * went_wrong + bool(_PASSIVE.search(sentence)) - 2 * bool(_OF_ITSELF.search(sentence))

    return max(sentences, key=tells)
