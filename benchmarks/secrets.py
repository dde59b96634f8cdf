r"""How many secrets the redaction finds, how many look-alikes and ordinary lines it damages, and what it costs.

`python benchmarks/secrets.py` measures the lists beside this script (`secret_lists`), `python benchmarks/secrets.py
FOLDER` those in FOLDER, too: `must_go.tsv` (name, text, a piece that must be gone) and `must_stay.tsv` (name, text).
`\n`, `\r`, `\t` and `\\` are escapes. In our own lists `{{class n}}` draws n characters, so that no file holds a
token and every run can try others (`--seed`), and `¦` is dropped for the same reason. `ordinary.tsv` has 2,000 lines
that ordinary tools printed, or that their files have (tool, line); the second half was put aside while rules were made.
"""

import sys

if __name__ == "secrets":
    # The other scripts of this folder find this file where they, or what they import, ask for the standard library's.
    import importlib.util
    import sysconfig
    from pathlib import Path as _Path

    _spec = importlib.util.spec_from_file_location("secrets", _Path(sysconfig.get_path("stdlib"), "secrets.py"))
    assert _spec
    assert _spec.loader
    sys.modules["secrets"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["secrets"])
elif __name__ == "__main__":
    sys.path[0:1] = []  # `import secrets` means the standard library's from here on

import argparse
import random
import re
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table

from palimp_daemon.search.minhash import minhash_signature, words_of
from palimp_daemon.text.redact import Redactor

# HERE

REDACT: Final = Redactor()
HERE: Final = Path(__file__).parent
OWN: Final = HERE / "secret_lists"
_BASE64: Final = string.ascii_letters + string.digits
CLASSES: Final = {
    "alnum": _BASE64,
    "alpha": string.ascii_letters,
    "low": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b32": string.ascii_uppercase + "234567",
    "b64": _BASE64 + "+/",
    "b64u": _BASE64,
    "url64": _BASE64 + "_-",
    "pwd": _BASE64,
    "pw": _BASE64 + "!@#$%^*_+=?",
}
"""What each class draws from, in the words of vendors' documents; `pem n` draws n lines of base64."""

PEM_LINE: Final = 64
"""Characters of a line of PEM (RFC 7468)."""

PIECE: Final = 8
"""Characters of what was drawn that may not be found together in what comes out."""

_DRAWN: Final = re.compile(r"\{\{(\w+) (\d+)\}\}")
_ESCAPED: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


class Row(NamedTuple):
    """A text of a list. Of one that must go, the pieces that must not be left."""

    name: str
    text: str
    pieces: tuple[str, ...] = ()


def rows_of(file: Path, seed: int = 0) -> Iterator[Row]:
    """Yield the rows of *file*, with what is drawn in them drawn for *seed*."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, text, *piece = line.split("\t")
        chance = random.Random(f"{seed} {name}")
        text = _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text.replace("¦", ""))
        drawn: list[str] = []
        text = _DRAWN.sub(lambda found, c=chance, d=drawn: _draw(c, found[1], int(found[2]), d), text)
        yield Row(name, text, tuple(filter(None, piece)) or tuple(_pieces(drawn)))


def _draw(chance: random.Random, kind: str, count: int, drawn: list[str]) -> str:
    """Return *count* characters of a class, or lines of PEM; note them in *drawn*."""
    if kind == "pem":
        lines = ["".join(chance.choices(CLASSES["b64"], k=PEM_LINE)) for _ in range(count)]
        drawn.extend(lines)
        return "\n".join(lines)
    text = "".join(chance.choices(CLASSES[kind], k=count))
    if kind in ("pw", "pwd"):  # what a person or a generator gives has all of them, and begins with a letter
        text = chance.choice(string.ascii_letters) + text[3:] + chance.choice("aeiouAEIOU") + chance.choice("23456789")
    drawn.append(text)
    return text


def _pieces(drawn: list[str]) -> Iterator[str]:
    """Yield the beginning, the middle and the end of what was drawn."""
    for text in drawn:
        middle = max(0, len(text) // 2 - PIECE // 2)
        if len(text) >= PIECE // 2:
            yield from (text[:PIECE], text[middle : middle + PIECE], text[-PIECE:])


def not_gone(folder: Path, clean: Callable[[str], str], seed: int = 0) -> tuple[list[str], int]:
    """Return the names of the secrets in *folder* of which a piece is left, and how many secrets there are."""
    rows = list(rows_of(folder / "must_go.tsv", seed))
    outs = [clean(row.text) for row in rows]
    left = [row.name for row, out in zip(rows, outs, strict=True) if any(piece in out for piece in row.pieces)]
    return left, len(rows)


def touched(folder: Path, clean: Callable[[str], str], seed: int = 0) -> tuple[list[str], int]:
    """Return the names of the look-alikes in *folder* that are changed, and how many there are."""
    rows = list(rows_of(folder / "must_stay.tsv", seed))
    return [row.name for row in rows if clean(row.text) != row.text], len(rows)


def ordinary(folder: Path, clean: Callable[[str], str]) -> tuple[list[str], list[str]]:
    """Return the lines of ordinary tools that are changed, of the first half and of the one that was put aside."""
    rows = list(rows_of(folder / "ordinary.tsv"))
    hurt = [clean(row.text) != row.text for row in rows]
    half = len(rows) // 2
    first, second = rows[:half], rows[half:]
    return (
        [row.text for row, is_hurt in zip(first, hurt[:half], strict=True) if is_hurt],
        [row.text for row, is_hurt in zip(second, hurt[half:], strict=True) if is_hurt],
    )


def main() -> None:
    """Print both measures for each folder, ordinary lines, and the cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", type=Path, help="folders with more lists")
    parser.add_argument("--seed", type=int, default=0, help="draw other tokens")
    parser.add_argument("--names", action="store_true", help="name the rows that are wrong")
    options = parser.parse_args()
    table = Table("list", "gone", "look-alikes touched", title="Secrets")
    wrong: list[str] = []
    for folder in [OWN, *options.folder]:
        left, secrets = not_gone(folder, REDACT, options.seed)
        hurt, others = touched(folder, REDACT, options.seed)
        gone = secrets - len(left)
        table.add_row(
            folder.name,
            f"{gone} of {secrets} ({gone / secrets:.1%})",
            f"{len(hurt)} of {others} ({len(hurt) / others:.1%})",
        )
        wrong.append(f"{folder.name}: left: {' '.join(left)}\n{folder.name}: touched: {' '.join(hurt)}")
    Console(width=100).print(table)
    known, aside = ordinary(OWN, REDACT)
    print(f"lines of ordinary tools touched: {len(known)} of the first 1,000, {len(aside)} of the 1,000 put aside")
    wrong += [f"ordinary, touched: {line}" for line in (*known, *aside)]
    if options.names:
        print("\n".join(wrong))
    _print_cost()


def _print_cost() -> None:
    """Print what redaction costs on texts without secrets, beside the MinHash signature of each save."""
    sources = sorted((HERE.parent / "daemon").rglob("*.py"))
    prose = sorted((HERE.parent / "docs").glob("*.md"))
    for name, files in (("code", sources), ("prose", prose)):
        text = ("\n".join(file.read_text(encoding="utf-8") for file in files) * 20)[:1_000_000]
        save = text[:10_000]
        whole, one = _best(lambda t=text: REDACT(t), 3), _best(lambda s=save: REDACT(s), 20)
        other = _best(lambda s=save: minhash_signature(words_of(s)), 20)
        print(
            f"{name}: 1 MB in {whole * 1000:.0f} ms; 10,000 characters in {one * 1000:.2f} ms, "
            f"{one / other:.2f} times what its MinHash signature takes"
        )


def _best(work: Callable[[], object], times: int) -> float:
    """Return the seconds of the fastest of *times* runs."""
    took: list[float] = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return min(took)


if __name__ == "__main__":
    main()
