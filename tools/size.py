"""Print the size of the product: lines of code and words of docstrings, by room; the core, and what is around it.

    python tools/size.py

Lines of code are lines that are neither blank, nor docstring, nor only comment. Words of docstrings are those of
modules, classes and functions. `make size` runs it.
"""

import ast
import io
import subprocess
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]

PACKAGES: Final = ("clients", "daemon", "protocol", "shim")
"""Folders of the product code."""

NEIGHBOURS: Final = (
    "clients",
    "daemon/palimp_daemon/codediff",
    "daemon/palimp_daemon/git",
    "daemon/palimp_daemon/embedding",
    "daemon/palimp_daemon/features/capture",
    "daemon/palimp_daemon/features/conversations",
    "daemon/palimp_daemon/features/removed_code",
    "daemon/palimp_daemon/features/rules",
    "daemon/palimp_daemon/features/team",
    "daemon/palimp_daemon/text/rules",
    "daemon/palimp_daemon/web",
    "daemon/palimp_neighbours",
    "daemon/palimp_daemon/store/tables/removed_code",
    "daemon/palimp_daemon/store/tables/rule_",
    "daemon/palimp_daemon/store/tables/team_",
    "daemon/palimp_daemon/store/tables/vector_rows",
    "protocol/palimp_protocol/messages/conversation_messages",
    "protocol/palimp_protocol/messages/documents",
    "protocol/palimp_protocol/messages/removed_code",
    "protocol/palimp_protocol/messages/rule_",
    "protocol/palimp_protocol/messages/team_",
    "protocol/palimp_protocol/operations/change_",
    "protocol/palimp_protocol/operations/rule_",
    "protocol/palimp_protocol/operations/team_",
    "shim/palimp_shim/cli/page",
    "shim/palimp_shim/cli/removed_code",
    "shim/palimp_shim/cli/rules",
    "shim/palimp_shim/cli/team",
)
"""What paths of the neighbours begin with: rooms beside the core with their tables, messages and commands, which
`dispatch/services` and `server/app` put together. What else of the core asks them: `features/sessions` rules, captures,
conversations and removed code; `features/memories` removed code and git."""

SKIPPED: Final = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """The size of a file or a room."""

    files: int
    lines: int
    words: int

    def plus(self, other: "Size") -> "Size":
        """Return the sum of two sizes."""
        return Size(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def product_files() -> list[Path]:
    """Return the Python files of the product that git knows."""
    command = ["git", "ls-files", "-z", *PACKAGES]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name.endswith(".py")]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield each module, class and function that has a docstring, and the docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node, text


def size_of(source: str) -> Size:
    """Return the size of one file."""
    tree = ast.parse(source)
    strings = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    documentation = {line for each in strings for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {
        line for each in tokens if each.type not in SKIPPED for line in range(each.start[0], each.end[0] + 1)
    } - documentation
    full = {number for number, line in enumerate(source.splitlines(), 1) if line.strip()}
    return Size(1, len(code & full), sum(len(text.split()) for _, text in docstrings(tree)))


def table(rows: Sequence[tuple[str, Size]]) -> str:
    """Return *rows* as lines of text, the numbers in columns."""
    head = f"{'room':<50} {'files':>6} {'lines':>7} {'words':>8}"
    return "\n".join([head, *(f"{name:<50} {one.files:>6} {one.lines:>7,} {one.words:>8,}" for name, one in rows)])


def main() -> None:
    """Print one line for each folder, largest first, then the sums."""
    rooms: dict[str, Size] = {}
    total, core = Size(0, 0, 0), Size(0, 0, 0)
    for path in product_files():
        name, size = str(path.relative_to(ROOT)), size_of(path.read_text("utf-8"))
        room = str(Path(name).parent)
        rooms[room] = rooms.get(room, Size(0, 0, 0)).plus(size)
        total = total.plus(size)
        if not name.startswith(NEIGHBOURS):
            core = core.plus(size)
    ordered = sorted(rooms.items(), key=lambda each: each[1].lines, reverse=True)
    print(table([*ordered, ("core (without the neighbours)", core), ("all", total)]))
    print("\nneighbours: " + ", ".join(NEIGHBOURS))


if __name__ == "__main__":
    main()
