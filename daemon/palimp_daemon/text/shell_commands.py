"""Find the simple commands of a shell line.

`cd x && sudo FOO=1 uv run pytest -x | tail` has `pytest` and `tail`, in the folder `x`. Nothing is expanded; unreadable
parts are skipped. Strings are commands only for a shell (`bash -c`).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

CHARACTERS_MAX: Final = 4_000
"""Characters of a line without heredocs; a longer one is a program."""

READ_MAX: Final = 100_000
"""Characters of a line with its heredocs."""

COMMANDS_MAX: Final = 24
"""Simple commands read from a line."""

WORDS_MAX: Final = 24
"""Arguments read of one command."""

DEPTH_MAX: Final = 2
"""Levels of shells within shells."""


class SimpleCommand(NamedTuple):
    """A program and its arguments."""

    program: str
    """Name without folders: `./gradlew` is `gradlew`, `python -m pytest` is `pytest`."""
    words: tuple[str, ...]
    """Arguments without flags, aliases resolved (`npm i` is `npm install`)."""
    flags: tuple[str, ...]
    """Flags without values: `--env=prod` is `--env`."""
    folder: str
    """Target of a `cd` before it; empty: the line's own folder."""
    written: tuple[str, ...] = ()
    """Files that receive its output."""

    @property
    def name(self) -> str:
        """Program and words, as people name a command."""
        return " ".join((self.program, *self.words))


class GivenCommand(NamedTuple):
    """A simple command with all arguments."""

    command: SimpleCommand
    around: tuple[str, ...]
    """Words before its program: `sudo`, `uv run`, `python -m`."""
    program: str
    """As written, without folders: `docker-compose`, where the command's is `docker`."""
    given: tuple[str, ...]
    """All arguments, with flags and their values."""


def commands_in(line: str) -> list[SimpleCommand]:
    """Return the simple commands of *line*, in order."""
    return [each.command for each in given_commands_in(line)]


def given_commands_in(line: str) -> list[GivenCommand]:
    """Return the simple commands of *line* with all arguments."""
    return list(islice(_commands_in(line[:READ_MAX], depth=0), COMMANDS_MAX))


_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\r]+|\\\n)|(?P<comment>#[^\n]*)|(?P<writes>1?(?:>>|>\||>(?!&))|&>>?)"
    r"|(?P<heredoc>[0-9]*<<-?(?!<))|(?P<redirect>[0-9]*(?:>>|>\||>&|<<<|<&|>|<))"
    r"|(?P<operator>\|\||&&|;;|[;&|(){}\n](?=[\s(){};&|]|$)|[;&|()\n])"
    r"|(?P<word>(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\([^()]*\)|[^\s'\"\\;&|<>()])+)|(?P<other>.)",
    re.DOTALL,
)
_BEFORE_FILES: Final = frozenset({"writes", "heredoc", "redirect"})
"""Operators before a file's name."""

_QUOTE: Final = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_NUMBER: Final = re.compile(r"[0-9.]+[smhd]?")


def _commands_in(line: str, depth: int) -> Iterator[GivenCommand]:
    folder = ""
    for words, written in _split(line):
        given = [*_unwrap(words)]
        if not given:
            continue
        program = given[0].rstrip("/").rsplit("/", 1)[-1]
        if not program.strip():
            continue
        if program == "cd":
            folder = _join_path(folder, given[1]) if len(given) > 1 else ""
            continue
        if depth < DEPTH_MAX and (inner := _inner(program, given[1:])):
            yield from _commands_in(inner, depth + 1)
            continue
        around = tuple(words[: len(words) - len(given)])
        yield GivenCommand(_simple(program, given[1:], folder, written), around, program, tuple(given[1:]))


def _split(line: str) -> Iterator[tuple[list[str], list[str]]]:
    kept: defaultdict[str, list[str]] = defaultdict(list)
    behind = "words"
    place, left = 0, CHARACTERS_MAX
    while found := _TOKEN.match(line, place, place + left):
        sort, text, place = found.lastgroup or "", found.group(), found.end()
        left -= len(text)
        if sort == "operator" and kept["words"]:
            yield kept.pop("words"), kept.pop("writes", [])
        if text == "\n":
            place = _behind_heredocs(line, place, kept.pop("heredoc", []))
        if sort == "word":
            kept[behind].append(_unquote(text))
        if sort != "space":
            behind = sort if sort in _BEFORE_FILES else "words"
    if kept["words"]:
        yield kept["words"], kept["writes"]


def _behind_heredocs(line: str, place: int, delimiters: Sequence[str]) -> int:
    for delimiter in delimiters:
        is_over = False
        while place < len(line) and not is_over:
            start, end = place, line.find("\n", place)
            place = len(line) if end < 0 else end + 1
            is_over = line[start:place].strip() == delimiter
    return place


def _unquote(word: str) -> str:
    return _QUOTE.sub(lambda found: next((each for each in found.groups() if each is not None), ""), word)


def _join_path(folder: str, given: str) -> str:
    return given if given.startswith(("/", "~", "$")) or not folder else f"{folder.rstrip('/')}/{given}"


_PLAIN_WRAPPERS: Final = frozenset(
    """
    sudo doas time nohup nice ionice env exec command builtin stdbuf timeout xargs npx bunx pnpx uvx pipx then do
    else ! if while eval caffeinate
    """.split()  # noqa: SIM905  as above
)
"""Programs and shell keywords that run the words behind them."""

_WRAPPERS: Final[Mapping[str, frozenset[str]]] = {
    "uv": frozenset({"run"}),
    "poetry": frozenset({"run"}),
    "pipenv": frozenset({"run"}),
    "pdm": frozenset({"run"}),
    "hatch": frozenset({"run"}),
    "rye": frozenset({"run"}),
    "pixi": frozenset({"run"}),
    "bundle": frozenset({"exec"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "yarn": frozenset({"exec", "dlx"}),
    "npm": frozenset({"exec"}),
    "bun": frozenset({"x"}),
    "mise": frozenset({"exec"}),
}
"""Programs that do so behind one of these words."""

_WITH_VALUE: Final = frozenset(
    """
    -n -u -C -c -S --with --group --extra --python -p --package --project --directory --signal -k -s -I -P
    """.split()  # noqa: SIM905  as above
)
"""Wrappers' flags with a value."""

_PYTHON: Final = re.compile(r"python[0-9.]*|py")


def _unwrap(words: Sequence[str]) -> Sequence[str]:
    for _ in range(8):
        place = 0
        while place < len(words) and _ASSIGNMENT.match(words[place]):
            place += 1
        words = words[place:]
        if not words:
            return ()
        program = words[0].rsplit("/", 1)[-1]
        if program in _PLAIN_WRAPPERS:
            rest = _behind_flags(words[1:])
            words = rest[1:] if program == "timeout" and rest and _NUMBER.fullmatch(rest[0]) else rest
        elif program in _WRAPPERS and len(words) > 2 and words[1] in _WRAPPERS[program]:
            words = _behind_flags(words[2:])
        elif _PYTHON.fullmatch(program) and len(words) > 2 and words[1] == "-m":
            words = words[2:]
        else:
            return words
    return words


def _behind_flags(words: Sequence[str]) -> Sequence[str]:
    place = 0
    while place < len(words) and words[place].startswith("-") and words[place] != "-":
        place += 2 if words[place] in _WITH_VALUE else 1
    return words[place:]


_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "fish"})


def _inner(program: str, words: Sequence[str]) -> str:
    if program in _SHELLS:
        for place, word in enumerate(words[:-1]):
            if word.startswith("-") and word.endswith("c"):
                return words[place + 1]
        return ""
    if program == "ssh":
        rest = [word for word in words if not word.startswith("-")]
        return " ".join(rest[1:])
    return ""


_GLOBAL_VALUES: Final[Mapping[str, frozenset[str]]] = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "-m", "-F", "--author", "--date"}),
    "pnpm": frozenset({"--filter", "-F", "-C", "--dir"}),
    "turbo": frozenset({"--filter", "-F"}),
    "yarn": frozenset({"--cwd"}),
    "npm": frozenset({"--prefix", "-w", "--workspace"}),
    "cargo": frozenset({"-p", "--package", "--target", "--features", "--manifest-path", "--bin"}),
    "make": frozenset({"-C", "-f"}),
    "docker": frozenset({"-f", "--file", "-p", "--context", "-H", "-e", "-v", "--name", "-t"}),
    "docker-compose": frozenset({"-f", "--file", "-p"}),
    "kubectl": frozenset({"-n", "--namespace", "--context", "-f", "-l"}),
    "helm": frozenset({"-n", "--namespace", "-f"}),
    "goose": frozenset({"-dir"}),
    "conda": frozenset({"-c", "-n", "-p", "-f"}),
    "mamba": frozenset({"-c", "-n", "-p", "-f"}),
}
"""Flags with a value that would pass for a word of the command."""

_ALIASES: Final[Mapping[tuple[str, str], str]] = {
    ("npm", "i"): "install",
    ("npm", "add"): "install",
    ("npm", "t"): "test",
    ("npm", "un"): "uninstall",
    ("pnpm", "i"): "install",
    ("bun", "i"): "install",
    ("cargo", "t"): "test",
    ("cargo", "b"): "build",
    ("cargo", "r"): "run",
    ("git", "ci"): "commit",
}
_PROGRAM_ALIASES: Final = {"pip3": "pip", "docker-compose": "docker compose", "podman": "docker", "micromamba": "mamba"}


def _simple(program: str, given: Sequence[str], folder: str, written: Sequence[str]) -> SimpleCommand:
    words: list[str] = []
    flags: list[str] = []
    takes_value = _GLOBAL_VALUES.get(program, frozenset[str]())
    is_value = False
    for each in given[:WORDS_MAX]:
        if is_value:
            is_value = False
        elif each.startswith("-") and len(each) > 1:
            flags.append(each.split("=", 1)[0])
            is_value = each in takes_value
        elif not (each.startswith("+") and program == "cargo"):
            words.append(each)
    if words:
        words[0] = _ALIASES.get((program, words[0]), words[0])
        if program in ("npm", "pnpm", "yarn", "bun") and words[0] in ("run", "run-script") and len(words) > 1:
            words = words[1:]
    program, *more = _PROGRAM_ALIASES.get(program, program).split()
    return SimpleCommand(program, (*more, *words), tuple(flags), folder, tuple(written))
