"""Tell whether an act keeps or breaks a check.

No expression of a rule is compiled, and reading is bounded.
"""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from palimp_daemon.text.rules.message_style import is_wrong
from palimp_daemon.text.rules.task_commands import is_of_kind
from palimp_daemon.text.shell_commands import GivenCommand, given_commands_in
from palimp_protocol.messages.rule_messages import Check

Verdict = Literal["", "kept", "broken"]
"""Empty: the check does not apply to the act."""

ADDED_MAX: Final = 100_000
"""Characters of added text that are checked; more is data."""

MESSAGE_MAX: Final = 20_000
"""Characters of a commit's message that are checked."""

PATTERNS_MAX: Final = 2_048
"""Cached readings of checks' commands, and as many of paths."""


class FileEdit(NamedTuple):
    """A file about to be changed."""

    parts: tuple[str, ...]
    """Parts of its path from the project's root."""
    added: str
    is_new: bool = False


class Act(NamedTuple):
    """An act that a tool is about to do, and when."""

    commands: tuple[GivenCommand, ...] = ()
    messages: tuple[str, ...] = ()
    """Messages of its commits, as far as visible."""
    edits: tuple[FileEdit, ...] = ()
    branch: str = ""
    """Empty: unknown."""
    folder: tuple[str, ...] = ()
    """Working folder at its beginning, from the project's root."""
    done: tuple[GivenCommand, ...] | None = ()
    """Commands that succeeded in the session since its last edit; None: unknown."""


def verdict_of(checks: Sequence[Check], act: Act) -> Verdict:
    """Return the verdict of *checks* on *act*; one broken check decides."""
    found = {
        _verdict(check, act)
        for check in checks
        if (act.edits if check.sort == "edit" else act.commands or act.messages)
    }
    return "broken" if "broken" in found else "kept" if "kept" in found else ""


def _verdict(check: Check, act: Act) -> Verdict:
    match check.sort:
        case "command":
            return _of_commands(check, act)
        case "edit":
            return _of_edits(check, act)
        case "message":
            return _of_message(check, act)
        case "before":
            return _of_order(check, act)
        case "branch":
            return _of_branch(check, act)


# --- commands --------------------------------------------------------------------------------------------------------


def _of_commands(check: Check, act: Act) -> Verdict:
    verdict: Verdict = ""
    for place, given in enumerate(act.commands):
        if check.paths and not any(is_in((*_folder(act, given), ""), path) for path in check.paths):
            continue
        is_instead = bool(check.instead) and is_command(check.instead, given)
        if any(is_command(pattern, given) for pattern in check.commands):
            if _is_piped_search(given):
                continue
            is_fine = is_instead or _is_within(check.within, given) or not _is_on(check.branches, given, act, place)
            if not is_fine:
                return "broken"
            verdict = "kept"
        elif is_instead:
            verdict = "kept"
    return verdict


_IN_FOLDER: Final = frozenset({"-C", "--prefix", "--cwd", "--dir", "--directory"})
"""Options that set the folder: `npm --prefix docs ci`."""


def _folder(act: Act, given: GivenCommand) -> Sequence[str]:
    options = (each.partition("=") for each in given.given)
    named = [(name, value or behind) for (name, _, value), behind in zip(options, (*given.given[1:], ""), strict=True)]
    folder = "/".join([given.command.folder, *(value for name, value in named if name in _IN_FOLDER)]).strip("/")
    went = [part for part in folder.split("/") if part not in ("", ".")]
    return went if given.command.folder.startswith(("/", "~", "$")) else [*act.folder, *went]


def _is_within(wrapper: str, given: GivenCommand) -> bool:
    return bool(wrapper) and " ".join(given.around[: len(wrapper.split())]) == wrapper


def _is_on(branches: Sequence[str], given: GivenCommand, act: Act, place: int) -> bool:
    if not branches:
        return True
    branch = act.branch
    for earlier in act.commands[:place]:  # git switch main && git commit
        name, words = earlier.command.program, earlier.command.words
        if name == "git" and words[:1] in (("checkout",), ("switch",)) and len(words) > 1:
            branch = words[1]
    if given.command.program == "git" and given.command.words[:1] == ("push",) and len(given.command.words) > 2:
        branch = given.command.words[2].rpartition(":")[2].lstrip("+").removeprefix("refs/heads/")
    return branch in branches


_SEARCHERS: Final = frozenset({"grep", "egrep", "fgrep"})


def _is_piped_search(given: GivenCommand) -> bool:
    if given.program not in _SEARCHERS:
        return False
    is_deep = any(re.fullmatch(r"-[A-Za-z]*[rR][A-Za-z]*|--recursive", each) for each in given.given)
    return not is_deep and len(given.command.words) < 2


_HELP: Final = frozenset({"--help", "--version", "--dry-run"})


def is_command(pattern: str, given: GivenCommand) -> bool:
    """Tell whether *given* matches *pattern*: `npm *`, `git push --force`, `=test`."""
    if pattern.startswith("="):
        return is_of_kind(pattern[1:], given) and _HELP.isdisjoint(given.given)
    wanted = _read(pattern)
    if wanted is None:
        return False
    program, words, flags = wanted
    # Programs first: of most rules it is another one.
    is_there = program in (given.program, given.command.program)
    if not (is_there or given.around) or not _HELP.isdisjoint(given.given):
        return False
    if given.around and _is_around(program, words, flags, given):
        return True
    if not is_there:
        return False
    own = given.command.words if program == given.program or given.program != "docker-compose" else ()
    if words[:1] == ("...",):
        own = given.given  # values of flags, too: docker build -t shop:latest
    return _fits_words(words, own) and all(_has_flag(flag, given.given) for flag in flags)


@lru_cache(maxsize=PATTERNS_MAX)
def _read(pattern: str) -> tuple[str, tuple[str, ...], tuple[str, ...]] | None:
    given = pattern.split()
    if not given:
        return None
    program = given[0].rsplit("/", 1)[-1]
    flags = tuple(each for each in given[1:] if each.startswith("-") and each != "-")
    words = [each for each in given[1:] if each not in flags]
    read = next(iter(given_commands_in(" ".join((program, *words)))), None)
    if read is not None and read.program == program and read.command.program == program and "*" not in words:
        words = [*read.command.words]
    while words and words[-1] == "*":
        words.pop()
    return program, tuple(words), flags


def _is_around(program: str, words: Sequence[str], flags: Sequence[str], given: GivenCommand) -> bool:
    around = [each.rsplit("/", 1)[-1] for each in given.around]
    if program not in around or (program == "python" and given.around[-1:] == ("-m",)):
        return False
    behind = [each for each in around[around.index(program) + 1 :] if not each.startswith("-")]
    return not flags and tuple(behind[: len(words)]) == tuple(words)


def _fits_words(pattern: Sequence[str], words: Sequence[str]) -> bool:
    if not pattern:
        return True
    if pattern[0] == "...":
        return any(_fits_words(pattern[1:], words[start:]) for start in range(len(words)))
    return bool(words) and _fits_word(pattern[0], words[0]) and _fits_words(pattern[1:], words[1:])


def _fits_word(pattern: str, word: str) -> bool:
    if "*" in pattern:
        return fnmatch.fnmatchcase(word, pattern)
    return word.removeprefix("./") == pattern.removeprefix("./") or (word == pattern)


def _has_flag(flag: str, given: Sequence[str]) -> bool:
    if any(each == flag or each.startswith(f"{flag}=") for each in given):
        return True
    letters = {letter for each in given if re.fullmatch(r"-[A-Za-z]{1,8}", each) for letter in each[1:]}
    return re.fullmatch(r"-[A-Za-z]{1,3}", flag) is not None and {*flag[1:]} <= letters


# --- before ----------------------------------------------------------------------------------------------------------


def _of_order(check: Check, act: Act) -> Verdict:
    done = [*act.done] if act.done is not None else None
    verdict: Verdict = ""
    for given in act.commands:
        if any(is_command(pattern, given) for pattern in check.commands):
            if done is None:
                continue
            if not any(is_command(pattern, each) for pattern in check.first for each in done):
                return "broken"
            verdict = "kept"
        elif done is not None:
            done.append(given)  # pytest && git push: the second runs only when the first ended well
    return verdict


# --- edits -----------------------------------------------------------------------------------------------------------


def _of_edits(check: Check, act: Act) -> Verdict:
    verdict: Verdict = ""
    for edit in act.edits:
        if check.paths and not any(is_in(edit.parts, path) for path in check.paths):
            continue
        if (check.files == "new" and not edit.is_new) or (check.files == "existing" and edit.is_new):
            continue
        if not check.added:
            return "broken"
        if edit.parts[-1:] and edit.parts[-1].endswith((".md", ".mdx", ".rst", ".txt")):
            continue
        if any(_has_code(code, edit.added) for code in check.added):
            return "broken"
        verdict = "kept" if edit.added.strip() else verdict
    return verdict


def is_in(parts: Sequence[str], path: str) -> bool:
    """Tell whether the file of *parts* is *path*, below it, or matched by it."""
    wanted, is_folder = _read_path(path)
    if not wanted or len(wanted) > len(parts):
        return False
    if not is_folder and _fit_parts(parts[len(parts) - len(wanted) :], wanted):
        return True
    return any(_fit_parts(parts[start : start + len(wanted)], wanted) for start in range(len(parts) - len(wanted)))


@lru_cache(maxsize=PATTERNS_MAX)
def _read_path(path: str) -> tuple[tuple[str, ...], bool]:
    wanted = [part for part in path.removeprefix("./").split("/") if part]
    is_folder = path.endswith("/")
    while wanted and wanted[-1] in ("*", "**"):
        wanted.pop()
        is_folder = True
    return tuple(part for part in wanted if part != "**"), is_folder


def _fit_parts(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(
        fnmatch.fnmatchcase(part, each) if "*" in each else part == each
        for part, each in zip(parts, wanted, strict=True)
    )


def _has_code(code: str, added: str) -> bool:
    text, start = added[:ADDED_MAX], 0
    while (place := text.find(code, start)) >= 0:
        before, behind = text[place - 1 : place], text[place + len(code) : place + len(code) + 1]
        is_begun = not (_is_word(code[0]) and (_is_word(before) or before == "."))
        is_ended = not (_is_word(code[-1]) and _is_word(behind))
        if is_begun and is_ended:
            return True
        start = place + 1
    return False


def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_")


# --- messages of commits ---------------------------------------------------------------------------------------------


def _of_message(check: Check, act: Act) -> Verdict:
    if not act.messages:
        return ""
    return "broken" if any(is_wrong(check, message[:MESSAGE_MAX]) for message in act.messages) else "kept"


# --- names of branches -----------------------------------------------------------------------------------------------


def _of_branch(check: Check, act: Act) -> Verdict:
    verdict: Verdict = ""
    for name in _made_branches(act.commands):
        if not any(name.startswith(each) for each in check.begins):
            return "broken"
        verdict = "kept"
    return verdict


_MAKES_BRANCH: Final = frozenset({"-b", "-B", "-c", "-C", "--create"})


def _made_branches(commands: Sequence[GivenCommand]) -> Iterator[str]:
    for each in commands:
        given = [*each.given]
        if each.program != "git" or not given:
            continue
        if given[0] in ("checkout", "switch"):
            for place, word in enumerate(given[:-1]):
                if word in _MAKES_BRANCH:
                    yield given[place + 1]
        elif given[0] == "branch" and len(given) in (2, 3) and not any(word.startswith("-") for word in given):
            yield given[1]
