"""Classify commands that test, check, format, build or add a dependency, in any project."""

import re
from typing import Final

from palimp_daemon.text.command_kinds import kinds_of
from palimp_daemon.text.shell_commands import GivenCommand

_TESTS: Final = frozenset(
    """
    pytest unittest vitest jest mocha ava tap tox nox rspec phpunit pest ctest karma cypress playwright minitest ward
    behave cucumber nose2 trial gotestsum
    """.split()  # noqa: SIM905
)
_LINTERS: Final = frozenset(
    """
    ruff eslint flake8 pylint mypy pyright biome golangci-lint rubocop shellcheck stylelint tsc oxlint clippy
    """.split()  # noqa: SIM905
)
_FORMATTERS: Final = frozenset(["black", "prettier", "gofmt", "rustfmt", "isort", "yapf", "dprint", "shfmt"])
ONE_THING: Final = _TESTS | _LINTERS | _FORMATTERS
"""Programs that only test, lint or format: to name one means to run it."""

_TASKS: Final = frozenset(
    """
    make just task npm pnpm yarn bun deno cargo go gradle gradlew mvn mvnw rake mix dotnet rails swift bazel zig nx
    turbo moon lerna invoke hatch pdm poetry composer artisan ninja meson flutter dart stack cabal sbt lein earthly
    """.split()  # noqa: SIM905
)
_TASK_WORDS: Final = {
    "test": re.compile(
        r"(?:unit|int|integration|e2e|all)?[-_:.]?tests?(?:[-_:.].*)?|check(?:s|-all)?|specs?|verify|unit|ci"
    ),
    "lint": re.compile(r"(?:.*[-_:.])?(?:lint|check|clippy|vet|typecheck|type-check)(?:[-_:.].*)?"),
    "format": re.compile(r"(?:.*[-_:.])?(?:fmt|format)(?:[-_:.].*)?"),
    "build": re.compile(r"(?:.*[-_:.])?(?:build|compile|assemble|package)(?:[-_:.].*)?"),
}
_SERVES: Final = re.compile(r"(?:.*:)?(?:dev|start|serve|server|runserver|preview)")
_SERVERS: Final = frozenset({"next", "vite", "nuxt", "astro", "flask", "manage.py"})
_PROGRAMS: Final = {"test": _TESTS, "lint": _LINTERS, "format": _FORMATTERS, "build": frozenset({"tsc", "cmake"})}
_TEST_SCRIPT: Final = re.compile(r"(?:run[-_]?)?(?:all[-_]?)?tests?(?:[-_]\w+)?\.(?:sh|py|js|rb|bash)")
_MIGRATION_READERS: Final = frozenset(
    {"history", "current", "heads", "status", "show", "check", "list", "showmigrations"}
)


_PART: Final = frozenset({"-k", "-m", "-t", "-g", "-run", "-p", "--grep", "--filter", "--testNamePattern", "--test"})
"""Flags that select a part of the tests."""

KINDS: Final = frozenset(
    {*_TASK_WORDS, "all-tests", "serve", "dependency", "migrate", "deploy", "publish", "install", "commit", "push"}
)
"""Kinds of commands that a check can name."""


def is_of_kind(kind: str, given: GivenCommand) -> bool:
    """Tell whether *given* is of *kind*: `test`, `lint`, `format`, `build`, `dependency` and others."""
    command = given.command
    if kind in _TASK_WORDS:
        return _runs(kind, given)
    if kind == "all-tests":
        words = command.words if command.program in _TESTS else command.words[1:]
        is_part = any(re.search(r"[/.:]\w", word) for word in words) or _PART & {*command.flags}
        return _runs("test", given) and not is_part
    if kind == "serve":
        return command.program in _TASKS | _SERVERS and any(_SERVES.fullmatch(word) for word in command.words[:2])
    if kind == "dependency":
        return _adds_dependency(given)
    if kind == "migrate" and _MIGRATION_READERS & {*command.words[:3]}:
        return False
    return kind in kinds_of(command)


def _runs(kind: str, given: GivenCommand) -> bool:
    program, words = given.command.program, given.command.words
    if program in _PROGRAMS[kind]:
        return not (kind == "lint" and program == "ruff" and words[:1] == ("format",))
    if program in _TASKS:
        return any(_TASK_WORDS[kind].fullmatch(word) for word in words[:3])
    if program in ("python", "python3", "node", "php", "ruby"):
        return kind == "test" and any(
            _TEST_SCRIPT.fullmatch(word.rsplit("/", 1)[-1]) or word == "test" for word in words[:2]
        )
    return kind == "test" and _TEST_SCRIPT.fullmatch(program) is not None


_ADDS: Final = {
    "npm": {"install"},
    "pnpm": {"add", "install"},
    "yarn": {"add"},
    "bun": {"add", "install"},
    "pip": {"install"},
    "uv": {"add"},
    "poetry": {"add"},
    "pdm": {"add"},
    "rye": {"add"},
    "pipenv": {"install"},
    "conda": {"install"},
    "mamba": {"install"},
    "cargo": {"add"},
    "go": {"get"},
    "gem": {"install"},
    "bundle": {"add"},
    "composer": {"require"},
    "deno": {"add"},
    "dart": {"pub"},
    "flutter": {"pub"},
    "mix": set[str](),
    "dotnet": {"add"},
}


def _adds_dependency(given: GivenCommand) -> bool:
    program, words = given.command.program, [*given.command.words]
    if program == "uv" and words[:1] == ["pip"]:
        program, words = "pip", words[1:]
    if not words or words[0] not in _ADDS.get(program, ()):
        return False
    if {"-r", "-e", "--requirement", "--editable", "-g", "--global"} & {*given.given}:
        return False
    if program in ("dart", "flutter"):
        return words[1:2] == ["add"]
    named = [word for word in words[1:] if word not in (".", "..") and not word.startswith(("./", "../", "/"))]
    return bool(named)
