"""`make demo` shows what it should show, and the README's picture shows what it shows."""

import html
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "demo" / "two_sessions.py"
PICTURE = ROOT / "docs" / "images" / "recording.svg"

_TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")
_FORGOTTEN = (
    (re.compile(r"\bm(?=\w*\d)[0-9a-z]{7}\b"), "ID"),
    (re.compile(r"palimp-notes-[0-9a-f]+"), "FRAME"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "COMMIT"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\d+\.\d\sms|[─╭╮╰╯│]"), " "),
    (re.compile(r"\s+"), " "),
    # A busy machine's git does not find that in the second that it has.
    (re.compile(r"It had been added in commit COMMIT on DATE: .*?(?= It was removed)"), ""),
    (re.compile(" {2,}"), " "),
)


def told(picture: Path) -> str:
    """Return the text in *picture*, without what differs from run to run."""
    text = html.unescape(" ".join(_TEXT.findall(picture.read_text(encoding="utf-8"))))
    for pattern, word in _FORGOTTEN:
        text = pattern.sub(word, text)
    return text.strip()


def test_the_demo_passes_its_checks_and_the_readme_shows_it(tmp_path: Path):
    """If only the picture is out of date: python demo/two_sessions.py --svg docs/images/recording.svg."""
    drawn = tmp_path / "recording.svg"
    done = subprocess.run([sys.executable, DEMO, "--svg", drawn], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert told(drawn) == told(PICTURE)
    assert "docs/images/recording.svg" in (ROOT / "README.md").read_text(encoding="utf-8")
