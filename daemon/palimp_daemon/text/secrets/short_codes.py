"""Find PINs and codes of doors, phones and cards, by the words before.

Not pins of boards and packages: `pin: 17`, *pin react to 18.2.0*.
"""

import re
from collections.abc import Iterator
from typing import Final

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.secret_span import Span
from palimp_daemon.text.secrets.values import is_strong

_NAME: Final = linear(
    r"(?i)\b(?:pins?(?:[ -]?(?:code|number|no|nr|nummer))?|passcode|"
    r"(?:door|gate|alarm|entry|access|unlock|lock|safe|locker|keypad|garage|sim|puk|security)[ -]?codes?|puk|"
    r"geheimzahl|türcode|código (?:pin|de acceso)|code (?:pin|secret|d'accès)|codice pin)\b|"
    r"пин(?:-?код)?|暗証番号|暗証|핀 ?번호|密码锁|ピンコード|PIN码"
)
_WORDS: Final = """
zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|cero|uno|dos|
tres|cuatro|cinco|seis|siete|ocho|nueve|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf
""".replace("\n", "")
_SAID: Final = re.compile(
    r"(?i)(?:[ \t]*+\([^()\n]{1,30}\)|[ \t]+(?:for|of|to|on|at|für|von|de|du|del|der|zu)[ \t]+[^\n:=.,;?!]{1,40}?)?"
    r"[\"'`*)]{0,3}[ \t]{0,4}(?P<sign>[:：=]|は|是|为|은|는|[ \t](?:is|was|are|ist|lautet|war|es|est|è|é)\b)?"
    r"[ \t]{0,4}[\"'`*]{0,3}"
    rf"(?P<value>\d{{4,12}}|\d(?:[ -]\d){{3,11}}|(?:{_WORDS})(?:[ ,-]{{1,2}}(?:{_WORDS})){{3,11}})"
    r"(?![A-Za-z0-9_])(?![.:/-]\w)"
)
_WORD: Final = re.compile(r"[:=]?[ \t]{1,4}(?P<value>[^\s\"'`@/,;()]{8,64})(?<![.:!?])")
_VERBS: Final = ("pin", "Pin", "pins")

AHEAD: Final = 128
"""Characters behind the name that hold the number."""

LEADS: Final = (_NAME.pattern,)
"""RE2 pre-filters of this module: see `detect`."""


def pins(text: str) -> Iterator[Span]:
    """Yield the digits or words that *text* calls a PIN or a code."""
    for found in _NAME.finditer(text):
        limit = min(len(text), found.end() + AHEAD)
        if said := _SAID.match(text, found.end(), limit):
            # A verb takes an object without a sign: *pin 2024 releases*.
            if said["sign"] or found.group() not in _VERBS:
                yield Span(*said.span("value"), "pin")
        elif found.group() == "PIN" and (word := _WORD.match(text, found.end(), limit)) and is_strong(word["value"]):
            yield Span(*word.span("value"), "pin")
