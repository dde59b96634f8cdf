"""A transcript that is given as text, by a person or an agent, rather than as a client's file."""

import hashlib
import tempfile
from pathlib import Path

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.clients import CLIENTS, client_of
from palimp_daemon.text.transcripts.turn import Turn


def turns_in_text(text: str, redact: Redactor) -> tuple[list[Turn], str, str]:
    """Return the turns of the transcript *text*, its session's id, and its client; nothing where it is none."""
    if not text.lstrip().startswith("{"):
        return [], "", ""
    data = text.encode("utf-8", "replace").rstrip(b"\n") + b"\n"
    # A session that does not say its id is known by its file's name: the same one each time.
    name = hashlib.blake2b(data.lstrip().partition(b"\n")[0], digest_size=8).hexdigest()
    with tempfile.TemporaryDirectory(prefix="palimp-") as folder:
        path = Path(folder) / f"{name}.jsonl"
        path.write_bytes(data)
        client = client_of(str(path))
        turns: list[Turn] = []
        place, key = Place(), ""
        while client:
            news = CLIENTS[client].news_of(str(path), place, redact)
            turns, key = [*turns, *news.turns], news.key
            if news.is_end or news.place == place:
                return turns, key, client
            place = news.place
    return [], "", ""
