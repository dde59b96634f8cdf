"""From messages to memories: the rules applied to a conversation.

Of one message at most one memory is made, of the kind that fits best, with the sentences that it rests on as its
quote. What was asked before is put in front, so that it can be understood alone.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.capture import rules
from palimp_daemon.capture.messages import Message
from palimp_daemon.capture.sentences import Sentence, sentences_of
from palimp_daemon.capture.transcript import short
from palimp_protocol.operations import MemoryKind

QUOTE_CHARACTERS_MAX: Final = 700
BEFORE_CHARACTERS_MAX: Final = 200
"""What is kept of what was said before."""


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
        if len(self.before.split()) < rules.WORDS_MIN:
            return self.said or self.quote
        asked = "Asked" if self.kind == "fix" else "The agent had said"
        return f"{self.quote}\n\n{asked}: {self.before}"


def extracts_of(messages: Sequence[Message], known: Sequence[Message] = ()) -> list[Extract]:
    """Return what is worth remembering of *messages*, in their order, which came after *known*."""
    found: list[Extract] = []
    last = {message.role: message.text for message in known}
    for message in messages:
        before = last.get("assistant" if message.role == "user" else "user", "")
        if message.text:
            last[message.role] = message.text
        if message.role == "user":
            extract = _from_user(message, before) or _accepted(message, before)
        else:
            extract = _from_agent(message, before)
        if (
            extract
            and len(extract.quote.split()) >= rules.WORDS_MIN
            and all(extract.quote != each.quote for each in found)
        ):
            found.append(extract)
    return found


def _from_user(message: Message, before: str) -> Extract | None:
    sentences = sentences_of(message.text)
    if not sentences:
        return None
    if before and rules.is_correction(sentences[0].text):
        quoted = sentences[:3]
        if rules.says_what_is_right(" ".join(each.text for each in quoted)):
            return Extract("correction", _quote(message.text, quoted), short(before, BEFORE_CHARACTERS_MAX))
    for number, sentence in enumerate(sentences):
        if rules.is_decision(sentence.text, before):
            return Extract(
                "decision", _quote(message.text, sentences[number : number + 3]), short(before, BEFORE_CHARACTERS_MAX)
            )
    wishes = [number for number, sentence in enumerate(sentences) if rules.is_preference(sentence.text)]
    if not wishes:
        return None
    # "Always." alone is about the sentence before it.
    first = max(0, wishes[0] - 1) if len(sentences[wishes[0]].text.split()) < rules.WORDS_MIN else wishes[0]
    return Extract("preference", _quote(message.text, sentences[first : wishes[-1] + 1]))


def _accepted(message: Message, before: str) -> Extract | None:
    """Return what the agent chose, when the user says yes to it."""
    first = sentences_of(message.text)[:1]
    if not (first and rules.is_yes(first[0].text)):
        return None
    chosen = [each for each in sentences_of(before) if rules.is_chosen_by_agent(each.text)]
    return Extract("decision", _quote(before, chosen), "") if chosen else None


def _from_agent(message: Message, asked: str) -> Extract | None:
    sentences = sentences_of(message.text)
    causes = [number for number, each in enumerate(sentences) if rules.is_cause(each.text)]
    remedies = [number for number, each in enumerate(sentences) if rules.is_remedy(each.text)]
    if not (causes and remedies) or not rules.is_trouble(f"{asked}\n{message.text}"):
        return None
    if not any(rules.states_cause(sentences[number].text) for number in causes) and not rules.is_trouble(asked):
        return None
    first, last = min(causes[0], remedies[0]), max(causes[0], remedies[-1])
    return Extract("fix", _quote(message.text, sentences[first : last + 1]), short(asked, BEFORE_CHARACTERS_MAX))


def _quote(text: str, sentences: Sequence[Sentence]) -> str:
    """Return *sentences* as they stand in *text*, whole ones, QUOTE_CHARACTERS_MAX at most but one at least."""
    last = sentences[0]
    for each in sentences:
        if each.end - sentences[0].start <= QUOTE_CHARACTERS_MAX:
            last = each
    return text[sentences[0].start : last.end].strip()
