"""The child process that reads transcripts.

Arguments: the user's patterns of secrets as a JSON list, and the descriptor of a socket. Messages are framed JSON
(`runtime.framed_json`). In: client, path and place (offset and head). Out: `SessionNews` as a list, or a traceback.
"""

import contextlib
import json
import os
import socket
import sys
import traceback
from io import BufferedIOBase

from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.turn import Turn
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.runtime.framed_json import receive_framed, send_framed
from palimp_daemon.runtime.process_limits import bound_address_space
from palimp_daemon.search.index_terms import words_of
from palimp_daemon.text.redact import Redactor

ADDRESS_SPACE_BYTES = 2 * 1024**3
"""Several times a transcript's largest slice; a line that takes more ends the process."""

NICENESS = 10
"""Lower priority than anything a user waits for."""


def main() -> None:
    """Answer requests until the input ends."""
    bound_address_space(ADDRESS_SPACE_BYTES)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    patterns, descriptor = sys.argv[1:]
    with socket.socket(fileno=int(descriptor)).makefile("rwb") as lane:
        answer(lane, Redactor(json.loads(patterns)))


def answer(lane: BufferedIOBase, redact: Redactor) -> None:
    """Answer requests in *lane* until its end."""
    while (asked := receive_framed(lane)) is not None:
        client, path, offset, head = asked
        try:
            news = CLIENTS[client].news_of(path, Place(offset, head), redact)
        except Exception:  # noqa: BLE001  the daemon says whose bug it is, and the other files are read all the same
            send_framed(lane, traceback.format_exc())
        else:
            send_framed(lane, news._replace(turns=[with_words(turn) for turn in news.turns]))


def with_words(turn: Turn) -> Turn:
    """Return *turn* with its words for the index."""
    title, extra = words_of(turn.text)
    return turn._replace(title=title, extra=extra)


if __name__ == "__main__":
    main()
