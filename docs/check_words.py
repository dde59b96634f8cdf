"""Find phrases that the glossary replaces, in code, tests, help texts and documentation.

    python docs/check_words.py

`make lint` runs it. Each phrase has the term to use instead (docs/reference/glossary.md). Exits with 1 on any hit.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

PHRASES: Final = {
    r"waits? for the disk": "is fsynced; fsyncs per save",
    r"by meaning|by words only|rank(?:ed|ing) by words": "semantic, lexical",
    r"returning code|br(?:ing|ings|inging|ought) (?:removed )?code back|brings? back (?:removed )?code": (
        "reintroduced code; reintroduces removed code"
    ),
    r"g(?:ives?|ave) way to": "is superseded by (a memory), yields to (a task)",
    r"stands? for itself": "is no longer superseded",
    r"words that say nothing": "stop words",
    r"in vain": "to no effect; say what happens",
    r"what is known (?:at|for)": "session context, prompt context",
    r"\bdesks?\b": "request context",
    r"\bturnstiles?\b|\bthe door\b": "connection limit",
    r"\bexaminer\b": "integrity scan",
    r"told (?:at no|by itself|nowhere)|by itself nowhere": "is left out of the session context; never shown unasked",
    r"something is known of": "known (projects)",
    r"not this again": "mute; stop a memory from being shown",
}
"""Regular expressions of the phrases, and what to write instead."""

DOCUMENTED: Final = {
    r"\bexamin(?:ed?|ing|ations?)\b": "integrity check; checked",
    r"take[ns]? out of (?:its |a |the |)(?:transcript|session)s?": "extracted from",
}
"""More of them, for documentation only: code has other uses for these words."""

EXTENSIONS: Final = (".py", ".md", ".toml", ".yml")
EXCLUDED: Final = (
    "docs/check_words.py",
    "docs/reference/glossary.md",
    "docs/adr/",
    "benchmarks/capture/",
    "benchmarks/results/",
    "benchmarks/truth/",
    "CHANGELOG.md",
)
"""Files that list the phrases, hold other people's texts, or record what was decided, printed or released."""


def hits(text: str, *, is_documentation: bool) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the phrase and what to write instead, for each phrase in *text*."""
    phrases = PHRASES | DOCUMENTED if is_documentation else PHRASES
    for number, line in enumerate(text.splitlines(), 1):
        for phrase, instead in phrases.items():
            for found in re.finditer(phrase, line, re.IGNORECASE):
                yield number, found[0], instead


def main() -> int:
    """Print every hit; return 1 if there is any."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name.endswith(EXTENSIONS) and not name.startswith(EXCLUDED)]
    found = [
        (name, *hit)
        for name in names
        if (ROOT / name).is_file()
        for hit in hits((ROOT / name).read_text("utf-8"), is_documentation=name.endswith(".md"))
    ]
    for name, number, phrase, instead in found:
        print(f"{name}:{number}: {phrase!r}: write {instead}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
