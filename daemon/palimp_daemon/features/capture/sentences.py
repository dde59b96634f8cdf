"""Split a message into sentences, without quotations: code, logs, others' words."""

import re
from typing import Final, NamedTuple

MESSAGE_CHARACTERS_MAX: Final = 4_000
"""Characters read of a message's beginning and end: users write before or after a pasted log."""

SENTENCE_CHARACTERS_MAX: Final = 600

_EXCLAMATION: Final = re.compile(
    r"[\w'’]+[!?]+|(?:no|oh|ok|okay|hey|wait|stop|hold|please|yes|thanks?|great|perfect)\b[^:._`(]*[!?]+", re.IGNORECASE
)
"""Exclamation before a small initial: "no! use tabs"."""

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"(?m)^[ \t]*(?:>|\||\d+\t).*$")
_LOG_LINE: Final = re.compile(
    r"(?m)^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b|Traceback |File \""
    r"|(?:\w+\.)*\w+(?:Error|Exception|Warning): |at \S+ ?\(|\$ "
    r"|[✓✔✗✘×●] |(?:PASS|FAIL|PASSED|FAILED|SKIPPED|XFAIL)\b|(?:not )?ok \d|=== RUN|--- (?:PASS|FAIL|SKIP)\b"
    r"|=+ .* =+$|E {2,}|\d+ (?:passed|failed|skipped)\b|npm (?:ERR!|WARN)|(?:error|warning)(?:\[\w+\])?: "
    r"|[VDIWEF]/[\w.]+ *\( *\d+\)|(?:Error|panic|Fatal error|Uncaught \w+|Exception|curl): ?[\w(\"'\[]"
    r"|Error Domain=|Error from \w+"
    r"|(?:PHP )?(?:Warning|Notice|Deprecated|Error|Hinweis|Fehler): .*(?: on line \d|[\w.]+/[\w.]+)"
    r"|\[\d{1,2}:\d\d[^\]\n]*\] |\d{1,2}:\d\d(?::\d\d)? \S+: "
    r"|[+-]{3} |@@ |diff --git |\S+\.\w{1,5}:\d+(?::\d+)?:?\s).*$"
)
"""A line printed by a program: log, stack trace, test or compiler output, chat."""

_DIFF: Final = re.compile(
    r"(?m)^(?:diff --git |--- \S|@@ -).*(?:\n(?:[-+ @].*|(?:index|new file|deleted file|diff) .*))*"
)

_MAIL: Final = re.compile(
    r"(?m)^(?:From|Von|De|Da):.*\n(?:\S.*\n){0,6}?(?:Subject|Betreff|Objet|Asunto|Assunto|Oggetto):(?:.|\n)*"
)

_GREETING: Final = re.compile(
    r"(?mi)^[ \t]*(?:hi|hello|dear|hey|hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen)|bonjour|cher|chère|hola"
    r"|buenos días|olá|estimad[oa]s?|prezad[oa]s?)\b[^\n,.:;?]{0,40},[ \t]*$"
)
_CLOSING: Final = re.compile(
    r"(?mi)^[ \t]*(?:best|kind|warm|many thanks|thanks,|cheers|sincerely|regards|viele grüße|liebe grüße|beste grüße"
    r"|mit freundlichen|lg,|cordialement|bien à vous|saludos|un saludo|atenciosamente|abraços)\b.{0,60}$"
)
"""The first and last lines of a mail; what stands between them was pasted."""

_LABEL_LINE: Final = re.compile(
    r"(?mi)^[ \t]*(?:#{1,6}[ \t]+\S|\*\*[^*\n]{2,60}\*\*:?[ \t]*(?:$|\S)|[-*][ \t]+\*\*"
    r"|as an? [^,\n]{2,60}?,? i want\b|(?:acceptance criteria|steps to reproduce|definition of done|user story"
    r"|reporter|assignee|priority|description|acceptance|environment|severity|labels|status|summary"
    r"|(?:expected|actual)(?: (?:behaviou?r|results?|outcome))?|given|when|then|scenario)[ \t]*:).*$"
)
"""A heading or label as in documents, reviews and tickets."""

_PARAGRAPH: Final = re.compile(r"\s*(?:\S.*(?:\n(?=\s*\S)|$))*", re.MULTILINE)

LABEL_LINES_MIN: Final = 2
"""Such lines from which all between their first and last paragraphs counts as pasted."""
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»")
_QUOTED_WORDS_MIN: Final = 3
"""Fewer quoted words are a name within the sentence."""
_END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z\"'`(0-9a-z])|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_ABBREVIATED: Final = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|St|Mr|Ms|Dr)\.|(?<![-/\w])[A-Z]\.)$")


class Sentence(NamedTuple):
    """A sentence and its place in the message."""

    text: str
    """With its quotations blanked out."""
    start: int
    end: int


def sentences_of(message: str) -> list[Sentence]:
    """Return the sentences of *message*; of a long one, those around a paste."""
    plain = _without_letter(_without_document(_around_paste(message)))
    for quoted in (_FENCE, _MAIL, _DIFF, _QUOTED_LINE, _LOG_LINE):
        plain = quoted.sub(_blank, plain)
    plain = _QUOTED.sub(_blank_if_said, plain)
    found: list[Sentence] = []
    start = 0
    for end in (*_ends(plain), len(plain)):
        text = " ".join(plain[start:end].split())
        if text and len(text) <= SENTENCE_CHARACTERS_MAX:
            first = start + len(plain[start:end]) - len(plain[start:end].lstrip())
            found.append(Sentence(text, first, start + len(plain[start:end].rstrip())))
        start = end
    return found


def _around_paste(message: str) -> str:
    if len(message) <= MESSAGE_CHARACTERS_MAX:
        return message
    half = MESSAGE_CHARACTERS_MAX // 2
    start = message.rfind("\n", 0, half)
    end = message.find("\n", len(message) - half)
    start, end = max(start, 0), len(message) if end < 0 else end
    return message[:start] + "\n" * (end - start) + message[end:]


def _without_document(message: str) -> str:
    labels = [*_LABEL_LINE.finditer(message)]
    if len(labels) < LABEL_LINES_MIN:
        return message
    start = labels[0].start()
    below = _PARAGRAPH.match(message, labels[-1].end())
    end = below.end() if below else len(message)
    return message[:start] + re.sub(r"[^\n]", " ", message[start:end]) + message[end:]


def _without_letter(message: str) -> str:
    greeting = _GREETING.search(message)
    closing = _CLOSING.search(message, greeting.end()) if greeting else None
    if not greeting or not closing:
        return message
    told = re.sub(r"[^\n]", " ", message[greeting.start() : closing.end()])
    return message[: greeting.start()] + told + message[closing.end() :]


def _ends(plain: str) -> list[int]:
    ends: list[int] = []
    for match in _END.finditer(plain):
        before = plain[ends[-1] if ends else 0 : match.start()]
        if not (_ABBREVIATED.search(before[-8:]) or _is_name_with_mark(before, plain[match.end() : match.end() + 1])):
            ends.append(match.end())
    return ends


def _is_name_with_mark(before: str, following: str) -> bool:
    if not (before.endswith(("!", "?")) and following.islower()):
        return False
    return not _EXCLAMATION.fullmatch(before.strip())


def _blank_if_said(match: re.Match[str]) -> str:
    return _blank(match) if len(match[0].split()) >= _QUOTED_WORDS_MIN else match[0]


def _blank(match: re.Match[str]) -> str:
    """Blank out a match, keeping line breaks between sentences."""
    return re.sub(r"[^\n]", " ", match[0])
