"""Count what makes names and docstrings of the product hard to read, and fail where there is more of it than before.

    python tools/wording.py          exits with 1 above a ceiling
    python tools/wording.py --list   names each place, too

Counted are the words of docstrings, free relatives (what, who, whose, whom, of/by/in/to which) in 1,000 of them,
functions whose whole name is a participle (`told`, `kept`), and file names that several folders have. `make lint` runs
it. The ceilings only fall: lower them with what brought the numbers down.
"""

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from size import ROOT, docstrings, product_files

WORDS_MAX: Final = 60_000
"""Of docstrings, of all modules, classes and functions together: what takes more place has to find it elsewhere."""

FREE_RELATIVES_MAX: Final = 1.0
"""In 1,000 words of docstrings."""

PARTICIPLES_MAX: Final = 0
"""Functions and methods."""

DOUBLED_FILES_MAX: Final = 0
"""Names that several files have, each file but the first."""

FREE_RELATIVE: Final = re.compile(r"\b(?:what|who|whose|whom|(?:of|by|in|to) which)\b", re.IGNORECASE)

PARTICIPLE: Final = re.compile(
    r"_?(?:[a-z]+(?:ed|ied)|told|said|known|kept|found|left|shown|held|given|taken|made|seen|written|sent|built"
    r"|brought|meant|heard|lost|chosen|drawn|begun|bound|hidden|spoken|thrown|woken|understood)"
)

NOUNS_AND_VERBS: Final = {"feed", "need", "seed", "speed", "embed", "exceed", "proceed", "succeed"}
"""Words that only look like participles."""

PARTS: Final = {"__init__.py", "__main__.py"}
"""File names that Python gives."""

CLIENT_PARTS: Final = {"dialect.py", "install.py", "transcript.py"}
"""File names that the folders of `palimp_clients` share."""


def participles(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield each function of *tree* whose whole name is a participle; properties are none."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        decorators = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
        is_named = PARTICIPLE.fullmatch(node.name) and node.name.strip("_") not in NOUNS_AND_VERBS
        if is_named and not decorators & {"property", "cached_property"}:
            yield node


def main() -> int:
    """Print the four numbers; return 1 if one is above its ceiling."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name each place")
    parser.add_argument("folder", nargs="*", type=Path, help="count in these folders only, and fail never")
    options = parser.parse_args()
    folders = [each.resolve() for each in options.folder]
    paths = [path for path in product_files() if not folders or any(path.is_relative_to(folder) for folder in folders)]
    words = relatives = 0
    named: list[str] = []
    for path in paths:
        tree = ast.parse(path.read_text("utf-8"))
        shown = path.relative_to(ROOT)
        for node, text in docstrings(tree):
            words += len(text.split())
            found = FREE_RELATIVE.findall(text)
            relatives += len(found)
            if found and options.list:
                print(f"{shown}:{getattr(node, 'lineno', 1)}: {', '.join(found)}")
        named += [f"{shown}:{node.lineno}: {node.name}" for node in participles(tree)]
    clients = ROOT / "clients/palimp_clients"
    are_parts = {path for path in paths if path.parent.parent == clients and path.name in CLIENT_PARTS}
    names = Counter(path.name for path in paths if path.name not in PARTS and path not in are_parts)
    doubled = sum(count - 1 for count in names.values())
    if options.list:
        print("\n".join(named))
        print("\n".join(f"{name}: {count} files" for name, count in names.most_common() if count > 1))
    share = 1000 * relatives / max(words, 1)
    print(f"words of docstrings        {words:>9,}  (ceiling {WORDS_MAX:,})")
    print(f"free relatives in 1,000    {share:>9.1f}  (ceiling {FREE_RELATIVES_MAX})")
    print(f"participles as names       {len(named):>9,}  (ceiling {PARTICIPLES_MAX})")
    print(f"doubled file names         {doubled:>9,}  (ceiling {DOUBLED_FILES_MAX})")
    is_above = (
        words > WORDS_MAX or share > FREE_RELATIVES_MAX or len(named) > PARTICIPLES_MAX or doubled > DOUBLED_FILES_MAX
    )
    return int(is_above and not folders)


if __name__ == "__main__":
    sys.exit(main())
