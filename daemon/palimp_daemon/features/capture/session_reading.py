"""Read messages to capture."""

import os
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from palimp_clients.transcript_readers import CLIENTS, client_of, said_in_text
from palimp_clients.transcripts.json_values import entries_of
from palimp_clients.transcripts.slices import unreadable
from palimp_clients.transcripts.turn import DONE, Turn, turns_of
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.store.tables.sessions.transcript_rows import Transcript
from palimp_daemon.text.exported_chats import exported_messages
from palimp_daemon.text.messages import Message, plain_messages, short
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.session_summary import REQUEST_CHARACTERS, STATEMENT_CHARACTERS, Digest
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.limits import CAPTURE_CHARACTERS_MAX

BEFORE_BYTES: Final = 256 * 1024
"""Bytes searched backwards for the last messages: a turn with a few long tool results."""


TEXT_BYTES_MAX: Final = 4 * CAPTURE_CHARACTERS_MAX
"""Bytes read of a text's end: UTF-8 takes at most four per character."""

ONE_SPEAKER_CHARACTERS: Final = 2_000
"""Characters from which a text without speakers may be a dialogue."""

ONE_SPEAKER: Final = (
    "It does not say who speaks, so all of it is taken as yours. Begin what each says with a line `User:` or"
    " `Assistant:` where that is wrong."
)


class News(NamedTuple):
    """A session's new messages, and the place read to."""

    messages: list[Message]
    place: Place
    before: list[Message]
    """The last messages before these."""
    digest: Digest
    """The session's subject so far, these messages included."""
    is_end: bool = True
    """Whether there is no more for now."""
    is_whole: bool = True
    """Whether it could be read, despite disks and busy clients."""
    too_long: int = 0
    """Lines skipped for their length."""


def news_since(known: Transcript, client: str, redact: Redactor) -> News:
    """Return the messages since *known*; none if unreadable."""
    reader = CLIENTS.get(client_of(known.path, client) or "")
    if reader is None:
        return News([], known.place, [], known.digest)
    news = reader.news_of(known.path, known.place, redact, DONE)
    copies = _messages_of(turn for turn in news.turns if turn.is_copy)
    messages = _messages_of(turn for turn in news.turns if not turn.is_copy)
    # Of what is read from the beginning again, nothing counts twice.
    digest = Digest() if news.is_anew and messages else known.digest
    before = _said_before(digest) if messages else []
    if messages and copies:
        # A fork goes on from what was said in the session before, which has a summary of its own.
        last = {message.role: message for message in copies}
        return News(messages, news.place, [*last.values()], digest.with_messages(messages), news.is_end, not news.why)
    if before:
        said = turns_of(reader.pieces_before(known.path, known.place, BEFORE_BYTES), redact, DONE)
        before = _in_full(before, said)
    return News(messages, news.place, before, digest.with_messages(messages), news.is_end, not news.why, news.too_long)


class Said(NamedTuple):
    """The messages of a file or text."""

    messages: list[Message]
    notes: list[str] = []
    """Sentences for a person on omitted or doubtful parts."""
    why: str = ""
    """A sentence for a person if a part of it cannot be read."""
    too_long: int = 0
    """Lines skipped for their length."""


def said_in(text: str, redact: Redactor) -> Said:
    """Parse a transcript or a conversation; other JSON has no messages."""
    said = said_in_text(text, redact, DONE)
    if said is not None:
        return Said(_messages_of(said.turns))
    exported = exported_messages(text, redact)
    if exported is not None:
        return Said(exported)
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{") and next(entries_of([first.encode("utf-8", "replace")]), None):
        return Said([])
    messages = plain_messages(text, redact)
    is_of_one = len(messages) == 1 and len(messages[0].text) >= ONE_SPEAKER_CHARACTERS
    return Said(messages, [ONE_SPEAKER] if is_of_one else [])


def said_in_file(path: str, redact: Redactor) -> Said:
    """Return a file's last CAPTURE_CHARACTERS_MAX of messages, without tools' output."""
    client = client_of(path)
    return _said_in_transcript(path, client, redact) if client else _said_in_text_file(path, redact)


def _said_in_transcript(path: str, client: str, redact: Redactor) -> Said:
    said: deque[Message] = deque()
    characters = too_long = 0
    is_cut = False
    place, why = Place(), ""
    while True:
        news = CLIENTS[client].news_of(path, place, redact, DONE)
        for message in _messages_of(news.turns):
            said.append(message)
            characters += len(message.text)
            while characters > CAPTURE_CHARACTERS_MAX:
                characters -= len(said.popleft().text)
                is_cut = True
        too_long, why = too_long + news.too_long, news.why
        if news.is_end or news.place == place:
            return Said([*said], [_cut_note(characters)] if is_cut else [], why, too_long)
        place = news.place


def _said_in_text_file(path: str, redact: Redactor) -> Said:
    try:
        with open_plain(Path(path)) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - TEXT_BYTES_MAX))
            text = stream.read(TEXT_BYTES_MAX).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        return Said([], why=unreadable(path, error))
    text = text.replace("\0", "")
    if size <= TEXT_BYTES_MAX and len(text) <= CAPTURE_CHARACTERS_MAX:
        return said_in(text, redact)
    text = text[-CAPTURE_CHARACTERS_MAX:]
    text = text.partition("\n")[2] or text
    said = said_in(text, redact)
    return said._replace(notes=[_cut_note(len(text)), *said.notes])


def _cut_note(characters: int) -> str:
    return f"Only the last {characters:,} characters of what was said are looked at."


def _messages_of(turns: Iterable[Turn]) -> list[Message]:
    return [Message(turn.role, turn.text, turn.files, turn.at_ms) for turn in turns]


def _said_before(digest: Digest) -> list[Message]:
    requests = [*digest.first, *digest.last][-1:]
    said = [Message("user", request) for request in requests]
    return [*said, Message("assistant", digest.statement)] if digest.statement else said


def _in_full(remembered: Sequence[Message], said: Sequence[Turn]) -> list[Message]:
    """Complete only *remembered* messages: erased ones stay away."""
    whole = {(turn.role, short(turn.text, _REMEMBERED[turn.role])): turn.text for turn in said}
    return [each._replace(text=whole.get((each.role, each.text), each.text)) for each in remembered]


_REMEMBERED: Final = {"user": REQUEST_CHARACTERS, "assistant": STATEMENT_CHARACTERS}
