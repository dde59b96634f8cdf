"""Corrections: the user rejects the agent's act or words."""

from typing import Final

from palimp_daemon.features.capture.rules.cues import (
    OF_THIS_DAY,
    STILL_FAILS,
    SUPPOSES,
    WORDS_MIN,
    AnyOf,
    is_of_the_moment,
)
from palimp_daemon.features.capture.rules.decisions import DECIDED
from palimp_daemon.features.capture.rules.preferences import REPORTED
from palimp_daemon.features.capture.rules.shared_words import stems

_NO: Final = AnyOf(
    r"^(?:(?:hm+|well|sorry|wait|hey|but|um|uh|oh)\W+)*(?:no(?=\W*[,.!:;–—-]|\W+(?:no"
    r"|it|that|this|there|we|you|i|the|these|they|use|not|never|always|only|\d\S*)\b)|nope|nah|wrong"
    r"|not (?:quite|that|the|like|in|there)"
    r"|actually|stop|instead"
    r"|(?:that's|that is|this is|it's|it is) (?:wrong|not|outdated|obsolete|stale|incorrect|out of date)"
    r"|i said|i meant|i told|i asked|don't|do not|we don't|we do not|we never|you (?:should(?:n't| not)|can't"
    r"|cannot|must(?:n't| not))|never|(?:it|that|this|they|these) (?:should|must) (?:only|not|never))\b",
)
"""Rejects an act of the agent."""
_RIGHT: Final = AnyOf(
    r"\b(?:use|should|must|belongs?|goes|comes?|always|needs? to|has to|have to|call|put|take|instead|only|it's"
    r"|is|are|lives?|want|said|meant|rather|give|keep|moved|there's|there is|runs?|owns?|uses|works|skips?|means)\b",
)
_FINE: Final = AnyOf(
    r"^(?:yes|yep|sure)\b|^(?:ok(?:ay)?\W+)?not (?:needed|necessary|worth|now|yet|important)\b",
    r"^no,? (?:that's|it's|this is|all) (?:fine|ok|okay|good|right|great)\b",
    r"^no(?:,| -)? (?:problem|worries|idea|need|rush|thanks?|hurry|clue|questions?)\b",
    r"\bgo on\b|\bnever ?mind\b|\bwrong (?:window|tab|chat|terminal|file, sorry)\b",
    r"\b(?:misread|all good|my (?:bad|mistake)|forget it|i was wrong)\b",
    r"^actually,? (?:wait|let me|never|yes|i)\b",
    r"^(?:stop|don't (?:run|do|start|touch|commit|push|change) (?:it|that|this|anything))\b[^,;]*$",
    r"^(?:don't|do not) (?:forget|worry|bother|mind)\b",
)
"""A no that corrects nothing."""
_PRAISE: Final = AnyOf(r"^(?:looks? good|nice|good|great|ok|okay|fine|perfect|thanks|cool)\b")
_DENIES: Final = AnyOf(
    r"\b(?:not|no longer|never|isn't|aren't|wasn't|doesn't|don't|can't|cannot|won't|shouldn't|mustn't|outdated|obsolete"
    r"|deprecated|retired|frozen|wrong|instead|breaks?|any ?more|out of date|old|legacy|put (?:it|that|them) back"
    r"|everywhere|only)\b",
)
_OF_HOW_IT_IS: Final = AnyOf(
    r"\b(?:we|our|here|everywhere|since|must|should|belongs?|lives?|owns?|go(?:es)? (?:in|to|into|through)"
    r"|comes? from|runs? on|called by|any ?more|these)\b",
    r"\b(?:is|are|was|were) (?:now |only )?(?:generated|managed|maintained|owned|deprecated|retired|frozen|replaced)\b",
    r"\bthe (?:current|right|real|actual|new) (?:one|ones|\w+) (?:is|are)\b",
    r"\b(?:on|in) \w+ \w+ (?:come|are|is|run|use)s?\b",
)
"""States a practice rather than a task."""
_RATHER: Final = AnyOf(
    r"^(?:it's|it is|they're|that's|this is) [^,]+, not \S+",
    r"^it(?:'s| is) (?:\d|[\"'`])",
    r"\b(?:is|are) (?:configured|generated|managed|handled|created|owned|written) by\b",
    r"^not [^,.—–-]+[,.—–-]+(?: |$)",
)
"""Puts one thing in the place of another."""
_DOES_NOT: Final = AnyOf(
    r"\b(?:it|they|that|this) (?:doesn't|don't|isn't|aren't|does not|do not|is not|are not|only|never)\b"
    r"|^only (?!(?:the|one|a)\b)\w"
)
_ACTED: Final = AnyOf(r"\bi(?:'ve| have)? (?:\w+ed|ran|put|set|wrote|made|built|sent|took)\b")
"""Reports an act; other sentences of the agent's describe."""
_OUR_WAY: Final = AnyOf(
    r"^(?:all )?(?:our|we|here)\b(?!').*\b(?:live|belong|go|run|come|keep|put|store|are kept"
    r"|are stored)s? (?:\w+ )?(?:in|on|to|from|into|with)\b",
)
"""States a place or a practice of the project."""


def is_correction(sentence: str) -> bool:
    """Tell whether the user rejects an act of the agent."""
    return bool(_NO.search(sentence)) and not (
        _FINE.search(sentence) or SUPPOSES.search(sentence) or STILL_FAILS.search(sentence)
    )


def says_what_is_right(text: str) -> bool:
    """Tell whether a correction names the right thing, in WORDS_MIN + 2 words."""
    return bool(_RIGHT.search(text)) and len(text.split()) >= WORDS_MIN + 2


def contradicts(sentence: str, text: str, before: str) -> bool:
    """Tell whether the user's *sentence*, with its followers in *text*, denies the agent's message *before*."""
    others = (_FINE, STILL_FAILS, _PRAISE, DECIDED, REPORTED, OF_THIS_DAY)
    if is_of_the_moment(sentence) or any(signs.search(sentence) for signs in others):
        return False
    if len(text.split()) < WORDS_MIN or not (stems(sentence) & stems(before)):
        return False
    if any(signs.search(sentence) for signs in (_RATHER, _OUR_WAY)) and len(text.split()) >= WORDS_MIN + 2:
        return True
    is_of_what_it_did = bool(_ACTED.search(before))
    if not is_of_what_it_did and _DOES_NOT.search(sentence):
        return True
    return bool(_DENIES.search(sentence) and _OF_HOW_IT_IS.search(text))
