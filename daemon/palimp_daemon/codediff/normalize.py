"""Normalize lines of code, which often comes back restyled and renamed.

From strict to loose, equal lines have equal

* *keys*: no white space, one kind of quote, no comma or semicolon at the end;
* *tokens*: words, numbers and signs, compared by share;
* *shapes*: tokens with plain variables, strings and numbers replaced by a letter.

Only *significant* lines are looked up.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

LINE_CHARACTERS_MAX: Final = 500
"""Longer lines are data or bundled code, and not compared."""

KEY_CHARACTERS_MIN: Final = 8
"""Shorter keys (`else:`, `return x`) are everywhere."""

SHAPE_TOKENS_MIN: Final = 5
"""Shorter shapes are everywhere."""

CACHED_LINES: Final = 8192
"""Cached readings of lines, about 10 MB: checks repeat hunks and files."""

_KEYWORDS: Final = frozenset(
    """
    and as assert async await begin bool boolean break byte case catch chan char class const continue crate def
    default defer del delete do double elif else end enum except export extends extern false final finally float fn
    for from func function global go goto if impl implements import in instanceof int interface is lambda let long
    loop match mod module move mut namespace new nil none nonlocal not null number object of or package pass print
    private protected pub public raise range ref return self static string struct super switch then this throw
    throws trait true try type typeof undefined union unsafe until use using var void when where while with yield
    str
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_TOKEN: Final = re.compile(r"[^\W\d][\w$]*|\$\w*|\d[\w.]*|[^\w\s]")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT: Final = re.compile(r"^(#(?!\[|!\[|define|if|else|endif|include)|//|/\*|\*(?!\w)|--\s|<!--|;;|%%|\"\"\")")
_IMPORT: Final = re.compile(
    r"^(import\b|from\s+\S+\s+import\b|use\s+[\w:{]|(?:pub\s+)?mod\s+\w+;|#include\b|package\s|require\b|extern\s+crate"
    r"|export\s+(?:\*|\{[^}]*\})\s+from|(?:const|let|var)\s+\S+\s*=\s*require\()"
)
_NAMES: Final = re.compile(r"^[\w\s,.*]+,?$")
_STRING_MARK: Final = "ˢ"
_FOLD: Final = str.maketrans({"'": '"', "`": '"'})
_DEFINITIONS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"^\s*(?:async\s+)?def\s+(\w+)",
        r"^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:pub(?:\([^)]*\))?\s+)?"
        r"(?:class|struct|enum|trait|interface|union)\s+(\w+)",
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+\S+\s+)*fn\s+(\w+)",
        r"^\s*func\s+(?:\([^)]*\)\s*)?(\w+)",
        r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)",
        r"^\s*(?:export\s+|pub\s+)?type\s+(\w+)",
        r"^(?:export\s+)?(?:const|let|var|static)\s+(\w+)\s*[:=]",
        r"^\s*(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>",
        r"^([A-Z][A-Z0-9_]{3,})\s*[:=]",
        r"^\s*(?:(?:public|private|protected|static|async|override|readonly|get|set)\s+)*(\w+)\s*\([^;]*\)\s*"
        r"(?::\s*[^={]+)?\{\s*$",
    )
)
_SIGNATURE: Final = re.compile(
    r"\s*(?:@\w[\w.]*\s+)?(?:(?:export|default|abstract|final|sealed|pub(?:\([^)]*\))?|public|private|protected|internal|static"
    r"|async|unsafe|const|override|virtual|inline|extern|open|suspend)\s+)*"
    r"(?:def|class|fn|func|fun|function\*?|struct|enum|trait|interface|impl|sub|proc|module|namespace)\b[^=]*?"
    r"(?:\([^;{]*\)?[^;{]*|[^;{(]*)[:{(,]?\s*\{?$"
)
_VERSION: Final = re.compile(
    r"\d+\.(?:\d|x\b|\*)|@v?\d|\bv\d+\b|\bpy(?:thon)?-?\d{2,3}\b|[=:]\s*[\"']?[\^~>=<]+\s*\d|@[0-9a-f]{40}\b"
)
_NUMBERS: Final = re.compile(r"\d+(?:[.,_]\d+)*")
_NOT_DEFINED: Final = frozenset(
    """
    if for while switch catch function return match loop else with constructor
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)


def code_lines(lines: Iterable[str]) -> list[str]:
    """Drop lines with an empty key."""
    return [line for line in lines if key_of(line)]


def line_key(text: str) -> str:
    """Return the key of a line."""
    return "".join(text[:LINE_CHARACTERS_MAX].translate(_FOLD).split()).rstrip(",;")


key_of = lru_cache(maxsize=CACHED_LINES)(line_key)
"""Cached `line_key`, for code read repeatedly, unlike the files of a tree."""


@lru_cache(maxsize=CACHED_LINES)
def tokens_of(text: str) -> tuple[str, ...]:
    """Split a line into words, numbers and signs, even in strings."""
    return tuple(_TOKEN.findall(text[:LINE_CHARACTERS_MAX].translate(_FOLD).strip().rstrip(",;")))


@lru_cache(maxsize=CACHED_LINES)
def counts_of(text: str) -> Mapping[str, int]:
    """Count each token of a line."""
    return Counter(tokens_of(text))


@lru_cache(maxsize=CACHED_LINES)
def is_significant(text: str) -> bool:
    """Tell whether a line is no comment, import, bracket or bare list of names."""
    folded = text[:LINE_CHARACTERS_MAX].translate(_FOLD).strip()
    if len(key_of(text)) < KEY_CHARACTERS_MIN or _COMMENT.match(folded) or _IMPORT.match(folded):
        return False
    if _NAMES.match(folded) and ("," in folded or " " not in folded):
        return False
    return any(word.lower() not in _KEYWORDS for word in _WORD.findall(folded))


def shape_of(text: str) -> str:
    """Return a line's tokens with variables as I, strings as S, numbers as N; empty if too little."""
    return _shape_and_skeleton(text)[0]


def skeleton_of(text: str) -> str:
    """Return a line's tokens with all names folded, even of calls and attributes."""
    return _shape_and_skeleton(text)[1]


@lru_cache(maxsize=CACHED_LINES)
def _shape_and_skeleton(text: str) -> tuple[str, str]:
    folded = text[:LINE_CHARACTERS_MAX].translate(_FOLD).strip().rstrip(",;")
    if '"' in folded:
        folded = _STRING.sub(f" {_STRING_MARK} ", folded)
    tokens = _TOKEN.findall(folded)
    shape: list[str] = []
    skeleton: list[str] = []
    is_called = False
    before = ""
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        if token.isidentifier() and token != _STRING_MARK and token.lower() not in _KEYWORDS:
            skeleton.append("I")
            calls = after in ("(", "!")
            is_called = is_called or calls
            shape.append(token if calls or before == "." else "I")
        else:
            folded_token = "S" if token == _STRING_MARK else "N" if token[0].isdigit() else token
            skeleton.append(folded_token)
            shape.append(folded_token)
        before = token
    says_enough = is_called and len(shape) >= SHAPE_TOKENS_MIN
    return " ".join(shape) if says_enough else "", " ".join(skeleton)


@lru_cache(maxsize=CACHED_LINES)
def is_signature(text: str) -> bool:
    """Tell whether a line only begins a function or type."""
    return bool(_SIGNATURE.match(text[:LINE_CHARACTERS_MAX].rstrip()))


@lru_cache(maxsize=CACHED_LINES)
def has_version(text: str) -> bool:
    """Tell whether a line names a version: `ruff==0.4.1`, `"react": "^18.2.0"`, `uses: actions/checkout@v4`."""
    return bool(_VERSION.search(text[:LINE_CHARACTERS_MAX]))


def plain_of(text: str) -> str:
    """Return the key of a line without its numbers."""
    return _NUMBERS.sub("0", key_of(text)).replace("─", "").replace("-", "")


def is_keyword(word: str) -> bool:
    """Tell whether *word* is a common language's keyword."""
    return word.lower() in _KEYWORDS


def definitions(text: str) -> tuple[str, ...]:
    """Return the functions, types, constants and methods that a line defines."""
    text = text[:LINE_CHARACTERS_MAX]  # the patterns go back and forth: on a line of a megabyte, for hours
    for pattern in _DEFINITIONS:
        if (match := pattern.match(text)) and match[1] not in _NOT_DEFINED and len(match[1]) >= 3:
            return (match[1],)
    return ()
