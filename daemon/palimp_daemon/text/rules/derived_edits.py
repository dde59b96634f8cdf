"""Derive checks of edits: files not to change or create, code not to add."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from palimp_daemon.text.rules.commit_messages import CONVENTIONAL
from palimp_daemon.text.rules.mentions import (
    FORBIDDEN,
    WANTED,
    Mention,
    Sentence,
    Words,
    antecedents,
    is_close,
    is_forbidding,
    mentions_of,
    polarity,
    said_anywhere,
    says_no,
)
from palimp_protocol.messages.rule_messages import Check

_CALLS: Final = frozenset({"print", "eval", "exec", "input", "var_dump", "alert", "breakpoint", "dd", "printf", "puts"})
_PHRASES: Final = (
    (re.compile(r"\bdefault exports?\b", re.IGNORECASE), ("export default",)),
    (re.compile(r"\b(?:wildcard|star) imports?\b", re.IGNORECASE), ("import *",)),
    (re.compile(r"\bbare excepts?\b", re.IGNORECASE), ("except:",)),
    (re.compile(r"\bprint statements?\b|\bprints\b", re.IGNORECASE), ("print(",)),
    (re.compile(r"\bdebugger statements?\b", re.IGNORECASE), ("debugger",)),
    (re.compile(r"\binline styles?\b", re.IGNORECASE), ("style=",)),
)
_ANY: Final = (": any", "as any", "<any>", "any[]")
_FOLDER: Final = re.compile(r"(?<![\w/.-])(src|lib|app|tests?|server|client|backend|frontend|packages)/?(?![\w/.-])")
_OF_VERSIONS: Final = ("pyproject.toml", "package.json", "Cargo.toml", "setup.py", "pubspec.yaml", "build.gradle")
_MIGRATIONS: Final = ("migrations/", "migrate/", "versions/")
_LOCKS: Final = ("*.lock", "*.lockb", "package-lock.json", "pnpm-lock.yaml", "go.sum", "npm-shrinkwrap.json")
_CALLED: Final = (
    (re.compile(r"\breadmes?\b", re.IGNORECASE), ("README", "README.*", "readme.*")),
    (re.compile(r"\bchange ?logs?\b", re.IGNORECASE), ("CHANGELOG", "CHANGELOG.*", "changelog.*")),
    (re.compile(r"\b(?:ci|github) (?:workflows?|config\w*)\b|\bworkflows\b", re.IGNORECASE), (".github/workflows/",)),
)
"""Files by their common names."""


def of_edits(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of files in *sentence*."""
    found = [*mentions_of(sentence, words, "path"), *_called_folders(sentence, words)]
    forbidden = [each.text for each, said in found if said == FORBIDDEN]
    if words.edit.search(sentence.plain):
        checks = [*_of_changes(sentence, words, found, forbidden)]
        if checks or forbidden:
            yield from checks
            return
    if not words.create.search(sentence.plain) or not is_forbidding(sentence, words):
        return
    if forbidden and not any(each.sort == "code" for each in sentence.mentions):
        yield Check(sort="edit", paths=tuple(forbidden), files="new")
    elif _forbids_markdown(sentence, words) and all(each.text.lstrip("*") == ".md" for each, _ in found):
        yield Check(sort="edit", paths=("*.md", "*.mdx", "*.rst"), files="new")


def _of_changes(
    sentence: Sentence, words: Words, found: Sequence[tuple[Mention, int]], forbidden: Sequence[str]
) -> Iterator[Check]:
    plain = sentence.plain
    files = "existing" if words.signs["existing"].search(plain) else ""
    paths = forbidden or antecedents(sentence, words, found)
    if not paths and not found:
        called = (*_CALLED, (re.compile(said_anywhere("lock_file"), re.IGNORECASE), _LOCKS))
        paths = [path for pattern, many in called if says_no(sentence, pattern.search(plain), words) for path in many]
    if not paths and files and words.acts["migrate"].search(plain) and is_forbidding(sentence, words):
        paths = _MIGRATIONS
    if paths:
        wanted = [each.text for each, said in found if said == WANTED]
        yield Check(sort="edit", paths=tuple(paths), files=files, instead=next(iter(wanted), ""))


def _forbids_markdown(sentence: Sentence, words: Words) -> bool:
    plain = sentence.plain
    found = words.signs["markdown"].search(plain)
    if not found or not says_no(sentence, found, words):
        return False
    if words.without and words.without.search(plain, 0, found.start()):
        return False  # no change without documentation
    return not words.is_spaced or any(says_no(sentence, each, words) for each in words.create.finditer(plain))


def _called_folders(sentence: Sentence, words: Words) -> Iterator[tuple[Mention, int]]:
    for found in words.folder.finditer(sentence.plain) if words.folder else ():
        start, end = found.span(found.lastgroup or 0)
        # "the folder api/", "the api/ folder": what is said of it is said already
        if not any(each.start <= end and found.start() <= each.end + 1 for each in sentence.mentions):
            yield (
                Mention(start, end, "path", f"{found[found.lastgroup or 0].rstrip('.')}/"),
                polarity(sentence, *found.span(), words),
            )


def of_code(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of code in *sentence*."""
    plain = sentence.plain
    said_no = [
        each
        for each, said in mentions_of(sentence, words, "code")
        if said == FORBIDDEN and is_close(sentence, each.start, words)
    ]
    added = [form for each in said_no for form in _code_forms(each.text)]
    for pattern, forms in (*_PHRASES, (re.compile(said_anywhere("print_statement")), ("print(",))):
        if says_no(sentence, pattern.search(plain), words):
            added += forms
    if "logg" in plain.lower() and says_no(sentence, re.search(r"(?<![\w-])print(?![\w-])", plain), words):
        added.append("print(")
    if not added:
        return
    inside = [each.text for each, said in mentions_of(sentence, words, "path") if said != WANTED]
    inside += [f"{found[1]}/" for found in _FOLDER.finditer(plain)]
    yield Check(sort="edit", paths=tuple(inside), added=tuple(added))


def _code_forms(code: str) -> Sequence[str]:
    if code.rstrip(":") in CONVENTIONAL:
        return ()  # of messages, which another sentence speaks of
    plain = code.removesuffix("()")
    if plain == "any":
        return _ANY
    if plain in _CALLS or code.endswith("()"):
        return (f"{plain}(",)
    return (plain,)


def of_versions(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of the project's version in *sentence*."""
    if says_no(sentence, words.signs["version"].search(sentence.plain), words):
        paths = [each.text for each in sentence.mentions if each.sort == "path"] or _OF_VERSIONS
        yield Check(sort="edit", paths=tuple(paths), added=("version =", '"version":', "__version__ ="))
