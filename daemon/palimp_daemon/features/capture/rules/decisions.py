"""Decisions: the user settles something, or picks an agent's offer."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from palimp_daemon.features.capture.rules.cues import (
    OF_THIS_DAY,
    STILL_FAILS,
    UNTRUE,
    WHY,
    WORDS_MIN,
    AnyOf,
    InAnyLanguage,
    is_of_the_moment,
)
from palimp_daemon.features.capture.rules.preferences import CONVENTION
from palimp_daemon.features.capture.rules.shared_words import are_alike, length_in_words, names_in, stems, words_of
from palimp_daemon.features.capture.rules.signs import SIGNS, is_noncommittal
from palimp_daemon.features.capture.sentences import sentences_of
from palimp_daemon.languages.language import one_line

_WHO: Final = (
    r"(?:we|they|everyone|everybody|\w+ and (?:i|me)|(?:the )?(?:\w+ )?(?:team|board|owner|management|legal|customers?"
    r"|clients?|lawyers|architects?|security|ops|boss|lead|cto|ceo))"
)
DECIDED: Final = AnyOf(
    rf"\b{_WHO}(?:'ve| have|'s| has)? (?:all )?(?:now |finally |just |already )?"
    r"(?:decided|agreed|voted|settled|chosen|opted|concluded|rejected|ruled out|signed (?:(?:this|that|it) )?off|picked"
    r"|confirmed (?:that|it|we|they))\b",
    r"\bi(?:'ve| have)? (?:now |finally |just )?(?:rejected|ruled out|signed off|chosen|picked"
    r"|decided(?! to (?:take|go|have|leave|stop|wait|sleep|look|try|check|start|stay)\b))\b",
    r"\b(?:(?:final|my|our) (?:decision|call)|decision (?:is|made)|decision:|verdict|it's settled|settle this"
    r"|that's settled)",
    r"^(?:from (?:today|now|next \w+) on|as of (?:today|now|next|v?\d[\w.]*)|starting (?:today|with|from))\b"
    r"(?! we have\b).*\b(?:we|is|are|must|only|no longer)\b",
    r"^(?:(?:i|we)(?:'ve| have)? )?(?:discussed|talked|checked|spoke|spoken|clarified|aligned|cleared"
    r"|confirmed) (?:\w+ )?(?:with|to|about)\b[^,:]*[,:] .*\b(?:we|stays?|keeps?|must|no)\b",
    r"\b(?:outcome|conclusion|result) (?:of|from) (?:the|our|today's) (?:meeting|discussion|call|review|sync|vote)\b",
    r"^(?:ok(?:ay)?\W+)?(?:settled|decided|agreed)\b|\bagreed (?:on|that|to|with)\b",
)
_WE_DO: Final = AnyOf(
    r"\bwe(?:'re| are) (?:going with|going to (?:use|keep|drop|stay|stick|switch|move|go)|sticking (?:with|to)|moving"
    r"|switching|dropping|keeping|staying|not going to|no longer|standardi[sz]ing|retiring|replacing)\b"
    r"(?! to the office)",
    r"\bwe(?:'ll| will) (?:go with|use|keep|take|stay with|stick (?:to|with)|not support|not use|no longer|drop"
    r"|move to|switch to|standardi[sz]e)\b",
    r"\bwe (?:won't|will not) (?:support|use|do|ship|have|cache|need)\b",
    r"(?<!\bhow)(?<!\bwhat)(?<!\bas)(?<!\bthan)(?<!\bwhere)(?<!\bthink)(?<!\bthat)(?<!\bwhy)(?<!\blike)(?<!\bcourse)"
    r" it is\b(?=[.,!]|$)",
    r"\b(?:going|went|we go) with\b",
    r"^(?:(?:ok|okay|so|and|then|well|hm+|right)\W+)*(?:max(?:imum)?|min(?:imum)?|(?:no|never) more than) (?:of )?\d",
)
_WE_DO_SINCE: Final = AnyOf(
    r"\bwe(?:'ll| will| won't| will not) (?!(?:see|look|check|try|wait|need|have to|talk|discuss|meet|be|get|know|find"
    r"|probably|continue|start|come|go (?:to|over|through|back|on)|think|ask|decide|let|worry)\b)"
    r"\w+ (?!(?:it|this|that|them)\b)",
    r"\bwe (?:drop|skip|keep|go with|stay with|stick (?:to|with))\b(?! \w+ing\b)",
    r"\bwe(?:'ve| have)? (?:now |recently |just )?(?:switched|moved|migrated) (?:to|from|away|over)\b",
    r"\b(?:stays?|remains?) (?:as (?:it )?is|as they are|unchanged)\b|\bso (?:it|they|that) stays?\b",
    r"\b(?:stays?|remains?) (?:on|at|in|with) .*\b(?:because|since|so)\b",
    r"\bwants? (?:us|it|them) to (?:keep|drop|use|stay|stop|support|be)\b",
    r"\bwe(?:'re| are) not (?!(?:getting|seeing|working|talking|saying|looking|going)\b)\w+ing\b",
    r"\bthere (?:will be (?:no|only)|won't be)\b",
    r"\b(?:gets?|will be|is being|are being) (?:switched off|retired|deprecated|shut down|sunset|phased out)\b",
    r"\breplaces? .*\b(?:completely|entirely|for good)\b",
    r"\blet's (?:go with|use|take|keep|stick (?:to|with)|stay with|drop|settle|make it|have|not (?!worry|do )\w+)\b",
)
"""A decision if it has a reason, or answers an offer."""
_OFFERS: Final = AnyOf(
    r"\boptions?\b",
    r"\b(?:either|both|alternatively|versus|vs\.?|or)\b",
    r"\b(?:i|we|you|it) (?:would|could)\b|\bi'd\b|\bshould i\b|\bshall i\b|\bdo you want\b",
    r"\bwith (?:a|an|the)?\s?[\w.]+ (?:we|you)\b",
    r"\bwould (?:be|do|fit|work)\b|\?\W*$",
)
_ASKS_WHICH: Final = InAnyLanguage(lambda words: words.asks_which)
_ALTERNATIVE: Final = InAnyLanguage(lambda words: words.alternative)
"""Stands between two things to choose from."""
_OWN_WORK: Final = InAnyLanguage(lambda words: words.own_work)
_DECLINES: Final = AnyOf(
    r"^\W*(?:skip|cancel|none|no (?:preference|idea)|not sure|(?:it's )?up to you|you (?:decide|choose|pick)"
    r"|i don'?t (?:know|care|mind)|whatever|any|either(?: is fine| works)?|later)\W*$",
)
_PROPOSES: Final = AnyOf(
    r"\b(?:i'd|i would) (?!(?:like|need|have|love)\b)\w+\b|\boptions?\b"
    r"|\b(?:should|shall) i\b|\bdo you want\b|\bwhich (?:one|of)\b",
)
_WHAT_TO_DO: Final = AnyOf(
    r"\b(?:do|should|shall|could|can|would) (?:we|i)\b.*\?|\bwhich\b.*\?|\bor\b.*\?|\bhow (?:should|do|would) (?:we"
    r"|i)\b|\bwhat\b.*\b(?:use|choose|pick|take|suggest|recommend|about)\b.*\?",
)
_OPENING: Final = r"^(?:(?:ok(?:ay)?|yes|yeah|yep|no|so|then|fine|alright|all right|right|well|good|agreed|sure)\W+)*"
_CHOOSING: Final = (
    r"(?:(?:let['’]?s|let us|we(?:['’]ll)?|i['’]d|i would|please|just) )?(?:(?:do|use|take|keep|pick|choose|prefer"
    r"|rather|go (?:with|for)) ){0,2}"
)
"""Precedes the name of the thing picked."""
_LABEL: Final = re.compile(
    rf"{_OPENING}(?:(?:option|variant|plan|number|the|choice)\s+(\w+)|([a-d1-9]))(?: one)?"
    r"(?:[.!,:;)]|$| (?:but|and|with|please|without|because)\b)",
    re.IGNORECASE,
)
"""Names a choice by letter, number or place."""
_ORDINALS: Final = frozenset(
    ["one", "two", "three", "four", "first", "second", "third", "fourth", "former", "latter", "last"]
)
_NO_NAMES: Final = frozenset(
    ["no", "not", "yes", "it", "now", "later", "wait", "stop", "both", "either", "more", "less"]
)
"""Words beside an "or" that name nothing."""
_PICKS: Final = AnyOf(
    rf"{_OPENING}(?:but )?(?:please )?(?:use|take (?!a\b|your\b)|go with|keep (?!going\b)|skip|drop|cap|do it"
    rf"|make it|put|pick"
    r"|leave (?:it|out)|let's (?:use|take|keep|drop|have|not))",
)
LISTED_MIN: Final = 2
"""Things listed beside a question that make it an offer without "or"."""
_LISTED: Final = re.compile(r"(?:[-*•]|\(?\w[.)])\s")
_MARK_ALONE: Final = re.compile(r"\(?\w[.)]")
SENTENCES_OFFERING: Final = 3
"""The agent's last sentences in which an "or" offers something."""
REASON_WORDS_MIN: Final = 3
_WITH_REASON: Final = re.compile(
    r"([^\n,.;:，。；：–—`'\"(){}=/]{1,40}?)(?: ?[,.;:–—-]+ |[，。；：]| \()(\S.*)", re.DOTALL
)
"""A name, then more."""
_BESIDE_NAME: Final = InAnyLanguage(lambda words: rf"^(?:{one_line(words.beside_name)})$" if words.beside_name else "")
_VERB: Final = AnyOf(
    r"\b(?:am|are|is|was|were|do|does|did|have|has|had|shall|should|can|could|will|would|ist|sind|war|soll\w*|hast|est|sont"
    r"|as|es|son|está|é|são|это)\b|[\u3040-\u30ff\u3400-\u9fff]"
)
_ASKS_ADVICE: Final = InAnyLanguage(lambda words: words.asks_advice)
_ASKS_VALUE: Final = InAnyLanguage(lambda words: words.asks_value)
_OF_A_PLACE: Final = AnyOf(
    r"\b(?:lines?|rows?|ids?|tickets?|issues?|prs?|commits?|errors?|do you (?:see|get|have)|are you)\b"
)
"""Asks where something is, not how it should be."""
_DIGIT: Final = re.compile(r"\d")
_VALUE: Final = InAnyLanguage(
    lambda words: (
        rf"{_OPENING}(?:(?:{one_line(words.sets_value)}) ?)?"
        r"\d[\d.,:]* ?(?:%|[a-zäéа-я]{1,9}\b|[\u3040-\u30ff\u3400-\u9fff]{1,3}"
        r"(?:に(?:変更|設定)?(?:して(?:ください)?|します)?)?)?(?=\W|$)"
        if words.sets_value
        else ""
    )
)
"""A number, with its unit, at the beginning of an answer."""
_PARTS: Final = re.compile(r"-|(?<=[\u3040-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3040-\u9fff])")
_LABELLED: Final = re.compile(r"\b(?:option|variant|plan|alternative) (\w+)", re.IGNORECASE)
_CHOSEN_WITH: Final = re.compile(r"[\s,]+(?:please|pls|then|here)\W*$", re.IGNORECASE)
WORDS_NAMING: Final = 3
_YES: Final = AnyOf(
    r"^(?:yes|yep|yeah|ok(?:ay)?|agreed|sounds good|good|perfect|fine|great|do (?:that|it)|go ahead|exactly|sure)\b",
)
_CHOSE: Final = AnyOf(
    r"\bi (?:chose|picked|decided (?:on|to use|for)|went with|settled on|opted for)\b",
)
_OF_ITS_WORK: Final = AnyOf(r"\b(?:search|read|look|start|begin|open|check|grep|run|list|continue)(?:ing)?\b")


def is_decision(sentence: str, before: str, *, has_reason: bool) -> bool:
    """Tell whether the user settles something; *has_reason*: more follows the sentence."""
    if is_of_the_moment(sentence):
        return False
    if DECIDED.search(sentence) or _WE_DO.search(sentence):
        return True
    is_answer = bool(before and _OFFERS.search(before))
    is_settled = bool(_WE_DO_SINCE.search(sentence)) and not CONVENTION.search(sentence)
    return is_settled and (is_answer or has_reason or bool(WHY.search(sentence)))


def is_choice(sentence: str, before: str, asked: str, *, has_reason: bool) -> bool:
    """Tell whether the user picks, with a reason, an offer in *before*, the agent's message.

    An answer to a question for advice (*asked*) is an offer, too.
    """
    if any(signs.search(sentence) for signs in (STILL_FAILS, OF_THIS_DAY, UNTRUE)) or is_of_the_moment(sentence):
        return False
    is_asked = bool(_WHAT_TO_DO.search(asked))
    if not (is_asked or _OFFERS.search(before)):
        return False
    if label := _LABEL.search(sentence):
        return (has_reason or len(sentence.split()) >= WORDS_MIN) and _is_labelled(label[1] or label[2], before)
    if not (has_reason or WHY.search(sentence)):
        return False
    if _PICKS.search(sentence):
        is_asked = is_asked and has_reason
        return bool(is_asked or _PROPOSES.search(before) or stems(sentence) & stems(before))
    return _begins_with_one_of(sentence, stems(before) | stems(asked))


def picks_of(sentence: str, said: Sequence[str]) -> bool:
    """Tell whether *sentence* begins with an offer in the agent's *said*."""
    offer = "" if is_of_the_moment(sentence) else _offer_in(said)
    label = _LABEL.search(sentence)
    if label and _is_labelled(label[1] or label[2], offer):
        return bool(offer)
    if _is_one_beside_or(sentence, offer):
        return True
    return _begins_with_one_of(_PARTS.sub(" ", sentence), stems(_PARTS.sub(" ", offer)))


def picks_with_reason(text: str, before: str, asked: str) -> bool:
    """Tell whether *text* names one thing advised and says why: "larch, we have some"."""
    parts = _WITH_REASON.match(_without_choosing(text))
    if not parts or not (_ASKS_ADVICE.search(asked) or _PROPOSES.search(before) or _ALTERNATIVE.search(before)):
        return False
    said = [each for each in words_of(_PARTS.sub(" ", parts[1])) if not _BESIDE_NAME.search(each)]
    named = names_in(said)
    offers = stems(_PARTS.sub(" ", before)) | stems(asked)
    is_name = 0 < len(said) < WORDS_NAMING and len(named) == len(said)
    return is_name and all(any(map(partial(are_alike, name), offers)) for name in named) and _gives_reason(parts[2])


def settles_value(text: str, before: str, asked: str) -> bool:
    """Tell whether *text* is the value asked for, by the agent, or with a reason by the user."""
    found = _VALUE.search(text)
    if not found:
        return False
    rest = text[found.end() :]
    question = next((each for each in reversed(before.split("\n")) if _ends_asking(each)), "")
    if _ASKS_VALUE.search(question) and not (_OWN_WORK.search(question) or _OF_A_PLACE.search(question)):
        return not rest.strip(" .!,。") or _gives_reason(rest)
    return bool(_ASKS_VALUE.search(asked) and _DIGIT.search(before)) and _gives_reason(rest)


def _gives_reason(text: str) -> bool:
    is_idle = (
        any(signs.search(text) for signs in (STILL_FAILS, UNTRUE)) or is_of_the_moment(text) or is_noncommittal(text)
    )
    return not is_idle and length_in_words(text) >= REASON_WORDS_MIN


def asks_advice(message: str) -> bool:
    """Tell whether the user's *message* asks for an opinion."""
    return bool(_ASKS_ADVICE.search(message))


def is_offer(message: str) -> bool:
    """Tell whether the agent's *message* asks which of some things to take."""
    return bool(_offer_in(whole_items([each.text for each in sentences_of(message)])))


def picks_alternative(text: str, before: str) -> bool:
    """Tell whether *text* names one of two things proposed in *before*."""
    said = [each.text for each in sentences_of(before)[-SENTENCES_OFFERING:] if _ALTERNATIVE.search(each.text)]
    is_proposed = bool(_PROPOSES.search(before))
    offers = [each for each in said if (not _VERB.search(each) if _ends_asking(each) else is_proposed)]
    named = {each.lower() for each in words_of(_CHOSEN_WITH.sub("", _without_choosing(text)))}
    is_name = 0 < len(named) < WORDS_NAMING and bool(names_in([*named])) and not is_of_the_moment(text)
    return is_name and named <= {each.lower() for each in words_of(" ".join(offers))}


def _without_choosing(text: str) -> str:
    return re.sub(rf"{_OPENING}{_CHOOSING}", "", text, flags=re.IGNORECASE)


def picks_own_option(sentence: str, asked: Sequence[str]) -> bool:
    """Tell whether *sentence* is one of two things that the user *asked* about."""
    offers = stems(" ".join(each for each in asked if _ends_asking(each) and _ALTERNATIVE.search(each)))
    named = words_of(_CHOSEN_WITH.sub("", _without_choosing(sentence)))
    is_name = 0 < len(named) < WORDS_NAMING and len(names_in(named)) == len(named)
    return is_name and not is_of_the_moment(sentence) and names_in(named) <= offers


def _is_one_beside_or(sentence: str, offer: str) -> bool:
    """Tell whether *sentence* is one of two names with an "or" between them: go, bun."""
    said = [each.lower() for each in words_of(_without_choosing(sentence))]
    offered = [each.lower() for each in words_of(offer)]
    if len(said) != 1 or said[0] in _NO_NAMES | _ORDINALS:
        return False
    pairs = zip(offered, offered[2:], offered[1:], strict=False)
    return any(said[0] in (one, other) and _ALTERNATIVE.search(between) for one, other, between in pairs)


def _offer_in(said: Sequence[str]) -> str:
    """Return the offer in the agent's sentences *said*, or an empty text.

    The things are in their last questions, listed beside, or in the sentence before. A question about facts, or the
    agent's next act, offers nothing.
    """
    asking = _last_questions(said)
    if not asking:
        whole = " ".join(said)  # it may name its options, and leave the question out
        return whole if len(set(map(str.lower, _LABELLED.findall(whole)))) >= LISTED_MIN else ""
    questions = [said[number] for number in asking]
    if not any(map(_ASKS_WHICH.search, questions)) or any(map(_OWN_WORK.search, questions)):
        return ""
    listed = [number for number, each in enumerate(said) if _LISTED.match(each)]
    if any(map(_ALTERNATIVE.search, questions)):
        return " ".join(said[asking[0] :])
    if len(listed) >= LISTED_MIN:
        return " ".join(said[min(asking[0], listed[0]) :])
    beside = " ".join(said[max(0, asking[0] - 1) :])
    return beside if _ALTERNATIVE.search(beside) else ""


def _last_questions(said: Sequence[str]) -> range:
    last = next((number for number in reversed(range(len(said))) if _ends_asking(said[number])), -1)
    first = last
    while first > 0 and _ends_asking(said[first - 1]):
        first -= 1
    return range(max(first, 0), last + 1)


def settles_question(answer: str, question: str) -> bool:
    """Tell whether *answer*, below *question*, picks a client's option.

    A user's own question mostly goes on with an order.
    """
    is_of_agent = not question[:1].islower() and bool(_ASKS_WHICH.search(question))
    is_order = bool(SIGNS["asks_you"].search(answer))
    is_now = bool(_OWN_WORK.search(question)) or is_of_the_moment(answer)
    return is_of_agent and not (is_order or is_now or _DECLINES.search(answer))


def _ends_asking(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _begins_with_one_of(sentence: str, names: AbstractSet[str]) -> bool:
    rest = _without_choosing(sentence)
    named = names_in(words_of(rest)[:WORDS_NAMING])
    return any(are_alike(name, other) for name in named for other in names)


def is_yes(sentence: str) -> bool:
    """Tell whether the user accepts a proposal."""
    return bool(_YES.search(sentence))


def is_chosen_by_agent(sentence: str) -> bool:
    """Tell whether the agent states a reasoned choice."""
    return bool(_CHOSE.search(sentence) and WHY.search(sentence)) and not _OF_ITS_WORK.search(sentence)


def whole_items(said: Sequence[str]) -> list[str]:
    """Return *said*, with list labels joined to their items."""
    found: list[str] = []
    for each in said:
        if found and _MARK_ALONE.fullmatch(found[-1]):
            found[-1] = f"{found[-1]} {each}"
        else:
            found.append(each)
    return found


def labelled_sentence(answer: str, offered: Sequence[str]) -> str:
    """Return the sentence of *offered* with the label that begins *answer*, if any."""
    label = _LABEL.search(answer)
    name = (label[1] or label[2]) if label else ""
    return next((each for each in offered if name and _has_label(name, each)), "")


def _is_labelled(label: str, before: str) -> bool:
    return label.lower() in _ORDINALS or _has_label(label, before)


def _has_label(label: str, offer: str) -> bool:
    pattern = rf"(?:\boption |\bplan |\bvariant |[(\s]|^)({re.escape(label)})(?:[).:\s]|$)"
    return bool(re.search(pattern, offer, re.IGNORECASE))


_PERMANENT: Final = InAnyLanguage(lambda words: words.stays)


def makes_permanent(sentence: str) -> bool:
    """Tell whether the user wants the agent's result to stay."""
    return bool(_PERMANENT.search(sentence)) and not is_of_the_moment(sentence)
