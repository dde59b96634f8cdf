"""Choose the few memories told before an act, each once a session.

A memory fits if it names the file; names a changed file's folder, by two parts of the path or in a rule; writes out the
command; or states a rule for its kind (commit, push, …). `benchmarks/actions.py` measures it.
"""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from palimp_daemon.features.sessions.actions import Action, Touched
from palimp_daemon.languages.language import either, sections
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.memory_subjects import KINDS_WITHOUT_SUBJECTS
from palimp_daemon.text.memory_kinds import DECISION_KINDS, RULE_KINDS
from palimp_daemon.text.named_commands import KINDS
from palimp_daemon.text.named_subjects import Subjects, subjects_of
from palimp_daemon.text.shell_commands import SimpleCommand

TOLD_MAX: Final = 3
"""Memories shown before one action."""

CACHED_MAX: Final = 1_024
"""Texts with names cached, 0.1 ms each: common names make the same candidates."""

COMMON_FOLDERS: Final = frozenset(
    """
    api app apps backend bin build client cmd components core crates data dist doc docs frontend include
    internal ios android lib libs main modules packages pkg public scripts server services shared src static test tests
    ui utils web www
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Folders of most projects: to name one only tells a place."""

COMMON_NAMES: Final = frozenset(
    """
    index main mod lib app init __init__ __main__ setup config conf settings conftest utils util helpers common types
    constants models model views view urls admin page layout route routes router store test tests schema package
    pyproject cargo go readme makefile dockerfile changelog license build tsconfig compose docker-compose requirements
    gemfile env values chart main_test server client
    """.split()  # noqa: SIM905
)
"""Names, without their endings, of files that many folders have."""

NEAR_ROOT: Final = 2
"""Parts of a path: in a folder of the root, a manifest is still identified by name."""

UBIQUITOUS: Final = frozenset(
    """
    bash bun cargo docker dotnet flutter gh git go gradle gradlew java just make mvn node npm npx php pip pnpm poetry
    pytest python python3 rails ruby rustup sh task uv west yarn
    """.split()  # noqa: SIM905
)
"""Programs used for everything; the name alone tells nothing."""

FLAGS_COUNT: Final = 2
"""Commands of fewer words, program included, also differ by their `--flags`."""

WORDS_COMPARED: Final = 8


class Fit(NamedTuple):
    """A memory on an action; a higher *fit* is better."""

    row: Row
    fit: float
    named: str
    """Its name from the action: a path, a command or a kind of commands."""


EXACT_PATH, NAMED_COMMAND, NAMED_FILE, IN_FOLDER, OF_KIND = 1.0, 0.95, 0.8, 0.6, 0.5
RULES_MORE: Final = 0.15
"""Bonus for preferences and corrections, the worst to act against."""


def may_be_told(row: Row) -> bool:
    """Tell whether *row* is current, and of a kind about acting."""
    return row.deleted_at is None and row.superseded_by is None and row.kind not in KINDS_WITHOUT_SUBJECTS


def told_before(action: Action, candidates: Iterable[Row]) -> list[Fit]:
    """Return the fits of *candidates* with *action*, best first."""
    fits = [fit for row in candidates if may_be_told(row) and (fit := fit_of(action, row))]
    fits.sort(key=lambda each: (-each.fit, -each.row.seq))
    return fits[:TOLD_MAX]


@lru_cache(maxsize=CACHED_MAX)
def _subjects(text: str) -> Subjects:
    return subjects_of(text)


def fit_of(action: Action, row: Row) -> Fit | None:
    """Return the fit of *row* with *action*, or None."""
    fit, named = max(_fits(action, row), key=lambda each: each[0], default=(0.0, ""))
    return Fit(row, fit + RULES_MORE if row.kind in RULE_KINDS else fit, named) if fit else None


def _fits(action: Action, row: Row) -> Iterator[tuple[float, str]]:
    named = _subjects(row.content)
    for touched in action.touched:
        for path in named.paths:
            yield _one_path_fit(touched, path, named, row), path
    for command in action.commands:
        for each in named.commands:
            yield (NAMED_COMMAND if is_same_command(each, command) else 0.0), each
    if kind := _ruled_kind(action.kinds, named, row):
        yield OF_KIND, kind


# --- paths -----------------------------------------------------------------------------------------------------------


def _one_path_fit(touched: Touched, path: str, named: Subjects, row: Row) -> float:
    is_folder = path.endswith(("/", "/*", "/**"))
    parts = _parts(path)
    if not parts or path.startswith("/") != touched.is_elsewhere:
        return 0.0
    if "*" in parts[-1]:
        fits = touched.is_changed and fnmatch.fnmatchcase(touched.parts[-1], parts[-1])
        return (
            IN_FOLDER
            if fits and (len(parts) == 1 or "**" in parts or _ends_with(touched.parts[:-1], parts[:-1]))
            else 0.0
        )
    if not is_folder and _ends_with(touched.parts, parts):
        if len(parts) > 1:
            return EXACT_PATH
        return NAMED_FILE if _is_telling(touched.parts) else 0.0
    if not touched.is_changed or not _is_in(touched.parts, parts, is_whole=is_folder):
        return 0.0
    is_about = len(parts) > 1 or _is_about_folder("".join(parts), named, row)
    return IN_FOLDER if is_about else 0.0


def _parts(path: str) -> tuple[str, ...]:
    parts = [part for part in path.removeprefix("./").split("/") if part]
    while parts and parts[-1] in ("*", "**"):
        parts.pop()
    return ("/", *parts) if path.startswith("/") else tuple(parts)


def _ends_with(whole: Sequence[str], end: Sequence[str]) -> bool:
    return len(end) <= len(whole) and tuple(whole[len(whole) - len(end) :]) == tuple(end)


def _is_telling(parts: Sequence[str]) -> bool:
    stem = parts[-1].lstrip(".").split(".")[0].lower()
    return len(parts) <= NEAR_ROOT or stem not in COMMON_NAMES


def _is_in(whole: Sequence[str], folder: Sequence[str], *, is_whole: bool) -> bool:
    last = len(whole) - (0 if is_whole else 1)
    starts = range(max(0, last - len(folder) + 1)) if len(folder) > 1 else range(min(2, last))
    return any(tuple(whole[start : start + len(folder)]) == tuple(folder) for start in starts)


def _is_about_folder(name: str, named: Subjects, row: Row) -> bool:
    others = [path for path in named.paths if _parts(path)[-1:] != (name,)]
    return name not in COMMON_FOLDERS and not others and (row.kind in RULE_KINDS or is_rule(row.content))


def is_rule(text: str) -> bool:
    """Tell whether *text* prescribes or forbids something."""
    return bool(_rule().search(text))


@cache
def _rule() -> re.Pattern[str]:
    spaced = either(*sections(lambda language: language.rule_words).values())
    unspaced = either(*sections(lambda language: language.rule_words, has_whole_words=False).values())
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}", re.IGNORECASE)


# --- commands --------------------------------------------------------------------------------------------------------


def is_same_command(named: str, command: SimpleCommand) -> bool:
    """Tell whether a text means *command* by *named*: program, words in order, telling flags."""
    if named in KINDS or named.startswith("install:"):
        return False
    program, *rest = named.split()
    words = [word for word in rest if not word.startswith("--")]
    flags = [word for word in rest if word.startswith("--")]
    if program != command.program or (not words and not flags and program in UBIQUITOUS):
        return False
    if len(words) < FLAGS_COUNT and flags and not {*flags} <= {*command.flags}:
        return False
    left = iter(command.words[:WORDS_COMPARED])
    return all(any(_is_same_word(word, other) for other in left) for word in words)


def _is_same_word(named: str, given: str) -> bool:
    if named == given:
        return True
    if "/" not in named and "/" not in given:
        return False
    one, other = _parts(named), _parts(given)
    return bool(one and other) and (_ends_with(one, other) or _ends_with(other, one))


def _ruled_kind(kinds: Sequence[str], named: Subjects, row: Row) -> str:
    said = [kind for kind in kinds if kind in named.commands]
    if said and not (row.kind in RULE_KINDS or is_rule(row.content)):
        said = [kind for kind in said if row.kind in DECISION_KINDS and kind not in ("commit", "push")]
    return said[0] if said else ""
