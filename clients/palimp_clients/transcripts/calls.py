"""Calls of tools that count only with their results: edits, questions to the user, and plans shown to them.

Both may be in different slices, so a reader notes the calls in `Slice.before` first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from palimp_clients.transcripts.edited_files import files_of_call
from palimp_clients.transcripts.json_values import Fields, field_of, is_text, list_of, object_of, text_in, text_of

PENDING_MAX: Final = 256
"""Calls without a result in memory: an agent makes some tens at once."""

QUESTIONS_MAX: Final = 16
"""Questions per call; clients ask four at most."""

ASKING: Final = frozenset(
    {
        *("AskUserQuestion", "ask_user_question"),  # Claude Code, Qwen Code
        *("ask_user", "request_user_input"),  # Gemini CLI and Copilot CLI, Codex
        "question",  # OpenCode
        *("AskUser", "clarify"),  # droid, Hermes
    }
)
"""Clients' names of tools that ask the user."""

PLANNING: Final = frozenset({"exit_plan_mode", "ExitPlanMode"})
"""Clients' names of tools that show the user a plan."""

_NOTE: Final = "user_note: "
"""Codex's prefix of a person's addition to the choice."""

_ANSWER_FIELDS: Final = ("answers", "answer", "selected", "other", "value")
"""Clients' names of the field with an answer."""

_LABELLED: Final = re.compile(r"(?ms)^\*\*(.+?)\*\*: (.*?)(?=\n\*\*.+?\*\*: |\Z)")
_LEAD: Final = re.compile(r"User (?:selected|responded|answered|chose|replied|said)(?: with)?:\s*")
_MARKED: Final = re.compile(r"(?ms)^\d+\. \[question\] (.+?)\n\[answer\] (.*?)(?=\n\d+\. \[question\] |\Z)")
_REFUSAL: Final = re.compile(
    r"(?s)(?:The user rejected this tool call\. User feedback"
    r"|The user rejected permission to use this specific tool call with the following feedback"
    r"|Plan (?:rejected|not approved)\. User feedback|User rejected the plan\. Feedback):\s*(.*?)"
    r"(?:\n(?:The plan is stored at: |Please update the plan based on this feedback).*)?"
)
"""A client's report to the model of a person's words on a refused call or plan."""

_PAIR: Final = re.compile(r'(?s)"((?:(?!"=").){1,4000}+)"="((?:(?!"=").)*?)"(?=[,.]|\s|$)')


class Question(NamedTuple):
    """A question to the user; its answer names one of these fields."""

    text: str
    key: str = ""
    header: str = ""


class Call(NamedTuple):
    """The counting part of a successful call."""

    files: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    is_plan: bool = False


class Calls:
    """Calls that wait for results, by id."""

    def __init__(self, *, has_files: bool) -> None:
        self._has_files = has_files
        self._waiting: dict[str, Call] = {}

    def note(self, call_id: str, name: str, given: msgspec.Raw) -> None:
        """Note a call of tool *name* if it counts; *given* is an object, or JSON in a text."""
        call = call_of(name, given, has_files=self._has_files)
        if call_id and call is not None:
            self._waiting.pop(call_id, None)  # a call that is written once more is the newest
            self._waiting[call_id] = call
            if len(self._waiting) > PENDING_MAX:
                del self._waiting[next(iter(self._waiting))]

    def finish_call(self, call_id: str) -> Call | None:
        """Return the call with this result; None: it does not count."""
        return self._waiting.pop(call_id, None)

    def are_named_in(self, line: bytes) -> bool:
        """Tell whether *line* may be about a waiting call."""
        return bool(self._waiting) and any(call_id.encode() in line for call_id in self._waiting)


def call_of(name: str, given: msgspec.Raw, *, has_files: bool) -> Call | None:
    """Return a call's counting part, or None."""
    if name in ASKING:
        fields = object_of(msgspec.Raw(text_of(given).encode(errors="replace")) if is_text(given) else given)
        return Call(questions=tuple(_questions(fields)))
    if name in PLANNING:
        return Call(is_plan=True)
    files = files_of_call(name, given) if has_files else ()
    return Call(files) if files else None


def answered_text(questions: Iterable[Question], answers: msgspec.Raw) -> str:
    """Return a person's answers, each below its question.

    *answers*: an object by the questions' keys, numbers or words, a list in their order, JSON in a text, `**header**:
    answer` lines, or the answer alone.
    """
    asked = list(questions)
    if is_text(answers):
        said = text_of(answers).strip()
        inner = msgspec.Raw(said.encode(errors="replace"))
        if said.startswith(("{", "[")) and (object_of(inner) or list_of(inner)):
            return answered_text(asked, inner)
        return exchanges_text(_pairs_of_text(asked, said))
    fields = object_of(answers)
    if "answers" in fields:
        return answered_text(asked, field_of(fields, "answers"))
    if fields:
        return exchanges_text(_pairs_of_object(asked, fields))
    pairs = zip([each.text for each in asked], map(answer_in, list_of(answers)), strict=False)
    return exchanges_text(pairs)


def words_in_result(call: Call, output: msgspec.Raw) -> str:
    """Return a person's words in a finished call's *output*: answers, or what a plan lacks."""
    if call.is_plan:
        return words_of_refusal(text_of(output))
    return answered_text(call.questions, output) if call.questions else ""


def words_of_refusal(text: str) -> str:
    """Return a person's words in a client's *text* on a refused call.

    A tool can print the same: ask only about the client's own texts.
    """
    found = _REFUSAL.fullmatch(text.strip())
    return found[1].strip() if found else ""


def exchanges_text(pairs: Iterable[tuple[str, str]]) -> str:
    """Return answered questions with answers as text."""
    return "\n\n".join(f"{asked}\n{said}".strip() for asked, said in pairs if said.strip())


def pairs_in(text: str) -> list[tuple[str, str]]:
    """Return a text's pairs, written `"question"="answer"`."""
    return [(found[1], found[2]) for found in _PAIR.finditer(text)]


def _pairs_of_object(asked: list[Question], fields: Mapping[str, msgspec.Raw]) -> Iterator[tuple[str, str]]:
    by_name = {name: each.text for each in asked for name in (each.header, each.key, each.text) if name}
    for name, raw in fields.items():
        number = int(name) if name.isascii() and name.isdigit() else -1
        numbered = asked[number].text if 0 <= number < len(asked) else ""
        only = asked[0].text if len(asked) == 1 else name
        yield by_name.get(name) or numbered or only, answer_in(raw)


def _pairs_of_text(asked: list[Question], said: str) -> Iterator[tuple[str, str]]:
    labelled = {found[1]: found[2].strip() for found in _LABELLED.finditer(said)}
    if labelled:
        by_header = {each.header: each.text for each in asked}
        yield from ((by_header.get(label) or label, answer) for label, answer in labelled.items())
    elif marked := _MARKED.findall(said):
        yield from ((question, answer.strip()) for question, answer in marked)
    elif pairs := pairs_in(said):
        yield from pairs
    else:
        lead = _LEAD.match(said)
        answer = said[lead.end() :] if lead else said
        if lead or not said.startswith("User "):  # else it was declined, in the client's words
            yield "\n".join(each.text for each in asked), answer


def answer_in(raw: msgspec.Raw) -> str:
    """Return an answer: a text, or a list of them, perhaps in an object."""
    if is_text(raw):
        return text_of(raw)
    if fields := object_of(raw):
        given = [answer_in(fields[name]) for name in _ANSWER_FIELDS if name in fields]
        return ", ".join(filter(None, given))
    return ", ".join(text_of(each).removeprefix(_NOTE) for each in list_of(raw) if text_of(each).strip())


def _questions(given: Fields) -> Iterator[Question]:
    listed = list_of(field_of(given, "questions"))
    for fields in map(object_of, islice(listed, QUESTIONS_MAX)):
        yield Question(text_in(fields, "question"), text_in(fields, "id"), text_in(fields, "header"))
    if not listed:
        yield Question(text_in(given, "question") or text_in(given, "message"))
