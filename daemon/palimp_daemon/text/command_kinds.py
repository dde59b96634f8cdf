"""Classify commands about to run (`named_commands.KINDS`); those that only read have no kind."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from palimp_daemon.text.named_commands import PACKAGE_MANAGERS
from palimp_daemon.text.shell_commands import SimpleCommand

READERS: Final = frozenset(
    """
    ack ag awk bat cat cmp code column cut diff du echo emacs env export fd file find fzf grep head history hexdump
    jq less ll ls man md5sum more nano nl od open pgrep printf ps pwd readlink realpath rg ripgrep sed sha256sum sort
    source stat strings tail test touch tr tree type uniq vi view vim wc whereis which xxd yq
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Programs that look, print or open an editor, whatever their arguments."""

WORDS_LOOKED_AT: Final = 4
"""Words read of a command: its action stands first."""

_HELP: Final = frozenset({"--help", "-h", "--version", "help", "--dry-run"})

_DEPLOYING: Final[Mapping[str, frozenset[str]]] = {
    "kubectl": frozenset({"apply", "rollout", "set", "replace"}),
    "helm": frozenset({"upgrade", "install", "rollback"}),
    "terraform": frozenset({"apply", "destroy"}),
    "tofu": frozenset({"apply", "destroy"}),
    "pulumi": frozenset({"up", "destroy"}),
    "argocd": frozenset({"sync"}),
    "skaffold": frozenset({"run"}),
    "eas": frozenset({"update"}),
    "heroku": frozenset({"container:release"}),
}
"""Subcommands that deploy, though not called so."""

_PUBLISHING: Final[Mapping[str, frozenset[str]]] = {
    "npm": frozenset({"publish"}),
    "pnpm": frozenset({"publish"}),
    "yarn": frozenset({"publish"}),
    "bun": frozenset({"publish"}),
    "lerna": frozenset({"publish"}),
    "cargo": frozenset({"publish"}),
    "uv": frozenset({"publish"}),
    "poetry": frozenset({"publish"}),
    "twine": frozenset({"upload"}),
    "gem": frozenset({"push"}),
    "docker": frozenset({"push"}),
    "vsce": frozenset({"publish"}),
    "changeset": frozenset({"publish"}),
    "eas": frozenset({"submit"}),
}
_PUBLISHERS: Final = frozenset({"goreleaser", "fastlane", "semantic-release", "np", "release-it"})

_MIGRATORS: Final = frozenset({"alembic", "goose", "flyway", "liquibase", "dbmate", "diesel", "yoyo", "atlas"})
_MIGRATING: Final = re.compile(r"(?:make)?migrat(?:e|ions?)|[\w-]*[:._-]migrat\w*|migrat\w*[:._-]\w+|db:\w[\w:]*")

_ADDING: Final[Mapping[str, frozenset[str]]] = {
    "js": frozenset({"install", "add", "uninstall", "remove", "update", "upgrade", "up", "ci", "link", "dedupe"}),
    "python": frozenset(
        {"install", "add", "remove", "uninstall", "sync", "lock", "update", "create", "upgrade", "env"}
    ),
    "ruby": frozenset({"install", "add", "update", "remove"}),
    "php": frozenset({"install", "require", "update", "remove"}),
    "system": frozenset({"install", "add", "remove", "upgrade", "dist-upgrade"}),
    "rust": frozenset({"add", "install", "update", "remove"}),
    "go": frozenset({"get", "install"}),
    "dart": frozenset({"pub"}),
    "dotnet": frozenset({"add"}),
}
_MORE_MANAGERS: Final = {"cargo": "rust", "go": "go", "flutter": "dart", "dart": "dart", "dotnet": "dotnet"}
_BARE: Final = frozenset({"yarn"})
"""Package managers that install when called without arguments."""


def kinds_of(command: SimpleCommand) -> list[str]:
    """Return the kinds of *command*, packages with their family (`install:js`)."""
    if command.program in READERS or _HELP & {*command.flags, *command.words[:2]}:
        return []
    return list(dict.fromkeys(_kinds(command)))


def _kinds(command: SimpleCommand) -> Iterator[str]:
    program, words = command.program, command.words[:WORDS_LOOKED_AT]
    if program == "git":
        if words[:1] in (("commit",), ("push",)):
            yield words[0]
        return
    if program not in ("gh", "glab") or words[:2] == ("workflow", "run"):
        if _says(program, "deploy") or any(_says(word, "deploy") for word in words) or _does(_DEPLOYING, command):
            yield "deploy"
        if program in _PUBLISHERS or _does(_PUBLISHING, command):
            yield "publish"
    elif words[:2] == ("release", "create"):
        yield "publish"
    if program in _MIGRATORS or any(_MIGRATING.fullmatch(word) for word in (program, *words[:3])):
        yield "migrate"
    yield from _installs(program, command.words)


def _does(table: Mapping[str, frozenset[str]], command: SimpleCommand) -> bool:
    return bool(table.get(command.program, frozenset[str]()) & {*command.words[:WORDS_LOOKED_AT]})


def _says(word: str, part: str) -> bool:
    return part in re.split(r"[^a-z]+", word.lower())


def _installs(program: str, words: tuple[str, ...]) -> Iterator[str]:
    family = PACKAGE_MANAGERS.get(program) or _MORE_MANAGERS.get(program)
    if family is None:
        return
    verb = words[1] if words[:1] in (("pip",), ("global",)) and len(words) > 1 else words[0] if words else ""
    if not (verb in _ADDING.get(family, ()) or (not words and program in _BARE)):
        return
    yield f"install:{family}"
    if len(words) > 1:  # something is named: it is added, changed or removed, not only what is agreed on brought here
        yield "install"
