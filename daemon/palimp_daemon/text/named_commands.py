"""Find commands in texts, in backticks or common words (commit, push, deploy)."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import either, sections_of_all, split_list
from palimp_daemon.text.shell_commands import SimpleCommand, commands_in

KINDS: Final = ("commit", "push", "deploy", "publish", "migrate", "install")
"""Kinds of commands named in words; `install:FAMILY` for a family of packages."""

COMMAND_WORDS_MAX: Final = 4
"""Words read of a command, its program included; the rest are operands."""

PROGRAMS: Final = frozenset(
    """
    act alembic ansible ansible-playbook apk apt apt-get artisan aws az bazel biome black brew buf buildah bun
    bundle cap cargo cdk celery clang-format cmake code codemagic composer conan conda cordova cp cross ctest curl
    dart dbmate dbt deno detekt diesel django-admin docker doctl dotnet drizzle-kit dvc eas ecs-deploy elixir
    esbuild eslint expo fab fastlane firebase flake8 flask flutter fly flyctl flyway forge gatsby gcloud gem gh git
    glab go goose goreleaser gradle gradlew gsutil gulp gunicorn helm heroku hg hugo ionic invoke isort java jest jj
    jq jupyter just k6 kamal knex kubectl kustomize lake lein lerna liquibase make mamba manage.py maven meson
    minikube mise mix mocha mongosh mvn mvnw mypy mysql nbstripout netlify next ng ninja nix nodemon nox npm npx
    nuget nx openssl packer pdm pg_dump pg_restore php phpunit pip pip-compile pip3 pipenv pipx playwright pnpm
    podman poetry pre-commit prettier prisma psql pulumi pyright pytest python python3 rails rake ray rebar3
    redis-cli rg rspec rsync rubocop ruff rustup rye sam sbatch sbt scp sed serverless sh skaffold snakemake
    sqlfluff sqlite3 sqlx srun ssh stack svn swift systemctl task terraform terragrunt tofu tox trunk tsc turbo
    twine twister typst uv uvicorn vagrant vault vercel vite vitest vsce west wrangler xcodebuild yarn yarnpkg zig
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Programs that developers run; those in the project (`./x`, `bin/x`) count, too."""

PACKAGE_MANAGERS: Final = {
    "npm": "js",
    "yarn": "js",
    "pnpm": "js",
    "bun": "js",
    "pip": "python",
    "uv": "python",
    "poetry": "python",
    "pipenv": "python",
    "pdm": "python",
    "conda": "python",
    "mamba": "python",
    "bundle": "ruby",
    "gem": "ruby",
    "composer": "php",
    "cocoapods": "apple",
    "apt": "system",
    "apt-get": "system",
    "brew": "system",
    "apk": "system",
    "dnf": "system",
}
"""Programs that add packages, by family: a rule on one holds for all of it."""

_PROGRAM_PLACE: Final = re.compile(r"(?:\./|bin/|scripts?/|tools?/)[\w./-]+\Z")
_WORD_OF_COMMAND: Final = re.compile(r"[\w@.:/+-]+\Z")
_RUN: Final = re.compile(r"\b(?:run|runs|running|rerun|execute|ran)\s+((?:[\w./:-]+[ \t]*){1,4})", re.IGNORECASE)


def written_commands(span: str) -> Iterator[str]:
    """Return the commands written in *span*."""
    if span.startswith(("$ ", "% ", "> ")):
        span = span[2:]
    first = span.split(" ", 1)[0]
    if "(" in first or span.endswith("("):
        return
    for command in commands_in(span):
        if _is_program(command, span):
            yield _name_of(command)


def _is_program(command: SimpleCommand, span: str) -> bool:
    if command.program in PROGRAMS:
        return True
    if "/" in command.program or not (command.words or command.flags):
        return False
    is_module = re.search(rf"\bpython[0-9.]* -m {re.escape(command.program)}\b", span) is not None
    place = next((word for word in span.split() if word.rsplit("/", 1)[-1] == command.program), "")
    return is_module or bool(_PROGRAM_PLACE.match(place))


def _name_of(command: SimpleCommand) -> str:
    words: list[str] = []
    for word in command.words[: COMMAND_WORDS_MAX - 1]:
        if not _WORD_OF_COMMAND.match(word) or word in ("...", ".."):
            break
        words.append(word)
    flags = [flag for flag in command.flags if flag.startswith("--") and len(flag) > 2 and flag.isascii()][:3]
    return " ".join((command.program, *words, *flags))


def run_in_prose(prose: str) -> Iterator[str]:
    """Return the commands written without backticks: `run make lint`."""
    for found in _RUN.finditer(prose):
        words = found[1].split()
        if words[0] in PROGRAMS and words[0] not in ("go", "make", "just", "task", "next", "code", "cap", "mix"):
            yield words[0]
        elif words[0] in ("make", "just", "task") and len(words) > 1:
            yield f"{words[0]} {words[1].rstrip('.,;:')}"


class _Said(NamedTuple):
    hints: frozenset[str]
    """Lower-case substrings, one of which any matching text has: a hundred times as fast."""
    pattern: re.Pattern[str]


@cache
def _sayings() -> dict[str, _Said]:
    found: dict[str, _Said] = {}
    for kind in KINDS:
        words = [each[kind] for each in sections_of_all(lambda language: language.commands) if kind in each]
        hints = frozenset(hint for each in words for hint in split_list(each.hints))
        found[kind] = _Said(hints, re.compile(either(*(each.said for each in words)), re.IGNORECASE))
    return found


_MANAGER: Final = re.compile(
    r"(?<![\w./@-])(npm|yarn|pnpm|bun|pip|poetry|pipenv|pdm|conda|mamba|bundler?|composer|cocoapods|uv)(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
_MANAGERS: Final = ("npm", "yarn", "bun", "pip", "poetry", "pdm", "conda", "mamba", "composer", "cocoapods", "uv")
"""Lower-case substrings, at least one of which names a manager."""

_OF_WRITTEN: Final = {"git commit": "commit", "git push": "push"}


def kinds_said(prose: str, written: Iterable[str]) -> Iterator[str]:
    """Return the kinds of commands in *prose* and *written*."""
    for command in written:
        for start, kind in _OF_WRITTEN.items():
            if command.startswith(start):
                yield kind
    small = prose.lower()
    for kind, said in _sayings().items():
        if any(hint in small for hint in said.hints) and said.pattern.search(prose):
            yield kind
    if not any(manager in small for manager in _MANAGERS):
        return
    for found in _MANAGER.finditer(prose):
        name = found[1].lower()
        yield f"install:{PACKAGE_MANAGERS['bundle' if name == 'bundler' else name]}"
