"""What capture looks at: the messages of a session since a place, whichever client it ran in, or those of a text."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.tables.transcripts import Transcript
from palimp_daemon.text.json_values import entries_of
from palimp_daemon.text.messages import Message, plain_messages
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.session_summary import REQUEST_CHARACTERS, STATEMENT_CHARACTERS, Digest
from palimp_daemon.text.transcript import Place, short
from palimp_daemon.text.transcripts.clients import CLIENTS, client_of, said_in_text
from palimp_daemon.text.transcripts.turn import DONE, Turn, turns_of

BEFORE_BYTES: Final = 256 * 1024
"""Bytes before a place in which it is looked for what was said last: a turn of a few long tool results."""


class News(NamedTuple):
    """What a session says since a place, and the place it was read to."""

    messages: list[Message]
    place: Place
    before: list[Message]
    """What was said last before."""
    digest: Digest
    """What the session was about, with these messages."""
    is_end: bool = True
    """Whether there is no more for now."""
    is_whole: bool = True
    """Whether it could be read: a disk, or a client at work on its database, may have kept it from that."""
    too_long: int = 0
    """Lines that were passed over because of their length."""


def news_since(known: Transcript, client: str, redact: Redactor) -> News:
    """Return what a session says since it was *known*; nothing when it cannot be read.

    *client* is what whoever named its transcript calls the client.
    """
    reader = CLIENTS.get(client_of(known.path, client) or "")
    if reader is None:
        return News([], known.place, [], known.digest)
    news = reader.news_of(known.path, known.place, redact, DONE)
    messages = _messages_of(news.turns)
    # Of what is read from the beginning again, nothing counts twice.
    digest = Digest() if news.is_anew and messages else known.digest
    before = _said_before(digest) if messages else []
    if before:
        said = turns_of(reader.pieces_before(known.path, known.place, BEFORE_BYTES), redact, DONE)
        before = _in_full(before, said)
    return News(messages, news.place, before, digest.with_messages(messages), news.is_end, not news.why, news.too_long)


def messages_in(text: str, redact: Redactor) -> list[Message]:
    """Return the messages of a text: of a client's transcript, or of a plain conversation.

    Of lines of JSON that no client writes there are none: nobody knows who said what stands there.
    """
    said = said_in_text(text, redact, DONE)
    if said is not None:
        return _messages_of(said.turns)
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{") and next(entries_of([first.encode("utf-8", "replace")]), None):
        return []
    return plain_messages(text, redact)


def _messages_of(turns: Iterable[Turn]) -> list[Message]:
    return [Message(turn.role, turn.text, turn.files) for turn in turns]


def _said_before(digest: Digest) -> list[Message]:
    """Return the last that is remembered of what was read before."""
    requests = [*digest.first, *digest.last][-1:]
    said = [Message("user", request) for request in requests]
    return [*said, Message("assistant", digest.statement)] if digest.statement else said


def _in_full(remembered: Sequence[Message], said: Sequence[Turn]) -> list[Message]:
    """Return *remembered*, which was cut, with all of its words where they were *said*.

    What is not remembered, since it was erased, does not come back.
    """
    whole = {(turn.role, short(turn.text, _REMEMBERED[turn.role])): turn.text for turn in said}
    return [each._replace(text=whole.get((each.role, each.text), each.text)) for each in remembered]


_REMEMBERED: Final = {"user": REQUEST_CHARACTERS, "assistant": STATEMENT_CHARACTERS}
