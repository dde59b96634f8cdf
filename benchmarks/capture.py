"""Promise: what is captured from a session was said there and is worth keeping; and most of that is captured.

    python benchmarks/capture.py [--misses]

Runs the rules over the labelled fragments in `benchmarks/capture/` and prints precision and recall. A memory counts as
right when its kind and the message that it rests on are those of the label. `--misses` shows what went wrong in
the half that the rules were written against, and never in the other.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from measuring import print_table

from palimp_daemon.features.capture.extract import Extract, extracts_of
from palimp_daemon.features.capture.session_reading import said_in
from palimp_daemon.text.redact import Redactor

FRAGMENTS = Path(__file__).with_name("capture")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--misses", action="store_true", help="show what went wrong in the seen half")
    options = parser.parse_args()
    rows = [_scored(half, shows_misses=options.misses and half == "seen") for half in ("seen", "unseen", "later")]
    print_table(
        "Captured from labelled fragments of transcripts",
        ["half", "fragments", "to be captured", "captured", "right", "precision", "recall"],
        rows,
        ["right: the kind and the message are those of the label"],
    )


def _scored(half: str, *, shows_misses: bool) -> tuple[str, ...]:
    fragments = [json.loads(line) for line in (FRAGMENTS / f"{half}.jsonl").read_text().splitlines()]
    expected = captured = right = 0
    for fragment in fragments:
        text = "\n".join(map(json.dumps, fragment["entries"]))
        found = extracts_of(said_in(text, Redactor()).messages)
        hits = [label for label in fragment["expected"] if any(_fits(label, each) for each in found)]
        expected += len(fragment["expected"])
        captured += len(found)
        right += len(hits)
        if shows_misses and (len(hits) < len(fragment["expected"]) or len(found) > len(hits)):
            print(fragment["id"], "expected", fragment["expected"], "captured", [(e.kind, e.quote) for e in found])
    precision, recall = right / max(1, captured), right / max(1, expected)
    counts = (len(fragments), expected, captured, right)
    return (half, *(str(count) for count in counts), f"{precision:.2f}", f"{recall:.2f}")


def _fits(label: dict[str, Any], extract: Extract) -> bool:
    return label["kind"] == extract.kind and extract.quote in label["quote"]


if __name__ == "__main__":
    main()
