"""Promise: answers cost few tokens. The same lists as TOON, as text and as JSON, in characters and tokens.

    python benchmarks/answers.py [--tokenizer tokenizer.json]

Saves synthetic memories, searches them over the socket for 3, 10 and 50 rows, and renders the reply in each form of
`mcp.format` as an agent gets it, footer and frame left out. *Tokens* are counted by the tokenizer of a file in the
format of the library `tokenizers`, if one is given (the file and `pip install tokenizers` are yours to find); else they
are not shown. Aim: for flat lists of three rows and more TOON is the smallest that names its columns.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from measuring import print_table, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_daemon.render.compact_text import compact_text
from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.memory_messages import Recalled

ROWS = (3, 10, 50)
FORMS = ("toon", "text", "json")
MEMORIES = 1_000


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json")
    count = _counter(parser.parse_args().tokenizer)
    words = Words(4)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, MEMORIES, words)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            replies = [session.call("recall", query=words.common_words(), limit=rows) for rows in ROWS]
    table: list[tuple[str, ...]] = []
    for given in replies:
        reply = msgspec.convert(given, Recalled)
        texts = {form: compact_text(reply.memories, form) for form in FORMS}
        least = len(texts["json"])
        for form, text in texts.items():
            tokens = f"{count(text):,}" if count else "–"
            table.append((str(len(reply.memories)), form, f"{len(text):,}", f"{len(text) / least:.2f}", tokens))
    print_table(
        "a list in each form",
        ["rows", "form", "characters", "of JSON's", "tokens"],
        table,
        ["text names no columns; TOON names them once, JSON in every row"],
    )


def _counter(path: Path | None) -> Callable[[str], int] | None:
    """Return what counts tokens, if a tokenizer is given."""
    if path is None:
        return None
    from tokenizers import Tokenizer  # noqa: PLC0415  only when asked for

    tokenizer: Any = Tokenizer.from_file(str(path))
    return lambda text: len(tokenizer.encode(text).ids)


if __name__ == "__main__":
    main()
