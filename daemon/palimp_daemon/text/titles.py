"""Make a title from a text's first sentence, and find the text beyond it."""

import re
from typing import Final

SENTENCE_CHARACTERS_MAX: Final = 100
"""Characters of a first sentence kept whole as the title."""

CUT_CHARACTERS: Final = 80
"""Characters kept of a longer one, before the ellipsis."""

LOOKED_AT: Final = 400
"""Characters read of a line."""

TITLE_WITHIN: Final = 16
"""Characters before a title: marks of a heading, list or quotation."""

WRAPPED_CHARACTERS_MIN: Final = 60
"""A shorter line was not wrapped but ended on purpose."""

_SIGNS: Final = ".,;:!?…–—。，；：！？、"
_AFTER_TITLE: Final = f" \t\r\n{_SIGNS}"
"""Characters dropped between a title and the rest."""

_ASKING: Final = ("?", "？")
"""Final signs kept: without them a question reads as a statement."""

_CLOSING: Final = "*`\"')]}»”’」』）"
"""Characters behind a sentence's final sign; the asterisk marks a match."""

_IN_WORD: Final = re.compile(r"[^\W_]")
_GAP: Final = re.compile(r"[ \t\r]*\n\s*")
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
_MARKDOWN: Final = re.compile(r"^\s*(#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)+")
# The character comes first: the look-behinds are tried at few places then. Before a small letter, `!` and `?` belong to
# a name: "use anyhow::bail! instead".
_SENTENCE_END: Final = re.compile(
    r"(?:[.。！？](?=\s|$)|[!?](?=\s+[^\sa-z]|\s*$))(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)"
)
# What repeats gives nothing back (`*+`, `++`): a line of blanks is read once, and not once for each way to part it.
NO_TITLE: Final = re.compile(
    r"""^\s*+(
        [^\w\s]*+                                  # nothing but punctuation: a brace, a rule
      | (```|~~~)\s*+\w*+                          # a fence
      | (from\s++\S++\s++)?import\s.*              # Python, Java, JavaScript
      | (use|using|require|package|include|module)\s[\w.:*{},\s]++;?
      | \#\s*+(include|define|pragma|!).*          # C, and a shebang line
      | (const|let|var)\s[^=]*+(=(?!\s*+require\()[^=]*+)*+=.*
      | (@\w[\w.]*+(\(.*\))?)                      # a decorator
      | (//|/\*|\*|--|<!--).*                      # a comment
    )\s*+$""",
    re.VERBOSE,
)
"""A line of punctuation or code alone, or a comment."""


def title_from_text(text: str) -> str:
    """Return a title for *text*, at most 100 characters."""
    lines = [line for line in text.splitlines() if line.strip()]
    telling = (line for line in (*_outside_fences(lines), *lines) if not NO_TITLE.match(line[:LOOKED_AT]))
    line = next(telling, lines[0])[:LOOKED_AT]
    sentence = _first_sentence(" ".join(_MARKDOWN.sub("", line).split()))
    return shorten_title(sentence)


def shorten_title(sentence: str) -> str:
    """Cut *sentence* if too long for a title."""
    return sentence if len(sentence) <= SENTENCE_CHARACTERS_MAX else _cut(sentence)


def beyond_title(title: str, text: str) -> str | None:
    """Return the rest of *text* behind *title*; None if it does not begin with that.

    Behind a cut title it begins with the sign that stood there.
    """
    end = _title_end(title, text)
    if not end:
        return None
    rest = text[end:] if title.endswith("…") else text[end:].lstrip(_AFTER_TITLE)
    return rest if _IN_WORD.search(rest) else ""


def title_and_text(title: str, text: str) -> str:
    """Return *text* for one line, behind *title* unless it begins with that."""
    end = _title_end(title, text)
    if not end:
        return f"{title}: {text}" if text else title
    gap = _GAP.match(text, end)
    return f"{text[:end]} —{text[end:]}" if gap and _is_meant(text, gap) else text


def uncut(title: str, beyond: str) -> str:
    """Join a cut *title* and the text *beyond* it."""
    return title.removesuffix("…") + beyond


def join_title(first: str, second: str) -> str:
    """Join two texts on one line, with a dash unless *first* ends with a sign."""
    if not first:
        return second
    return f"{first} {second}" if first.rstrip(_CLOSING).endswith(tuple(_SIGNS)) else f"{first} — {second}"


def _title_end(title: str, text: str) -> int:
    said = title.rstrip("…")
    at = text.find(said, 0, len(said) + TITLE_WITHIN)
    end = at + len(said)
    ends_within_a_word = said == title and _IN_WORD.match(text, end)  # one that was cut may, where there are no spaces
    if not said or at < 0 or _IN_WORD.search(_MARKDOWN.sub("", text[:at])) or ends_within_a_word:
        return 0
    return end


def _is_meant(text: str, gap: re.Match[str]) -> bool:
    rest = text[gap.end() : gap.end() + TITLE_WITHIN]
    if not _IN_WORD.search(rest) or _MARKDOWN.match(rest):
        return False
    return gap[0].count("\n") > 1 or (rest[0].isupper() and gap.start() < WRAPPED_CHARACTERS_MIN)


def with_title(title: str, text: str) -> str:
    """Return *text* behind *title*, unless it contains that."""
    return text if title.rstrip("…") in text else f"{title}\n{text}"


def _outside_fences(lines: list[str]) -> list[str]:
    if len(lines) == 1:
        return lines
    outside: list[str] = []
    is_inside = False
    for line in lines:
        if _FENCE.match(line):
            is_inside = not is_inside
        elif not is_inside:
            outside.append(line)
    return outside


def _first_sentence(line: str) -> str:
    end = _SENTENCE_END.search(line, 0, SENTENCE_CHARACTERS_MAX + 2)
    is_question = end is not None and end[0] in _ASKING
    sentence = line[: end.end() if is_question else end.start()] if end else line
    return sentence.rstrip(" :{;,") or line


def _cut(sentence: str) -> str:
    head = sentence[: CUT_CHARACTERS + 1]
    if " " in head:
        head = head.rsplit(" ", 1)[0]
    return head[:CUT_CHARACTERS].rstrip(" ,;:") + "…"
