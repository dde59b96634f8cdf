"""Derive checks of commands, written or in words (commit, push, deploy)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from palimp_daemon.text.rules.mentions import (
    FORBIDDEN,
    NEUTRAL,
    WANTED,
    Mention,
    Sentence,
    Words,
    antecedents,
    is_forbidding,
    mentions_of,
    polarity,
    says_no,
)
from palimp_protocol.messages.rule_messages import Check

_JS: Final = ("npm", "yarn", "pnpm", "bun")
_RUNNERS: Final = ("uv run", "poetry run", "pdm run", "hatch run", "pipenv run", "pixi run", "rye run")
_RUN_BY_THEM: Final = ("python", "python3", "pytest")
_FORCED: Final = ("git push --force", "git push -f", "git push --force-with-lease", "git push * +*")
_OF_FLAGS: Final = {
    "--no-verify": ("git commit --no-verify", "git commit -n", "git push --no-verify"),
    "--force": _FORCED,
    "--amend": ("git commit --amend",),
    "--no-gpg-sign": ("git commit --no-gpg-sign",),
    "--hard": ("git reset --hard",),
    "--legacy-peer-deps": ("npm install --legacy-peer-deps", "npm ci --legacy-peer-deps"),
    "--break-system-packages": ("pip install --break-system-packages",),
}
_GIT_WORDS: Final = (
    (re.compile(r"\brebas\w*", re.IGNORECASE), ("git rebase",)),
    (re.compile(r"\bamend\w*", re.IGNORECASE), ("git commit --amend",)),
    (re.compile(r"\bstash\w*", re.IGNORECASE), ("git stash",)),
)
"""Git's verbs, used in all languages."""
_BRANCH_DELETED: Final = ("git branch -d", "git branch -D", "git branch --delete", "git push --delete", "git push -d")
_MERGE: Final = re.compile(r"\bmerg\w+ `?(?:origin/)?(main|master|develop)", re.IGNORECASE)
_LATEST: Final = re.compile(r"(?<![\w.-])`?:?latest`?(?![\w-])", re.IGNORECASE)

ACTS: Final = {"commit": "git commit", "push": "git push"}
MAIN: Final = re.compile(r"(?<![A-Za-z0-9_/.-])(main|master|develop|trunk)(?![A-Za-z0-9_/-]|\.\w)")


def of_acts(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of acts that *sentence* forbids in words."""
    plain = sentence.plain
    if says_no(sentence, words.acts["force"].search(plain), words):
        yield Check(sort="command", commands=_FORCED)
    dependency = words.acts["dependency"].search(plain)
    if dependency and _is_about_new_dependency(sentence, dependency, words):
        yield Check(sort="command", commands=("=dependency",))
    yield from _of_runs(sentence, words)
    merge = _MERGE.search(sentence.text)
    if merge and says_no(sentence, merge, words):
        yield Check(sort="command", commands=(f"git merge {merge[1]}", f"git merge origin/{merge[1]}"))
        return
    for pattern, commands in (*_GIT_WORDS, (words.signs["branch_deletion"], _BRANCH_DELETED)):
        found = pattern.search(plain)
        if says_no(sentence, found, words) and found and _is_whole(sentence, found.end(), words):
            yield Check(sort="command", commands=commands)
    if words.unless.search(plain) and says_no(sentence, words.signs["pull_request"].search(plain), words):
        yield Check(sort="command", commands=("gh pr create", "glab mr create"))
    yield from _of_named_acts(sentence, words)


def _of_named_acts(sentence: Sentence, words: Words) -> Iterator[Check]:
    mains = [*MAIN.finditer(sentence.text)]
    main = next((each for each in mains if says_no(sentence, each, words)), next(iter(mains), None))
    for name in ("commit", "push", "deploy", "publish", "migrate"):
        for found in words.acts[name].finditer(sentence.plain):
            said = polarity(sentence, found.start(), found.end(), words)
            if said == FORBIDDEN:
                yield from _of_act(sentence, name, found, main, words)
            elif said == NEUTRAL and name in ACTS and main and says_no(sentence, main, words):
                yield Check(sort="command", commands=(ACTS[name],), branches=(main[1],))  # push by PR, never on main


def _of_runs(sentence: Sentence, words: Words) -> Iterator[Check]:
    run = words.signs["run"].search(sentence.plain)
    if not run or not is_forbidding(sentence, words):
        return
    whole = words.signs["whole"].search(sentence.plain)
    if whole and says_no(sentence, whole, words):
        yield Check(sort="command", commands=("=all-tests",))
        return
    if says_no(sentence, words.signs["server"].search(sentence.plain), words) and not sentence.mentions:
        yield Check(sort="command", commands=("=serve",))
    for name, pattern in words.checks.items():
        found = pattern.search(sentence.plain)
        if found and says_no(sentence, found, words) and not sentence.mentions:
            yield Check(sort="command", commands=(f"={name}",))


def _of_act(
    sentence: Sentence, name: str, found: re.Match[str], main: re.Match[str] | None, words: Words
) -> Iterator[Check]:
    command = ACTS.get(name, f"={name}")
    if main and name in ACTS:
        yield Check(sort="command", commands=(command,), branches=(main[1],))
        return
    if _is_whole(sentence, found.end(), words):
        yield Check(sort="command", commands=(command,))


def _is_whole(sentence: Sentence, end: int, words: Words) -> bool:
    """Tell whether a prohibition has no object behind *end*, or the user may lift it."""
    clause = re.split(r"[,，、:：()（）]", sentence.plain[end:], maxsplit=1)[0]
    if not re.search(r"\w", clause) and not sentence.mentions:
        return True
    return words.unless.search(sentence.plain) is not None and not any(
        each.sort == "path" for each in sentence.mentions
    )


def _is_about_new_dependency(sentence: Sentence, found: re.Match[str], words: Words) -> bool:
    plain = sentence.plain
    near = plain[max(0, found.start() - 40) : found.end() + 40]
    is_new = words.create.search(near) is not None or words.unless.search(plain) is not None
    return is_new and (says_no(sentence, found, words) or words.unless.search(plain) is not None)


def of_commands(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of commands that *sentence* writes out."""
    found = mentions_of(sentence, words, "command", "flag")
    flags = [each.text for each, said in found if each.sort == "flag" and said == FORBIDDEN]
    of_flags = [command for flag in flags for command in _OF_FLAGS.get(flag, ())]
    if of_flags:
        yield Check(sort="command", commands=tuple(of_flags))
        return
    commands = [(each, said) for each, said in found if each.sort == "command"]
    if not commands:
        yield from _of_committed(sentence, words)
    if words.signs["always"].search(sentence.plain):
        options = [
            *_of_options(commands, [each.text for each, said in found if each.sort == "flag" and said == WANTED])
        ]
        if options:
            yield from options
            return
    forbidden = [each.text for each, said in commands if said == FORBIDDEN] or antecedents(sentence, words, commands)
    unquoted = sentence.text.replace("`", "")  # a folder stands in backticks or not
    inside = tuple(found["place"] for found in words.signs["inside"].finditer(unquoted))
    wanted = [
        each.text for each, said in commands if said == WANTED or (inside and len(commands) == 1 and said == NEUTRAL)
    ]
    if forbidden and not wanted:
        wanted = [each.text for each, said in commands if said == NEUTRAL and each.text not in forbidden]
    yield from (replace(check, paths=inside) for check in _of_programs(forbidden, wanted))


def _of_options(commands: Sequence[tuple[Mention, int]], flags: Sequence[str]) -> Iterator[Check]:
    if flags and len(commands) == 1:
        command = commands[0][0].text
        yield Check(sort="command", commands=(command,), instead=" ".join((command, *flags)))
        return
    for each, said in commands:
        plain = " ".join(word for word in each.text.split() if not word.startswith("-"))
        if said == WANTED and plain != each.text:
            yield Check(sort="command", commands=(plain,), instead=each.text)


def _of_programs(forbidden: Sequence[str], wanted: Sequence[str]) -> Iterator[Check]:
    runner = next((each for each in wanted if each.startswith(_RUNNERS) or each in _RUNNERS), "")
    if runner:
        runner = " ".join(runner.split()[:2])
    if forbidden:
        forms = [form for each in forbidden for form in _forms(each)]
        yield Check(sort="command", commands=tuple(forms), within=runner, instead=next(iter(wanted), ""))
    elif runner:
        yield Check(sort="command", commands=_RUN_BY_THEM, within=runner, instead=runner)
    elif len(wanted) == 1 and wanted[0] in _JS:
        yield Check(sort="command", commands=tuple(each for each in _JS if each != wanted[0]), instead=wanted[0])


def _forms(command: str) -> Sequence[str]:
    if command.startswith("git push") and command.endswith(("--force", "-f")):
        return _FORCED
    if command in ("git add -A", "git add --all"):
        return ("git add -A", "git add --all")
    return (command,)


def _of_committed(sentence: Sentence, words: Words) -> Iterator[Check]:
    paths = [each.text for each in sentence.mentions if each.sort == "path"]
    commits = [*words.acts["commit"].finditer(sentence.plain)]
    if paths and commits and not words.edit.search(sentence.plain) and says_no(sentence, commits[-1], words):
        yield Check(sort="command", commands=tuple(f"git add ... {each}" for each in paths))


def of_tags(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of image tags in *sentence*."""
    if words.signs["image"].search(sentence.plain) and says_no(sentence, _LATEST.search(sentence.text), words):
        yield Check(sort="command", commands=("docker ... *:latest",))
        yield Check(sort="edit", added=(":latest",))
