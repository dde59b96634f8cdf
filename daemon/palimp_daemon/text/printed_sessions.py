"""Read sessions as programs print them: Claude Code's `/export`, and aider's history.

The first begins a prompt with `>` or `❯`, an answer with `⏺` or `●`, a tool's output with `⎿`; the second a prompt's
lines with `####`, its own remarks with `>`.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

from palimp_clients.transcripts.user_text import said_behind

Said = tuple[Literal["user", "assistant"], str]

_PRINTED: Final = re.compile("[⏺❯⎿]")
"""In every print of Claude Code, and in few other texts with `>` and `●`."""

_PROMPT: Final = re.compile(r"[>❯](?:[ \u00a0](.*))?")
_ANSWER: Final = re.compile(r"[⏺●][ \u00a0](.*)")
_CALL: Final = re.compile(r"[A-Z]\w*(?: \w+)?\(.*")
"""An answer's beginning that is a call of a tool: `Bash(ls)`."""

_BY_PROGRAM: Final = re.compile(r"\s*[⎿✻✢✳✶·╭│╰─━]")
"""Beginnings of lines that nobody said: output, notices, frames."""

_INDENT: Final = "  "
_COMMAND: Final = re.compile(r"(?s)/([\w:.-]+)(?:\s+(.*))?")

_AIDER: Final = re.compile(r"(?m)^# aider chat started at ")
_AIDER_PROMPT: Final = "####"
_AIDER_REMARK: Final = (">", "# aider chat started at ")


def said_in_print(text: str) -> list[Said] | None:
    """Return what a printed session's two speakers said; None: it is no such print."""
    said = [*(_of_aider(text) if _AIDER.search(text) else _of_claude_code(text) if _PRINTED.search(text) else ())]
    return said if {role for role, _ in said} == {"user", "assistant"} else None


def _of_claude_code(text: str) -> Iterator[Said]:
    role: Literal["user", "assistant"] | None = None
    lines: list[str] = []
    for line in [*text.splitlines(), "❯"]:
        prompt, answer = _PROMPT.fullmatch(line), _ANSWER.fullmatch(line)
        begins = prompt or answer
        if not begins and not _BY_PROGRAM.match(line) and (line.startswith(_INDENT) or not line.strip()):
            lines.append(line.removeprefix(_INDENT))
            continue
        words = "\n".join(lines).strip()
        if role == "user" and (command := _COMMAND.fullmatch(words)):
            words = said_behind(command[1], command[2] or "")
        if role and words:
            yield role, words
        role, lines = None, []
        if begins and not (answer and _CALL.match(answer[1])):
            role, lines = "user" if prompt else "assistant", [begins[1] or ""]


def _of_aider(text: str) -> Iterator[Said]:
    role: Literal["user", "assistant"] = "assistant"
    lines: list[str] = []
    for line in [*text.splitlines(), None]:
        if line is not None and line.startswith(_AIDER_REMARK):
            continue
        its: Literal["user", "assistant"] = "user" if line and line.startswith(_AIDER_PROMPT) else "assistant"
        if line is None or its != role:
            if words := "\n".join(lines).strip():
                yield role, words
            role, lines = its, []
        lines.append((line or "").removeprefix(_AIDER_PROMPT).strip() if its == "user" else line or "")
