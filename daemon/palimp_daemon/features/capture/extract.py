"""From messages to memories: the rules applied to a conversation.

Of one message at most one memory is made, of the kind that fits best, with the sentences that it rests on as its
quote. What was asked before is put in front, so that it can be understood alone.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.features.capture.rules import corrections, decisions, fixes, preferences
from palimp_daemon.features.capture.rules.cues import WORDS_MIN
from palimp_daemon.features.capture.sentences import Sentence, sentences_of
from palimp_daemon.text.messages import Message
from palimp_daemon.text.transcript import short
from palimp_protocol.messages.memories import MemoryKind

QUOTE_CHARACTERS_MAX: Final = 700
BEFORE_CHARACTERS_MAX: Final = 200
"""What is kept of what was said before."""


HEARD_CHARACTERS_MAX: Final = 2_000
"""Of what a message answers, what is looked at: looking for several signs in a row takes the square of it."""


class Extract(NamedTuple):
    """A memory that a conversation holds."""

    kind: MemoryKind
    quote: str
    """The sentences it rests on, as they were said."""
    before: str = ""
    """What they answer; empty: nothing."""
    said: str = ""
    """What is stored in the place of the quote, if a program put it in its own words."""

    @property
    def text(self) -> str:
        """What is stored: the quote, and behind it what it answers."""
        if len(self.before.split()) < WORDS_MIN:
            return self.said or self.quote
        asked = "Asked" if self.kind == "fix" else "The agent had said"
        return f"{self.quote}\n\n{asked}: {self.before}"


def extracts_of(messages: Sequence[Message], known: Sequence[Message] = ()) -> list[Extract]:
    """Return what is worth remembering of *messages*, in their order, which came after *known*."""
    found: list[Extract] = []
    last = {message.role: message.text for message in known}
    for message in messages:
        before = last.get("assistant" if message.role == "user" else "user", "")
        asked = last.get("user", "")[:HEARD_CHARACTERS_MAX]
        if message.text:
            last[message.role] = message.text
        if message.role == "user":
            extract = _from_user(message, before, asked) or _accepted(message, before)
        else:
            extract = _from_agent(message, before)
        if extract and len(extract.quote.split()) >= WORDS_MIN and all(extract.quote != each.quote for each in found):
            found.append(extract)
    return found


def _from_user(message: Message, before: str, asked: str) -> Extract | None:
    sentences = sentences_of(message.text)
    if not sentences:
        return None
    found = None
    if before:
        found = _choice(message, sentences, before, asked) or _correction(message, sentences, before)
    return found or _decision(message, sentences, before) or _preference(message, sentences)


def _choice(message: Message, sentences: Sequence[Sentence], before: str, asked: str) -> Extract | None:
    has_reason = _has_more(message, sentences[0])
    if not decisions.is_choice(sentences[0].text, _end_of(before), asked, has_reason=has_reason):
        return None
    return Extract("decision", _quote(message.text, sentences[:3]), short(before, BEFORE_CHARACTERS_MAX))


def _decision(message: Message, sentences: Sequence[Sentence], before: str) -> Extract | None:
    for number, sentence in enumerate(sentences):
        if decisions.is_decision(sentence.text, _end_of(before), has_reason=_has_more(message, sentence)):
            quoted = sentences[number : number + 3]
            return Extract("decision", _quote(message.text, quoted), short(before, BEFORE_CHARACTERS_MAX))
    return None


def _has_more(message: Message, sentence: Sentence) -> bool:
    """Tell whether something is said after *sentence*, which may be the reason."""
    return len(message.text[sentence.end :].split()) >= WORDS_MIN


def _correction(message: Message, sentences: Sequence[Sentence], before: str) -> Extract | None:
    first, quoted = sentences[0].text, sentences[:3]
    text = " ".join(each.text for each in quoted)
    is_no = corrections.is_correction(first) and corrections.says_what_is_right(text)
    if not (is_no or corrections.contradicts(first, text, _end_of(before))):
        return None
    return Extract("correction", _quote(message.text, quoted), short(before, BEFORE_CHARACTERS_MAX))


def _preference(message: Message, sentences: Sequence[Sentence]) -> Extract | None:
    found = [number for number, sentence in enumerate(sentences) if preferences.is_preference(sentence.text)]
    if not found:
        return None
    text = sentences[found[0]].text
    # "Always." alone is about the sentence before it, and so is "That applies to everything."
    is_about_the_former = len(text.split()) < WORDS_MIN or text.lower().startswith(("that ", "this "))
    first = max(0, found[0] - is_about_the_former)
    return Extract("preference", _quote(message.text, sentences[first : found[-1] + 1]))


def _accepted(message: Message, before: str) -> Extract | None:
    """Return what the agent chose, when the user says yes to it."""
    first = sentences_of(message.text)[:1]
    if not (first and decisions.is_yes(first[0].text)):
        return None
    chosen = [each for each in sentences_of(before) if decisions.is_chosen_by_agent(each.text)]
    return Extract("decision", _quote(before, chosen), "") if chosen else None


def _from_agent(message: Message, asked: str) -> Extract | None:
    sentences = sentences_of(message.text)
    span = fixes.fix_in([each.text for each in sentences], asked[:HEARD_CHARACTERS_MAX])
    if span is None:
        return None
    quoted = sentences[span[0] : span[1] + 1]
    return Extract("fix", _quote(message.text, quoted), short(asked, BEFORE_CHARACTERS_MAX))


def _end_of(before: str) -> str:
    """Return what of the agent's message a user answers."""
    return before[-HEARD_CHARACTERS_MAX:]


def _quote(text: str, sentences: Sequence[Sentence]) -> str:
    """Return *sentences* as they stand in *text*, whole ones, QUOTE_CHARACTERS_MAX at most but one at least."""
    last = sentences[0]
    for each in sentences:
        if each.end - sentences[0].start <= QUOTE_CHARACTERS_MAX:
            last = each
    return text[sentences[0].start : last.end].strip()
