"""Make foreign text safe to show: nothing invisible, no terminal controls, names on one line.

Single invisible characters stay as part of writing: ZWJ and ZWNJ in scripts that join letters (RFC 5892, appendix A) or
between pictograms (UTS 51), variation selectors, three flags' tags, visible number signs.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from palimp_protocol.limits import LINE_CHARACTERS_MAX, NAME_CHARACTERS_MAX, TITLE_CHARACTERS_MAX

_ESCAPES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links, clipboard
    r"|\x1b[PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # DCS, SOS, PM, APC
)

_SUSPECT: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(chr((plane << 16) + 0xFFFE) + chr((plane << 16) + 0xFFFF) for plane in range(1, 15))
    + "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]+"
    "|[\ud800-\udfff]+"  # a run of its own: U+FFFD takes its place, so its neighbours are not beside each other
)
"""Runs of characters shown only if `_is_kept` says so."""

_LINE_ENDS: Final = re.compile("\r\n|[\x0b\x0c\x85\u2028\u2029]")

_JOINING: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u18af\u1900-\u1aff\u1b00-\u1c4f\u1cd0-\u1cff\ua840-\ua87f"
    "\ua880-\ua8ff\ua930-\ua9ff\uaa00-\uaadf\uaae0-\uaaff\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010a5f\U00010ac0-\U00010aff\U00010b80-\U00010baf\U00010d00-\U00010d3f\U00010f30-\U00010fff"
    "\U00011000-\U00011fff\U00016100-\U0001613f\U0001e900-\U0001e95f\U0001ee00-\U0001eeff]"
)
"""Blocks of scripts with joined letters or consonant clusters."""

_PICTOGRAM: Final = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
"""Ranges of UTS 51's pictographic characters."""

_IDEOGRAPH: Final = re.compile("[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]")
_MONGOLIAN: Final = re.compile("[\u1820-\u18aa]")
_NUMBER_SIGNS: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)

_FLAGS: Final = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)
_BLACK_FLAG: Final = "\U0001f3f4"
_ZWNJ, _ZWJ, _TEXT_STYLE, _PICTURE_STYLE, _KEYCAP = "\u200c", "\u200d", "\ufe0e", "\ufe0f", "\u20e3"
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def without_control(text: str) -> str:
    """Return *text* without terminal escapes, control and invisible characters; line feeds and tabs stay."""
    # Nearly every text is plain, which is seen much sooner than that none of this stands in it; what we cut has an "…",
    # and the last line of an answer a "·" between its parts.
    plain = text.replace("…", "").replace("·", "")
    if plain.isascii() and plain.replace("\n", "").isprintable():
        return text
    return _rewritten(_LINE_ENDS.sub("\n", _ESCAPES.sub("", text)), _drop)


def one_line(text: str, characters: int = LINE_CHARACTERS_MAX) -> str:
    """Return *text* on one line, without controls, cut to *characters* with an ellipsis."""
    read = text[: 4 * characters]  # enough, unless most of it is invisible
    line = " ".join(without_control(read).split())
    if len(line) <= characters and len(read) == len(text):
        return line
    return without_control(line[: characters - 1]).rstrip() + "…"


def shown_name(text: str, characters: int = NAME_CHARACTERS_MAX) -> str:
    """Return a name on one line, invisible characters written out, a long one without its middle."""
    return without_control(_without_middle(_written_out(_without_middle(text, 2 * characters)), characters))


def quote_text(value: object, characters: int = NAME_CHARACTERS_MAX, mark: str = "") -> str:
    """Return *value* as by `shown_name`, in quotes (*mark*) that it cannot close; numbers without."""
    if isinstance(value, bool | int | float):
        return shown_name(repr(value), characters)
    text = _without_middle(value if isinstance(value, str) else str(value), 2 * characters)
    mark = mark or ('"' if "'" in text and '"' not in text else "'")
    text = text.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    return f"{mark}{without_control(_without_middle(_written_out(text), characters))}{mark}"


def quote_title(title: str) -> str:
    """Return a title on one line, in double quotes that it cannot close."""
    return quote_text(title, TITLE_CHARACTERS_MAX, '"')


def json_escaped(document: str) -> str:
    r"""Return the JSON *document* with characters that `without_control` removes as `\uXXXX`."""
    return document if document.isascii() and "\x7f" not in document else _rewritten(document, _in_json)


def _without_middle(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    end = (characters - 1) // 3
    return f"{text[: characters - 1 - end]}…{text[-end:]}"


def _written_out(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _rewritten(text, _escape_character).replace("\n", "\\n").replace("\t", "\\t")


def _rewritten(text: str, written: Callable[[str], str]) -> str:
    return _SUSPECT.sub(lambda run: _replace_runs(text, run, written), text)


def _replace_runs(text: str, run: re.Match[str], written: Callable[[str], str]) -> str:
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    shown: list[str] = []
    rest = run[0]
    if before == _BLACK_FLAG and (flag := next((each for each in _FLAGS if rest.startswith(each)), "")):
        shown.append(flag)
        before, rest = flag[-1], rest[len(flag) :]
    elif before == " " and rest[0] in _NUMBER_SIGNS:
        before = text[run.start() - 2 : run.start() - 1]
    for character in rest:
        if _is_kept(before, character, after):
            shown.append(character)
            before = character
        else:
            shown.append(written(character))
    return "".join(shown)


def _is_kept(before: str, character: str, after: str) -> bool:
    if character == _ZWJ and (_PICTOGRAM.match(before) or before == _PICTURE_STYLE):
        return bool(_PICTOGRAM.match(after))
    if character in (_ZWNJ, _ZWJ):
        return _is_letter(before) and (_is_joining(before) or _is_joining(after))
    if character in _NUMBER_SIGNS:
        is_beside = after.isdecimal() or _is_joining(after) or _is_joining(before)
        return is_beside and before not in _NUMBER_SIGNS
    if "\u180b" <= character <= "\u180f":
        return bool(_MONGOLIAN.match(before)) and (character != "\u180e" or bool(_MONGOLIAN.match(after)))
    return _selects_variant(before, character, after)


def _selects_variant(before: str, character: str, after: str) -> bool:
    if character in (_TEXT_STYLE, _PICTURE_STYLE):
        is_keycap = before in set("0123456789#*") and after == _KEYCAP
        return is_keycap or bool(_PICTOGRAM.match(before) or _IDEOGRAPH.match(before))
    if "\ufe00" <= character <= "\ufe02":
        is_symbol = bool(before) and unicodedata.category(before) in ("Sm", "So")
        return is_symbol or bool(_IDEOGRAPH.match(before))
    return "\U000e0100" <= character <= "\U000e01ef" and bool(_IDEOGRAPH.match(before))


def _is_letter(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "LM" and not _SUSPECT.match(character)


def _is_joining(character: str) -> bool:
    return _is_letter(character) and bool(_JOINING.match(character))


def _drop(character: str) -> str:
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def _escape_character(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is no UTF-8 (surrogateescape)
        return f"\\x{code - 0xDC00:02x}"
    return _NAMED.get(character) or f"\\u{{{code:x}}}"


def _in_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    r"""Return *text* with lone surrogates written out (`\xff`, `\ud83d`), for UTF-8."""
    return text if text.isascii() else _SURROGATE.sub(_surrogate_written, text)


def _surrogate_written(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def heading_and_body(title: str, text: str) -> tuple[str, str]:
    """Return the line above *text*, and the text; a short line that begins with *title* is its own heading."""
    said = text.strip()
    if "\n" not in said and len(said) <= LINE_CHARACTERS_MAX and said.startswith(one_line(title).rstrip("…")):
        return one_line(said), ""
    return one_line(title), text


def verb(count: int, one: str = "is", many: str = "are") -> str:
    """Return the verb's form for *count*."""
    return one if count == 1 else many


def times(count: int) -> str:
    """How often."""
    return "once" if count == 1 else f"{count:,} times"


def count_of(count: int, noun: str) -> str:
    """Return *count* and the regular *noun*, in the plural if need be."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"
