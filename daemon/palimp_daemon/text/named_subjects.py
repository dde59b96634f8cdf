"""Find paths, symbols, commits and commands that a text names.

Only form counts, in any language: backticks, a slash, a file's ending, an identifier. In doubt none: `and/or`,
`image/png`, `origin/main`, `Node.js`, `/api/orders`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import either, sections_of_all
from palimp_daemon.text.named_commands import kinds_said, run_in_prose, written_commands
from palimp_daemon.text.written_paths import EXTENSIONS, is_path, paths_in_prose

VERSION: Final = 3
"""Raised when texts get other subjects, to remake data from them."""

CHARACTERS_MAX: Final = 8_000
"""Characters read of a text; hardly a memory is longer."""

EACH_MAX: Final = 16
"""Subjects of one sort: a text with more is a list."""

SUBJECT_CHARACTERS_MAX: Final = 200
"""Longer ones are no names."""

PATHS_OF_SPAN: Final = 8
"""Words in backticks that may be paths: `backfill.py --max-days`."""


class Subjects(NamedTuple):
    """The things that a text names, each once, in its order."""

    paths: tuple[str, ...] = ()
    """As written: files, folders (with their final slash, if written), globs."""
    symbols: tuple[str, ...] = ()
    """Without parentheses: `reserve`, `Invoice#total`, `SyncConfig.PERIOD_MIN`."""
    commits: tuple[str, ...] = ()
    """7 to 40 hexadecimal digits, in lower case."""
    commands: tuple[str, ...] = ()
    """Program, words and flags of written commands (`cargo sqlx prepare --workspace`), and KINDS."""


def subjects_of(text: str) -> Subjects:
    """Return the subjects of *text*."""
    read = text[:CHARACTERS_MAX]
    spans = [found[1].strip() for found in _SPAN.finditer(read)]
    prose = _SPAN.sub(" \n ", read)
    written = [command for span in spans for command in written_commands(span)]
    paths: list[str] = []
    symbols: list[str] = []
    for span in spans:
        path, symbol = _path_and_symbol(span)
        paths += [path] if path else []
        symbols += [symbol] if symbol else []
        paths += [word for word in span.split()[:PATHS_OF_SPAN] if " " in span and is_path(word)]
    paths += paths_in_prose(prose)
    symbols += _symbols_in_prose(prose)
    commits = [found[0].lower() for found in _COMMIT.finditer(read) if _is_commit(found, read)]
    commands = [*written, *run_in_prose(prose), *kinds_said(prose, written)]
    return Subjects(_within_bounds(paths), _within_bounds(symbols), _within_bounds(commits), _within_bounds(commands))


def _within_bounds(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in found if 0 < len(each) <= SUBJECT_CHARACTERS_MAX))[:EACH_MAX]


_SPAN: Final = re.compile(r"`{1,3}([^`\n]{1,400})`{1,3}")


_LINE: Final = re.compile(r":\d+(?:[-:]\d+)?\Z")


def _path_and_symbol(span: str) -> tuple[str, str]:
    path, _, symbol = span.partition("::")
    if symbol and is_path(path):
        return path, _symbol(symbol)
    plain = _LINE.sub("", span)
    if is_path(plain):
        return plain, ""
    return "", _symbol(span)


_IDENTIFIER: Final = r"[A-Za-z_$\u00c0-\u024f][\w$]*"
_SYMBOL: Final = re.compile(
    rf"({_IDENTIFIER}(?:(?:\.|::|#|->|/)(?=[A-Za-z_]){_IDENTIFIER})*[!?]?)(?:\(.*\)?)?\Z", re.DOTALL
)
_PROSE_WORD: Final = re.compile(r"(?<![\w./:@#-])[A-Za-z_][\w.:]{2,199}(?:\(\))?(?![\w/-])", re.ASCII)
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z][a-z0-9]")
_SIGN_OF_SYMBOL: Final = re.compile(rf"_|\(\)|{_CAMEL.pattern}")
"""Most texts lack this sign of a symbol, and are not read word by word."""

_CAMEL_CHARACTERS_MIN: Final = 5
"""`kHz` and `MwSt` are words."""
_BRANDS: Final = frozenset(
    """
    GitHub GitLab BitBucket JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite MongoDB GraphQL OpenAPI macOS
    iOS iPhone iPad iCloud YouTube WordPress LinkedIn DevOps FastAPI NumPy SciPy PyPI PyTorch TensorFlow OpenSSL
    OAuth JUnit IntelliJ PyCharm WebSocket WebSockets RabbitMQ CockroachDB DynamoDB ClickHouse BigQuery PowerShell
    VSCode WebAssembly CloudFront CloudFlare DuckDB TimescaleDB WebKit DataDog PagerDuty TeamCity CircleCI
    OpenTelemetry PlayStore AppStore TestFlight StackOverflow HashiCorp WhatsApp PayPal
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Names of products that look like identifiers."""

_SYMBOL_CHARACTERS_MIN: Final = 3


def _symbol(span: str) -> str:
    found = _SYMBOL.fullmatch(span)
    if not found or len(found[1]) < _SYMBOL_CHARACTERS_MIN or found[1] in _BRANDS or " " in found[1]:
        return ""
    return "" if "/" in found[1] else found[1]


def _symbols_in_prose(prose: str) -> Iterator[str]:
    if not _SIGN_OF_SYMBOL.search(prose):
        return
    signed = [word for word in _PROSE_WORD.findall(prose) if "_" in word or "(" in word or not word.islower()]
    for word in signed:
        name = word.rstrip(".:")
        is_called = name.endswith("()")
        name = name.removesuffix("()")
        is_file = "." in name and name.rsplit(".", 1)[-1].lower() in EXTENSIONS
        is_camel = "_" not in name and not is_called
        if name in _BRANDS or is_file or (is_camel and len(name) < _CAMEL_CHARACTERS_MIN):
            continue
        if is_called or ("_" in name.strip("_")) or (is_camel and _CAMEL.search(name)):
            yield name


_COMMIT: Final = re.compile(r"(?<![\w#/.-])[0-9a-fA-F]{7,40}(?![\w-])")


def _is_commit(found: re.Match[str], text: str) -> bool:
    digits = sum(map(str.isdigit, found[0]))
    if 0 < digits < len(found[0]):
        return True
    return bool(_before_hash().search(text[max(0, found.start() - 16) : found.start()]))


@cache
def _before_hash() -> re.Pattern[str]:
    kinds = sections_of_all(lambda language: language.commands)
    words = either(*(each["commit"].before_hash for each in kinds if "commit" in each))
    return re.compile(rf"(?:{words})[ :`(]{{0,3}}\Z", re.IGNORECASE)
