"""Extract memories from messages by rules and weighted signs.

Each message yields at most one. The `rules` report matches; weights of all signs (`rules.weighing`) decide. The
message it answers is added.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from palimp_clients.transcripts.calls import QUESTIONS_MAX
from palimp_daemon.features.capture.question_wording import (
    BEFORE_CHARACTERS_MAX,
    QUESTION_MARKS,
    end_or_question,
    question_before,
)
from palimp_daemon.features.capture.rules import (
    corrections,
    decisions,
    fixes,
    measured,
    preferences,
    terse,
    weighing,
    weights,
)
from palimp_daemon.features.capture.rules.cues import WORDS_MIN
from palimp_daemon.features.capture.rules.shared_words import length_in_words, stems
from palimp_daemon.features.capture.rules.signs import SIGNS, asks_to_remember, passing_of, without_request_to_remember
from palimp_daemon.features.capture.sentence_wording import begins_with_pronoun, title_of, title_of_fix, without_joining
from palimp_daemon.features.capture.sentences import Sentence, sentences_of
from palimp_daemon.text.messages import Message, short
from palimp_protocol.messages.memory_messages import MemoryKind

QUOTE_CHARACTERS_MAX: Final = 700
RECAP_CHARACTERS_MAX: Final = 1_200
"""Half of a longer recap may be wrong without the other half."""

SENTENCES_PICKING: Final = 3
"""Sentences kept of an answer that chooses: the choice, perhaps its reason."""

HEARD_CHARACTERS_MAX: Final = 2_000
"""Characters read of the message answered; matching several signs takes quadratic time."""

WHOLE_WORDS_MAX: Final = 40
"""Words of a message kept whole; of a longer one, what settles something."""

_CODE: Final = re.compile(r"`[^`]*`")

TERSE_WORDS_MIN: Final = 2
"""Words of a message whose form says what it means: "no mocks"."""

USER_ODDS_MIN: Final = 0.3
FIX_ODDS_MIN: Final = 0.0
RECAP_ODDS_MIN: Final = 0.5


_EXCHANGE: Final = re.compile(r"([^\n]*[?？])\n([^\n]+(?:\n[^\n]+){0,2})")


class Extract(NamedTuple):
    """A memory found in a conversation."""

    kind: MemoryKind
    quote: str
    """The sentences it rests on, verbatim."""
    before: str = ""
    """The message they answer; empty: none."""
    said: str = ""
    """Stored instead of the quote, if a program reworded it."""
    title: str = ""
    """Empty: made from the text."""
    is_asked_for: bool = False
    """Whether the user asked for it to be remembered."""
    is_terse: bool = False
    """Whether its form tells what few words mean."""
    at_ms: int = 0
    """Unix milliseconds; 0: not known."""

    @property
    def text(self) -> str:
        """The text to store: the quote, after the answered message."""
        said = self.said or self.quote
        return f"“{self.before}” – {said}" if self.before else said


class RuleMatch(NamedTuple):
    """A rule's match in a message, with its words."""

    kind: MemoryKind
    quote: str
    is_answer: bool = False
    """Whether it picks one of the agent's offers."""


@dataclass(frozen=True)
class MessageInContext:
    """A message with the ones before it."""

    message: Message
    sentences: list[Sentence]
    before: str
    """The other speaker's last message."""
    asked: str
    """The user's last message before it."""
    ruled: RuleMatch | None
    passing: frozenset[str] = frozenset()
    """Sentences of the user's about the work at hand."""
    is_asked_by_tool: bool = False
    """Whether *before* is the agent's question with choices, asked through its client."""

    @cached_property
    def said(self) -> list[weighing.Utterance]:
        """The sentences with their signs, computed at first use."""
        return weighing.utterances(self.texts, self.passing)

    @cached_property
    def texts(self) -> list[str]:
        """The sentences' texts."""
        return [each.text for each in self.sentences]


def extracts_of(messages: Sequence[Message], known: Sequence[Message] = ()) -> list[Extract]:
    """Return the memories in *messages*, in order; *known* came before."""
    found: list[Extract] = []
    for heard in messages_in_context(messages, known):
        if found and found[-1].kind == "fix" and found[-1].quote in heard.before and _still_fails(heard):
            found.pop()
        extract = _of_user(heard) if heard.message.role == "user" else _of_agent(heard)
        words_min = TERSE_WORDS_MIN if extract and extract.is_terse else WORDS_MIN
        if extract and length_in_words(extract.text) >= words_min and _is_new(extract, found):
            said = _whole(extract.said or extract.quote)
            if length_in_words(said[0]) < WORDS_MIN:
                said = [each for each in said if _can_stand_alone(each)] or [extract.text]
            title = title_of_fix(said) if extract.kind == "fix" else title_of(said)
            found.append(extract._replace(title=title, at_ms=heard.message.at_ms))
    return found


def _still_fails(heard: MessageInContext) -> bool:
    """Tell whether the user says that a fix was none."""
    return heard.message.role == "user" and bool(fixes.STILL_SO.search(heard.texts[0]))


def _can_stand_alone(sentence: str) -> bool:
    return length_in_words(sentence) >= WORDS_MIN and not begins_with_pronoun(sentence)


def _whole(text: str) -> list[str]:
    return [text[each.start : each.end] for each in sentences_of(text)] or [text]


def _is_new(extract: Extract, found: Sequence[Extract]) -> bool:
    return not any(extract.quote in each.quote or each.quote in extract.quote for each in found)


def messages_in_context(messages: Sequence[Message], known: Sequence[Message] = ()) -> Iterator[MessageInContext]:
    """Yield each non-empty message with its predecessor and matching rule."""
    last = {message.role: message.text for message in known}
    for message in messages:
        before = last.get("assistant" if message.role == "user" else "user", "")
        asked = last.get("user", "")[:HEARD_CHARACTERS_MAX]
        if message.text:
            last[message.role] = message.text
        if message.role == "user" and (exchanges := _exchanges(message.text)):
            for question, answer in exchanges:
                said = message._replace(text=answer)
                yield MessageInContext(said, sentences_of(answer), question, asked, None, is_asked_by_tool=True)
            continue
        sentences = sentences_of(message.text)
        if sentences and message.role == "user":
            is_choosing = decisions.is_offer(_end_of(before))
            passing = frozenset[str]() if is_choosing else _about_the_work([each.text for each in sentences])
            lasting = [each for each in sentences if each.text not in passing]
            ruled = _from_user(message, lasting, before, asked) if lasting else None
            yield MessageInContext(message, sentences, before, asked, ruled, passing)
        elif sentences:
            yield MessageInContext(message, sentences, before, asked, _from_agent(message, sentences, asked))


def _about_the_work(said: Sequence[str]) -> frozenset[str]:
    told = zip(said, passing_of(said), strict=True)
    return frozenset(each for each, is_passing in told if is_passing and not decisions.DECIDED.search(each))


def _exchanges(text: str) -> list[tuple[str, str]]:
    """Return questions and answers of a message without more (`palimp_clients.transcripts.calls`)."""
    found = [_EXCHANGE.fullmatch(part.strip()) for part in text.split("\n\n", QUESTIONS_MAX)]
    pairs = [(each[1], each[2]) for each in found if each and sentences_of(each[2])]
    return [pair for pair in pairs if decisions.settles_question(pair[1], pair[0])] if all(found) else []


# --- what the weights make of it -----------------------------------------------------------------


def signs_of_user(heard: MessageInContext) -> frozenset[str]:
    """Return the signs of a user's message."""
    found = "choice" if heard.ruled and heard.ruled.is_answer else heard.ruled.kind if heard.ruled else ""
    return weighing.user_signs(heard.said, _end_of(heard.before), found)


def signs_of_fix(heard: MessageInContext) -> frozenset[str]:
    """Return the signs of a fix in an agent's message."""
    return weighing.agent_fix_signs(heard.texts, heard.asked, found=heard.ruled is not None)


def signs_of_recap(heard: MessageInContext) -> tuple[int, frozenset[str]] | None:
    """Return the number of a recap's first sentence, and its signs."""
    start = weighing.recap_start(heard.texts)
    if start is None:
        return None
    return start, weighing.recap_signs(heard.said, start, heard.asked)


def settles(heard: MessageInContext) -> bool:
    """Tell whether a message decides, corrects, picks an offer, or recaps a decision."""
    if heard.message.role == "user":
        if any(map(asks_to_remember, heard.texts)) or weights.odds("user", signs_of_user(heard)) >= USER_ODDS_MIN:
            return True
        return _picks(heard) or terse.terse_kind(heard.texts, _end_of(heard.before)) is not None
    recap = signs_of_recap(heard)
    return recap is not None and weights.odds("recap", recap[1]) >= RECAP_ODDS_MIN


def _of_user(heard: MessageInContext) -> Extract | None:
    if heard.is_asked_by_tool:
        return _pick(heard)
    asking = next((number for number, each in enumerate(heard.texts) if asks_to_remember(each)), None)
    if asking is not None:
        return _asked_for(heard, asking)
    signs = signs_of_user(heard)
    is_choice = bool(heard.ruled and heard.ruled.is_answer)
    is_by_label = is_choice and bool(decisions.labelled_sentence(heard.texts[0], [_end_of(heard.before)]))
    settles = heard.ruled is not None or (
        any(each.settles for each in heard.said) and (_is_asked(heard) or weighing.shows_will(heard.said, signs))
    )
    if not is_by_label and not (settles and weights.odds("user", signs) >= USER_ODDS_MIN):
        return _pick(heard) if _picks(heard) else _accepted_offer(heard) or _terse(heard)
    kind = "preference" if terse.is_standing_order(heard.texts) else weighing.kind_of_user(signs)
    if kind != "correction" and not is_choice and terse.tells_how_it_was(heard.texts):
        return None
    ruled = heard.ruled if heard.ruled and heard.ruled.kind == kind else None
    if whole := _whole_of_few(heard, is_answer=is_choice or kind == "correction"):
        quote = whole
    elif ruled and not begins_with_pronoun(ruled.quote):
        quote = ruled.quote
    else:
        quote = _quote(heard.message.text, _telling(heard.sentences, heard.said))
    quote = without_joining(quote)
    is_answer = is_choice or begins_with_pronoun(quote)
    extract = Extract(kind, quote, question_before(_end_of(heard.before), heard.asked, quote, is_answer=is_answer))
    return extract if length_in_words(extract.text) >= WORDS_MIN else _terse(heard)


def _is_asked(heard: MessageInContext) -> bool:
    return heard.before.rstrip().endswith(QUESTION_MARKS) or decisions.asks_advice(heard.asked)


def _whole_of_few(heard: MessageInContext, *, is_answer: bool) -> str:
    """Return a short message from its first telling sentence to the last."""
    if length_in_words(heard.message.text) > WHOLE_WORDS_MAX:
        return ""
    told = [each for each, said in zip(heard.sentences, heard.said, strict=True) if not said.is_noncommittal]
    lasting = [each for each in told if each.text not in heard.passing]
    while not is_answer and len(lasting) > 1 and length_in_words(lasting[0].text) < WORDS_MIN:
        lasting.pop(0)
    return _quote(heard.message.text, _between(heard.sentences, lasting[0], lasting[-1])) if lasting else ""


def _between(sentences: Sequence[Sentence], first: Sentence, last: Sentence) -> Sequence[Sentence]:
    return sentences[sentences.index(first) : sentences.index(last) + 1]


def _picks(heard: MessageInContext) -> bool:
    said, asked = ([each.text for each in sentences_of(text)] for text in (_end_of(heard.before), heard.asked))
    return (
        heard.is_asked_by_tool
        or decisions.picks_of(heard.texts[0], decisions.whole_items(said))
        or bool(said and decisions.picks_own_option(heard.texts[-1], asked))
        or _answers_in_short(heard)
    )


def _answers_in_short(heard: MessageInContext) -> bool:
    text, before, asked = " ".join(heard.texts), _end_of(heard.before), heard.asked
    if heard.passing or not before or length_in_words(text) > WHOLE_WORDS_MAX:
        return False
    if decisions.picks_alternative(text, before):
        return True
    return decisions.picks_with_reason(text, before, asked) or decisions.settles_value(text, before, asked)


def _pick(heard: MessageInContext) -> Extract:
    quote = _quote(heard.message.text, heard.sentences[:SENTENCES_PICKING])
    return Extract("decision", quote, question_before(_end_of(heard.before), heard.asked, quote, is_answer=True))


def _terse(heard: MessageInContext) -> Extract | None:
    kind = None if heard.passing else terse.terse_kind(heard.texts, _end_of(heard.before))
    if not kind:
        return None
    quote = heard.message.text.strip()
    is_answer = kind == "correction" or begins_with_pronoun(quote) or terse.picks(quote)
    answered = end_or_question(_end_of(heard.before), quote) or short(heard.before, BEFORE_CHARACTERS_MAX)
    return Extract(kind, quote, answered if is_answer else "", is_terse=True)


def _asked_for(heard: MessageInContext, asking: int) -> Extract:
    part = heard.sentences[asking:]
    quote = _quote(heard.message.text, part)
    said = without_request_to_remember(quote).lstrip(" .:,;")
    if length_in_words(said) < WORDS_MIN and asking:  # it is about what was said before
        quote = said = _quote(heard.message.text, heard.sentences[:asking])
    kind = weighing.kind_of_asked_for(_whole(said))
    is_answer = begins_with_pronoun(said) or length_in_words(said) < WORDS_MIN
    return Extract(
        kind, quote, end_or_question(_end_of(heard.before)) if is_answer else "", said=said, is_asked_for=True
    )


def _telling(sentences: Sequence[Sentence], said: Sequence[weighing.Utterance]) -> Sequence[Sentence]:
    settling = [number for number, each in enumerate(said) if each.settles] or [0]
    first, last = settling[0], settling[-1]
    if first and (begins_with_pronoun(said[first].text) or length_in_words(said[first].text) < WORDS_MIN):
        first -= 1
    if last + 1 < len(said) and not said[last + 1].is_noncommittal:
        last += 1
    return sentences[first : last + 1]


def _of_agent(heard: MessageInContext) -> Extract | None:
    texts = heard.texts
    recap = signs_of_recap(heard)
    if recap and weights.odds("recap", recap[1]) >= RECAP_ODDS_MIN:
        part = heard.sentences[recap[0] :]
        while len(part) > 1 and part[-1].text.rstrip().endswith("?"):
            part = part[:-1]
        quote = _quote(heard.message.text, part, RECAP_CHARACTERS_MAX)
        return Extract("decision", quote) if length_in_words(_CODE.sub("", quote)) >= WORDS_MIN else None
    if weighing.is_recap(texts) and not fixes.tells_of_trouble(heard.asked):
        return None  # a report of what was done, in which something may have gone wrong
    if span := measured.finding_span(texts, heard.asked):
        return Extract("finding", _quote(heard.message.text, heard.sentences[span[0] : span[1] + 1]))
    if weights.odds("fix", signs_of_fix(heard)) < FIX_ODDS_MIN:
        return None
    if heard.ruled:
        quote = heard.ruled.quote
    elif span := fixes.fix_span(texts):
        quote = _quote(heard.message.text, heard.sentences[span[0] : span[1] + 1])
    else:
        return None
    return Extract("fix", quote, end_or_question(heard.asked) if fixes.tells_of_trouble(heard.asked) else "")


# --- what the rules see in it --------------------------------------------------------------------


def _from_user(message: Message, sentences: Sequence[Sentence], before: str, asked: str) -> RuleMatch | None:
    found = None
    if before:
        found = _choice(message, sentences, before, asked) or _correction(message, sentences, before)
    return found or _decision(message, sentences, before) or _preference(message, sentences)


def _choice(message: Message, sentences: Sequence[Sentence], before: str, asked: str) -> RuleMatch | None:
    has_reason = _has_more(message, sentences[0])
    if not decisions.is_choice(sentences[0].text, _end_of(before), asked, has_reason=has_reason):
        return None
    return RuleMatch("decision", _quote(message.text, sentences[:3]), is_answer=True)


def _decision(message: Message, sentences: Sequence[Sentence], before: str) -> RuleMatch | None:
    for number, sentence in enumerate(sentences):
        if decisions.is_decision(sentence.text, _end_of(before), has_reason=_has_more(message, sentence)):
            quoted = sentences[number : number + 3]
            return RuleMatch("decision", _quote(message.text, quoted))
    return None


def _has_more(message: Message, sentence: Sentence) -> bool:
    return len(message.text[sentence.end :].split()) >= WORDS_MIN


def _correction(message: Message, sentences: Sequence[Sentence], before: str) -> RuleMatch | None:
    first, quoted = sentences[0].text, sentences[:3]
    text = " ".join(each.text for each in quoted)
    is_about_it = SIGNS["no"].search(first) or stems(text) & stems(_end_of(before))
    is_no = is_about_it and corrections.is_correction(first) and corrections.says_what_is_right(text)
    if not (is_no or corrections.contradicts(first, text, _end_of(before))):
        return None
    return RuleMatch("correction", _quote(message.text, quoted))


def _preference(message: Message, sentences: Sequence[Sentence]) -> RuleMatch | None:
    found = [number for number, sentence in enumerate(sentences) if preferences.is_preference(sentence.text)]
    if not found:
        return None
    text = sentences[found[0]].text
    # "Always." alone is about the sentence before it, and so is "That applies to everything."
    is_about_the_former = len(text.split()) < WORDS_MIN or text.lower().startswith(("that ", "this "))
    first = max(0, found[0] - is_about_the_former)
    return RuleMatch("preference", _quote(message.text, sentences[first : found[-1] + 1]))


def _accepted_offer(heard: MessageInContext) -> Extract | None:
    first = heard.texts[0]
    said = sentences_of(heard.before)
    if decisions.is_yes(first):
        chosen = [each for each in said if decisions.is_chosen_by_agent(each.text)]
        if chosen:
            return _decision_agreed(heard, chosen)
    if any(decisions.makes_permanent(each) for each in heard.texts) and said and not said[-1].text.endswith("?"):
        return _decision_agreed(heard, said)
    return None


def _decision_agreed(heard: MessageInContext, said: Sequence[Sentence]) -> Extract:
    return Extract("decision", _quote(heard.before, said), end_or_question(heard.asked))


def _from_agent(message: Message, sentences: Sequence[Sentence], asked: str) -> RuleMatch | None:
    span = fixes.fix_in([each.text for each in sentences], asked)
    return RuleMatch("fix", _quote(message.text, sentences[span[0] : span[1] + 1])) if span else None


def _end_of(before: str) -> str:
    return before[-HEARD_CHARACTERS_MAX:]


def _quote(text: str, sentences: Sequence[Sentence], most: int = QUOTE_CHARACTERS_MAX) -> str:
    last = sentences[0]
    for each in sentences:
        if each.end - sentences[0].start <= most:
            last = each
    return text[sentences[0].start : last.end].strip()
