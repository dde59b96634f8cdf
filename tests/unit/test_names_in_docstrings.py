"""Docstrings and comments that name a module of palimp name one that exists."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

from palimp_protocol.settings import SETTINGS

ROOT: Final = Path(__file__).parents[2]
ROOMS_AT_TOP: Final = ("clients", "daemon", "shim", "protocol")
PACKAGES: Final = [package for name in ROOMS_AT_TOP for package in (ROOT / name).glob("palimp_*")]
ROOMS: Final = {room.name for package in PACKAGES for room in package.iterdir() if (room / "__init__.py").is_file()}
DOTTED: Final = re.compile(r"`((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)`")
FILE_ENDINGS: Final = (".json", ".toml", ".md", ".db")
FILES: Final = sorted(file for package in PACKAGES for file in package.rglob("*.py"))


@cache
def names_in(module: Path) -> set[str]:
    """Return every name that *module* binds: functions, classes, constants and fields."""
    nodes = list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    return names | {node.id for node in nodes if isinstance(node, ast.Name)}


def is_there(dotted: str) -> bool:
    """Tell whether *dotted*, from a room on, is a package, a module, or a name in one."""
    for place in PACKAGES:
        parts = dotted.removeprefix(f"{place.name}.").split(".")
        while parts and (place / parts[0]).is_dir():
            place /= parts.pop(0)  # noqa: PLW2901  one step down
        if not parts:
            return True
        module = place / f"{parts[0]}.py"
        if module.is_file() and names_in(module).issuperset(parts[1:]):
            return True
    return False


def test_what_is_named_in_backticks_after_a_package_exists():
    """A name that begins with a package of ours is the path of a module, perhaps with a name in it; or a setting."""
    first = {*ROOMS, *(package.name for package in PACKAGES)}
    wrong = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in FILES
        for name in DOTTED.findall(file.read_text(encoding="utf-8"))
        if name.split(".")[0] in first and name not in SETTINGS
        if not name.endswith(FILE_ENDINGS) and not is_there(name)
    ]

    assert wrong == []
