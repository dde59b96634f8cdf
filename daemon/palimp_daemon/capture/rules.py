"""Which sentences are worth remembering: rules over what people and agents write, no model.

Theory
------
Silence is better than noise: a memory that is wrong costs every later session. So each rule wants two signs, and a
sentence that asks, supposes, jokes or speaks of the moment is none of these:

* a *preference*: the user says how things are to be done always, or in this project;
* a *decision*: the user says that something is settled, or accepts what the agent proposed;
* a *correction*: the user answers what the agent did with "no" and with what is right;
* a *fix*: the agent says what was wrong, why, and what it did about it.

What is written here is English only.
"""

import re
from functools import cached_property
from typing import Final

WORDS_MIN: Final = 4
"""Words of a sentence that can be understood later."""


class _AnyOf:
    """Patterns of which one is to be found; compiled when that is first asked, which a daemon's start need not pay."""

    def __init__(self, *patterns: str) -> None:
        self._patterns = patterns

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self._patterns), re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        """Return where one of them is first found in *text*."""
        return self._compiled.search(text)


_SUPPOSES: Final = _AnyOf(
    r"\?\W*$",
    r"^(?:(?:so|and|but|ok|hmm|well)\W+)*(?:what|why|how|which|who|when|where|is|are|was|were|do|does|did|can|could"
    r"|should|shall|would|will|may) (?:we|you|i|it|this|that|the|there|if|about|is|are|do|does|did|would)\b",
    r"\b(?:imagine|suppose|what if|maybe|perhaps|not sure|i guess|wondering|hypothetically|could we|should we|just"
    r" kidding|lol|might|not yet)\b",
    r"\bi (?:don't|do not) know\b",
)
"""Asks, supposes, doubts, jokes."""

_FOR_NOW: Final = _AnyOf(
    r"\bfor (?:a|one|the) (?:moment|minute|second|while|now)\b",
    r"\b(?:this time|right now|for this (?:one|time)|until|last time|yet)\b",
    r"\bto wait\b",
    r"\blet's (?:see|try|look|check|wait|do (?:it|this|that)|start|continue|use the time|move on)\b",
)
"""Speaks of the moment."""

_WHY: Final = _AnyOf(
    r"\b(?:because|since|so that|otherwise|due to|in order|as (?:it|they|we|the|this))\b",
    r"\b(?:instead of|rather than|over|not)\b",
    r"[,;:] \w",
)

# --- preferences ---------------------------------------------------------------------------------

_EVERY_TIME: Final = _AnyOf(
    r"\b(?:always|never|from now on|don't ever|do not ever|every time|each time|whenever|as a rule|that's a rule"
    r"|by default|in general|in future|going forward|at all times|without exception)\b",
    r", ever\b|\bever\.?$",
    r"\b(?:please )?(?:remember|keep in mind|stick (?:to|with) (?:that|this|it)|for the record|that goes for)\b",
    r"\b(?:in|for|to) (?:all|every|any|each|this|our)(?: new| the)? (?:\w+ ){0,2}"
    r"(?:repo(?:sitory)?|project|code ?base|documentation|docs|code|commits?|tests?|files?|queries|functions)\b",
    r"\bbefore you \w+|\bwhen(?:ever)? you\b",
)

_WISH: Final = _AnyOf(
    r"\bi(?:'d| would)? (?:really )?(?:prefer|rather|like|want|expect|hate|love|insist)\b",
    r"\bi (?:don't|do not|never|always) (?:like|want)\b",
    r"\b(?:please|don't|do not|never|always|avoid|keep|use|write|run|ask|make sure|put|stick|talk|answer|apply|no)\b",
    r"\bwe (?:always|never|only|use|write|prefer|don't|do not|keep)\b",
)

_STRONG_WISH: Final = _AnyOf(
    r"\bi(?:'d| would)? (?:much |really |strongly )?prefer (?!to (?:wait|see|look|do (?:it|that|this)))\w",
    r"\bi(?:'d| would) rather (?:have|see|not|you|we)\b",
    r"\bi (?:don't|do not) like (?:it when|when|that you|your|the way)\b",
    r"\bi like (?:my|it when|to have)\b",
    r"\bi (?:hate|love) (?:it )?when\b",
)

_OF_USE: Final = _AnyOf(r"\b(?:the (?:first|second|third|last|other) (?:one|test|file|terminal|line))\b")

# --- decisions -----------------------------------------------------------------------------------

_DECIDED: Final = _AnyOf(
    r"\b(?:we|i|they|the team|the board|everyone)(?:'ve| have|'s| has)? (?:all )?(?:now |finally |just )?"
    r"(?:decided|agreed|voted|settled|chosen|opted|concluded|rejected|ruled out|signed off|picked)\b",
    r"\b(?:decision|final call|verdict|it's settled|settle this|that's settled|decision made|agreed)\b",
    r"\bwe(?:'re| are) (?:going with|going to (?:use|keep|drop|stay|stick|switch|move|go)|sticking (?:with|to)|moving"
    r"|switching|dropping|keeping|staying|not going to|no longer|standardi[sz]ing|retiring|replacing)\b",
    r"\bwe(?:'ll| will) (?:go with|use|keep|take|stay with|stick (?:to|with)|not support|not use|no longer|drop"
    r"|move to|switch to|standardi[sz]e)\b",
    r"\bwe won't (?:support|use|do|ship|have|cache|need)\b",
    r"\b[\w\"'`./-]+ it is\b(?=[.,!]|$)",
    r"\b(?:going|went) with (?:the|option|plan|variant)?\b",
)

_LETS: Final = _AnyOf(r"\blet's (?:go with|use|take|keep|stick (?:to|with)|stay with|drop|settle|make it|have)\b")
_OPTION: Final = _AnyOf(r"^(?:(?:ok|yes|so|then|fine)\W+)*(?:option|variant|plan|number|the)\s+(?:\w+)[.!,:]")

_OFFERS: Final = _AnyOf(
    r"\boptions?\b",
    r"\b(?:either|both|alternatively|versus|vs\.?|or)\b",
    r"\bi(?:'d| would) (?:suggest|recommend|propose|go|lean)\b",
    r"\b(?:we|you) could\b",
    r"\bwith (?:a|an|the)?\s?[\w.]+ we\b",
)

_YES: Final = _AnyOf(
    r"^(?:yes|yep|yeah|ok(?:ay)?|agreed|sounds good|good|perfect|fine|great|do (?:that|it)|go ahead|exactly|sure)\b",
)

_AGENT_CHOSE: Final = _AnyOf(
    r"\bi (?:chose|picked|decided (?:on|to use|for)|went with|settled on|opted for)\b",
)
_OF_ITS_WORK: Final = _AnyOf(r"\b(?:search|read|look|start|begin|open|check|grep|run|list|continue)(?:ing)?\b")

# --- corrections ---------------------------------------------------------------------------------

_NO: Final = _AnyOf(
    r"^(?:(?:hm+|well|sorry|wait|hey|but|um|uh|oh)\W+)*(?:no|nope|nah|wrong|not (?:quite|that|the|like|in|there)"
    r"|actually|stop|instead"
    r"|that's (?:wrong|not)|that is (?:wrong|not)|it's not|it is not|this is (?:wrong|not)|i said|i meant|i told"
    r"|i asked|don't|do not|we don't|we do not|we never|you should(?:n't| not)|never)\b",
)

_RIGHT: Final = _AnyOf(
    r"\b(?:use|should|must|belongs?|goes|comes?|always|needs? to|has to|have to|call|put|take|instead|only|it's"
    r"|is|are|lives?|want|said|meant|rather)\b",
)

_FINE: Final = _AnyOf(
    r"^no,? (?:that's|it's|this is|all) (?:fine|ok|okay|good|right|great)\b",
    r"^no(?:,| -)? (?:problem|worries|idea|need|rush|thanks?|hurry|clue|questions?)\b",
    r"\bgo on\b|\bnever ?mind\b|\bwrong (?:window|tab|chat|terminal|file, sorry)\b",
    r"^actually,? (?:wait|let me|never|yes|i)\b",
    r"^(?:stop|don't (?:run|do|start|touch|commit|push|change) (?:it|that|this|anything))\b[^,;]*$",
)

# --- fixes ---------------------------------------------------------------------------------------

_CAUSE: Final = _AnyOf(
    r"\b(?:because|root cause|cause[ds]?(?: of| was| is)?|caused by|due to|the (?:reason|problem|culprit|bug"
    r"|issue) (?:was|is)|turned out|turns out|c[ao]mes? from|stems? from|happened (?:because|when)|led to|since)\b",
    r"\b(?:never|not|twice|missing|forgot|wrong|opposite|stale|off-by-one|race|default(?:s|ed)? to)\b[^.]*[;:,]",
    r": (?:the|a|an|it|its|that)\b",
)
_STATED_CAUSE: Final = _AnyOf(
    r"\b(?:root cause|caused by|the (?:reason|problem|culprit|issue|cause) (?:was|is)|(?:found|is"
    r"|was) the (?:cause|bug|reason|problem|culprit|issue)"
    r"|turned out|turns out|c[ao]mes? from|stems? from|happened (?:because|when)|because|due to|since"
    r"|found it|solved)\b",
)
_REMEDY: Final = _AnyOf(
    r"\b(?:fix(?:ed|es)|solved|resolved|mended|repaired)\b",
    r"\bi(?:'ve| have)? (?:now |also |then |have )?(?:added|made|removed|renamed|moved|capped|raised|set|call"
    r"|sort|use|replaced|pinned"
    r"|changed|switched|wrapped|create|created|compare|close|closed|renew|upgraded|put|turned|take|lock|escape"
    r"|escaped|updated|rewrote|dropped|reverted|increased|lowered|clear|cleared|reset|quote|quoted|return|check|catch"
    r"|wait|pass|read|write|keep)\b",
    r"\b(?:now|again) (?:passes|works|green|succeeds|holds|returns|sends|closes|waits)\b|\bnow (?:it )?\w+s\b",
    r"\b(?:with|after) (?:that|the|this)\b[^.]*\b(?:passes|works|green|gone|sees|stays|succeeds)\b",
)
_TROUBLE: Final = _AnyOf(
    r"\b(?:bugs?|crash\w*|fail\w*|br[eo]k\w*|broken|leak\w*|slow|los[est]\w*|lost|twice|flaky|dead ?lock\w*"
    r"|errors?|problems?|issues?"
    r"|hang\w*|hung|segfault\w*|growth|grow\w*|closed|regress\w*|red|skip\w*|wrong|duplicat\w*|stuck|time ?outs?"
    r"|timed out|corrupt\w*|missing|exception|stale|race|memory|why)\b",
)
_DOUBTS: Final = _AnyOf(
    r"\b(?:may|might|probably|perhaps|maybe|could be|not sure|i think|i suspect|seems?|looks like|let me"
    r"|i'll (?:look|check|try|see)|still looking|not yet|can't tell|i'm looking|it means|would)\b",
)


def is_preference(sentence: str) -> bool:
    """Tell whether the user says how things are to be done."""
    if _is_of_the_moment(sentence) or _OF_USE.search(sentence) or len(sentence.split()) < WORDS_MIN:
        return False
    return bool(_STRONG_WISH.search(sentence) or (_EVERY_TIME.search(sentence) and _WISH.search(sentence)))


def is_decision(sentence: str, before: str) -> bool:
    """Tell whether the user says that something is settled. *before* is what the agent had said."""
    if _is_of_the_moment(sentence):
        return False
    if _DECIDED.search(sentence):
        return True
    is_answer = bool(before and _OFFERS.search(before))
    if _LETS.search(sentence):
        return is_answer or bool(_WHY.search(sentence))
    return is_answer and bool(_OPTION.search(sentence))


def is_yes(sentence: str) -> bool:
    """Tell whether the user accepts what was proposed."""
    return bool(_YES.search(sentence))


def is_chosen_by_agent(sentence: str) -> bool:
    """Tell whether the agent says what it chose and why; a decision once the user accepts it."""
    return bool(_AGENT_CHOSE.search(sentence) and _WHY.search(sentence)) and not _OF_ITS_WORK.search(sentence)


def is_correction(sentence: str) -> bool:
    """Tell whether the user says that what the agent did is wrong. What is right may stand in the next sentence."""
    return bool(_NO.search(sentence)) and not (_FINE.search(sentence) or _SUPPOSES.search(sentence))


def says_what_is_right(text: str) -> bool:
    """Tell whether a correction says what is right, in words enough."""
    return bool(_RIGHT.search(text)) and len(text.split()) >= WORDS_MIN + 2


def is_cause(sentence: str) -> bool:
    """Tell whether the agent says, without doubt, why something went wrong."""
    return bool(_CAUSE.search(sentence)) and not _DOUBTS.search(sentence) and not _SUPPOSES.search(sentence)


def states_cause(sentence: str) -> bool:
    """Tell whether a cause is named as such."""
    return bool(_STATED_CAUSE.search(sentence))


def is_remedy(sentence: str) -> bool:
    """Tell whether the agent says what it did about it."""
    return bool(_REMEDY.search(sentence)) and not _DOUBTS.search(sentence)


def is_trouble(text: str) -> bool:
    """Tell whether something is said to go wrong."""
    return bool(_TROUBLE.search(text))


def _is_of_the_moment(sentence: str) -> bool:
    return bool(_SUPPOSES.search(sentence) or _FOR_NOW.search(sentence))
