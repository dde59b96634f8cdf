"""Preferences: the user sets a lasting rule."""

from typing import Final

from palimp_daemon.features.capture.rules.cues import WORDS_MIN, AnyOf, is_of_the_moment

_PLACE: Final = r"(?:repo(?:sitory)?|project|code ?base|team|company|organi[sz]ation|service|app)"
_RULES: Final = r"(?:convention|style(?: ?guide)?|rule|standard|policy|guideline)s?"
_IMPERATIVES: Final = (
    r"(?:add|ask|apply|avoid|call|catch|check|choose|commit|create|declare|document|don't|do not|end|explain|fix"
    r"|follow|format|give|group|handle|include|indent|keep|leave|let|limit|list|log|make|mark|mention|move|name|open"
    r"|pass|pick|pin"
    r"|prefer|prefix|propose|put|quote|raise|remove|rename|report|return|run|say|show|skip|sort|split|start|stick|stop"
    r"|suggest|talk|tell|test|throw|treat|try|update|use|validate|wait|wrap|write)"
)
_ALWAYS: Final = AnyOf(
    r"(?:^|[.,;:!(–—-]\s*|\b(?:and|but|so|or|please|then|we|you|i'd|must|should|shall|may|to|just|btw|by the way|fyi"
    r"|also|oh) )"
    r"(?:always|never|(?:don't|do not) ever)\b(?! (?:mind|at|in|on|when|after|with|the|these|this|that|a)\b)",
    r"\b(?:always|ever)\.?$",
)
"""Tells the agent to do something always, or never."""
_ALWAYS_PLEASE: Final = AnyOf(
    r"^(?:please,? )?(?:could|can|would) you (?:please |just )?(?:always|never|from now on) (?!be\b)",
    r"^(?:please,? )?(?:could|can|would) you (?:please )?(?:stop|avoid) \w+ing (?!.*\b(?:the|this|that|it|these)\b)",
)
"""The same as a question."""
_ALWAYS_ALONE: Final = AnyOf(r"^(?:always|never|ever|every time|no exceptions?|without exception|that's a rule)\W*$")
"""Refers to the sentence before."""
_ALWAYS_WAS: Final = AnyOf(
    r"\b(?:always|never) (?:have |had |has )?(?:\w+ed|had|saw|seen|got|did|was|were|been|have|knew|found|heard|thought"
    r"|ran|went|came|took|made|said|told|wrote|get|see|know)\b",
)
"""A lasting past state, which is no rule."""
_EVERY_TIME: Final = AnyOf(
    r"\b(?:from now on|every time|each time|whenever|as a rule|(?:that's|as) a (?:general )?(?:rule|remark|principle)"
    r"|by default|in general|in future(?! (?:versions?|releases?)\b)|going forward|at all times|without exception)\b",
    r"\b(?:please )?(?:remember|keep in mind|stick (?:to|with) (?:that|this|it)|for the record)\b",
    r"\bthat (?:goes|applies|holds) (?:for|to)\b",
    r"\bbefore you \w+|\b(?:before|after|on|with|for) (?:\w+ing )?(?:every|each|any) (?:\w+ )?(?:push|commit|merge"
    r"|release|deploy\w*"
    r"|pr|pull request|change|edit|task|session|run)\b|\bwhen(?:ever)? you\b|\bwithout (?:asking|telling) (?:me|us)\b",
    r"\bunless (?:i (?:\w+ )?(?:ask|say|tell)|you (?:must|really|actually|can|have to)|(?:it's )?(?:absolutely"
    r"|really))\b",
    r"\bbefore \w+ing (?:any|every|each|anything|something)\b",
    r"^if you(?:'re| are) (?:unsure|in doubt|stuck)\b",
    r"^(?:when(?:ever)? (?:something|anything|someone|a|an|two|no|in doubt)|if (?:something|anything"
    r"|in doubt))\b[^,]*,",
)
_EVERYWHERE: Final = AnyOf(
    r"\b(?:in|for|to) (?:all|every|any|each|our)(?: new| the)? (?:\w+ ){0,2}"
    r"(?:repo(?:sitory)?|project|code ?base|documentation|docs|code|commits?|tests?|files?|queries|functions"
    r"|scripts|endpoints|class(?:es)?|modules|migrations|components|messages)\b",
    rf"\bin this (?:\w+ )?{_PLACE}\b|\b(?:for|in|to) (?:anything|everything)\b",
    r"\bper (?:commit|pr|pull request)\b",
)
_TASK: Final = AnyOf(
    r"^(?:please |can you |now |then )*(?:run|write|add|create|make|fix|find|list|show|give|check|rename|remove"
    r"|return)\b",
    r"\bi(?:'d like| want) to\b",
)
_WISH: Final = AnyOf(
    r"\bi(?:'d| would)? (?:really )?(?:prefer|rather|like|want|expect|hate|love|insist)\b",
    r"\bi (?:don't|do not|never|always) (?:like|want)\b",
    r"\b(?:please|don't|do not|avoid|keep|use|write|run|ask|make sure|put|stick|talk|answer|apply|no|must|needs? to"
    r"|prefer)\b",
    r"\bwe (?:always|never|only|use|write|prefer|don't|do not|keep)\b",
)
_TELLS_TO: Final = AnyOf(rf"(?:^|[,;:] |\b(?:then|and|to) ){_IMPERATIVES}\b")
_STANDING: Final = AnyOf(
    r"^(?:from now on|going forward|in (?:the )?future)\b,? (?!(?:we|i|it|the|this|that|there|they|versions?"
    r"|releases?)\b)\w",
    rf"^(?:as a rule|in general|by default)\b,? {_IMPERATIVES}\b",
)
_STRONG_WISH: Final = AnyOf(
    r"\bi(?:'d| would)? (?:much |really |strongly )?prefer (?!(?:the|this|that|it)\b|to (?:wait|see|look|do (?:it"
    r"|that|this)))\w",
    r"\bi(?:'d| would) rather (?:have|see|not|you|we)\b",
    r"\bi (?:don't|do not) like (?:it when|when|that you|your|the way)\b",
    r"\bi (?:don't|do not) want any\b|\bi (?:never|always) (?:want|like|expect|prefer)\b",
    r"\bi (?:(?:really|don't|do not) )*(?:like|love|hate|prefer|dislike|don't want|do not want) "
    r"(?!(?:the|this|that|these|those|my|your|to|it)\b)(?:\w+ ){0,2}\w+s (?:that|which|with|without|when|in|over)\b",
    r"\bi like (?:my|it when|to have)\b",
    r"^(?:please |and |also |but )*(?:stop|avoid|quit) (?!(?:run|go|work|wait|look|us)ing\b)\w+ing "
    r"(?!(?:the|this|that|it|these|those|them|now|here)\b)\w",
    r"\bi (?:hate|love) (?:it )?when\b|\bi can(?:'t|not) stand\b",
)
_BESIDES: Final = r"^(?:(?:and|also|btw|by the way|fyi|so|oh|ok|okay|please note)\W+)*"
CONVENTION: Final = AnyOf(
    r"\bwe (?:don't|do not|never|always|only|use|write|call|name|put|keep|run|prefer|avoid|try to|stick to)\b.*"
    rf"\b(?:here|everywhere|in (?:this|our) (?:\w+ )?{_PLACE})\b",
    rf"\b(?:that's|it's|as|per|by|against|follow) (?:the {_RULES} (?:here|in)|our (?:\w+ )?{_RULES})\b",
    rf"\bour (?:\w+ )?{_RULES} (?:is|are|says?)\b",
    rf"^in (?:this|our) {_PLACE},? (?:we|every|all|no) ",
    r"^(?:each|every|all|any) (?:\w+ ){1,3}(?:must|needs? to|has to|have to)\b",
    r"^no (?!(?:more|need|text|code|output|(?:question|explanation|error|warning|change)s?)\b)(?:\w+ ){1,3}please\b",
    rf"^we (?!(?:need|have|want|are|were|had|could|should|might|can)\b)\w+ .*, so (?:please )?{_IMPERATIVES}\b",
    r"^(?!(?:the|this|that|it|these|you|we|i|he|she|they)\b)(?:\w+ ){0,2}\w+s (?:must|have to)(?: not)? \w",
    r"\b(?:is|are) (?:strictly )?(?:forbidden|banned|mandatory|not allowed|off limits|frowned upon)\b",
    r"^(?:please )?(?:use|make|keep|prefer|avoid|name|put|return|throw|raise|log|write) "
    r"(?!.*\b(?:the|this|that|it|these|those|my)\b).*, .*\b(?:i find|i think|because|since|easier|(?:un)?readable"
    r"|clearer|people|users|nobody|everyone|they|consistent)\b",
    r"\b(?:go|goes|live|lives|belong|belongs) (?:in|into|next to|under|below|with) .*\bhere\b",
    r"\b(?:that's|this is) (?:how|the way) we (?:always |usually )?(?:do|write|name|call|build|test|run|ship|deploy"
    r"|handle|keep|store|log|review|release|version|tag|structure|format)\b(?! it\?)",
    rf"{_BESIDES}we (?:write|spell|word|format|name) (?!(?:to|it|this|that|them|these|those|the|an?|too|so)\b)\w+"
    r" (?:\w+ )?(?:in|with|as|like|without|by|after)\b",
    rf"{_BESIDES}we (?!(?:need|have|want|are|were|had|could|should|might|can|did|do|got|get|see|saw|know|knew|think"
    r"|thought|\w+ed)\b)\w+ (?!(?:the|an?|this|that|it|these|those|them)\b)[^,.;:]{1,60}, (?:not|never) \w",
)
_ONE_OF_THEM: Final = AnyOf(r"\b(?:the (?:first|second|third|last|other) (?:one|test|file|terminal|line))\b")
REPORTED: Final = AnyOf(
    r"\b(?:docs?|documentation|manual|log|error|message|readme|warning|output|compiler|linter|page|article|customer|he"
    r"|she|they|it) (?:say|says|said|wrote|writes|reads|tells?|told|states?)\b",
)


def is_preference(sentence: str) -> bool:
    """Tell whether the user sets a rule."""
    if _ALWAYS_PLEASE.search(sentence) or _ALWAYS_ALONE.search(sentence):
        return True
    if is_of_the_moment(sentence) or _ONE_OF_THEM.search(sentence) or len(sentence.split()) < WORDS_MIN:
        return False
    if any(signs.search(sentence) for signs in (_STRONG_WISH, _STANDING, CONVENTION)):
        return True
    return not REPORTED.search(sentence) and _is_rule(sentence)


def _is_rule(sentence: str) -> bool:
    if _ALWAYS.search(sentence) and not _ALWAYS_WAS.search(sentence):
        return True
    if _EVERY_TIME.search(sentence):
        return bool(_WISH.search(sentence) or _TELLS_TO.search(sentence))
    return bool(_EVERYWHERE.search(sentence) and _WISH.search(sentence)) and not _TASK.search(sentence)
