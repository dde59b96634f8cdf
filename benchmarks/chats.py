"""Promise: what was settled in talk is known later, asked or pointed to, and what nobody said is said to be unknown.

    python benchmarks/chats.py CHATS [--bin FOLDER] [--semantic off]

CHATS is a folder with chats, questions on them and `score_chats.py`, which asks palimp as a client does; its README
says what each line counts. Printed are the lines that have an aim, with it. `--bin` has the programs, ours if left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import print_table

AIMS = {
    "decisions, unasked (told or pointed to)": 12,
    "prompts that need nothing: nothing said": 371,
    "questions: a session that holds the answer": 78,
    "questions: nothing known, and said so": 6,
    "questions: the answer's words, knowledge-update": 9,
    "questions: the answer's words, cross-session-synthesis": 5,
}
"""At least so many; of 17 tasks, 383 prompts, 84 questions, and three times 12."""


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chats", type=Path)
    parser.add_argument("--bin", type=Path, default=Path(sys.executable).parent)
    parser.add_argument("--semantic", default="auto", choices=("auto", "off"))
    arguments = parser.parse_args()
    chats = arguments.chats.resolve()
    with tempfile.NamedTemporaryFile(suffix=".json") as counted:
        asked = [sys.executable, chats / "score_chats.py", chats, "--bin", arguments.bin.absolute()]
        asked += ["--semantic", arguments.semantic, "--json", counted.name]
        subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)
        totals: dict[str, tuple[int, int]] = json.loads(Path(counted.name).read_text())
    rows = [(name, f"{totals[name][0]} of {totals[name][1]}", f"{aim}") for name, aim in AIMS.items()]
    print_table("what is known of earlier sessions", ["what", "right", "aim"], rows, [])


if __name__ == "__main__":
    main()
