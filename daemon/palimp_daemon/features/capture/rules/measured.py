"""Findings: the agent reports quantities that the user asked for."""

import re
from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.capture.rules.cues import AnyOf

QUANTITIES_MIN: Final = 2
"""Quantities with units in a comparing answer; one alone is mostly a run's duration."""

_ASKS_TO_MEASURE: Final = AnyOf(
    r"\b(?:measure|benchmark|profile|compare|find out|look why|go through"
    r"|how (?:much|many|long|often|fast|slow|big|large)|where (?:do|does|did) .+ go|worth it|pays?(?: off)?\?)",
    r"\b(?:miss|messen|vergleich\w*|finde heraus|wie (?:viel\w*|lange|oft|schnell|groß)|lohnt)\b",
    r"\b(?:mesure\w*|compar\w+|combien|mide|medir|averigua|cu[áa]nt[oa]s?|mede|meça|quant[oa]s?|descobre)\b",
)
_QUANTITY: Final = re.compile(
    r"(?<![\w.,])\d[\d.,]*\s?(?:%|[nµm]?s|sec(?:onds?)?|min(?:utes?)?|Minuten|Sekunden|segundos|minutos|h|hours?|days?"
    r"|[KMGT]i?B|bytes|[mk]?W|m?A|m?V|[kMG]?Hz|times|per \w+)(?!\w)"
)
_DOUBTS: Final = AnyOf(
    r"\b(?:i['’]ll|i will|let me|i can|i could|might|maybe|perhaps|probably|not sure|should take|estimated?|ich werde"
    r"|vielleicht|peut-être|je vais|voy a|quizás|talvez|vou)\b",
)


def finding_span(sentences: Sequence[str], asked: str) -> tuple[int, int] | None:
    """Return the span of *sentences* with a quantity *asked* for, or None."""
    if not _ASKS_TO_MEASURE.search(asked) or sentences[-1].rstrip().endswith("?"):
        return None
    telling = [number for number, each in enumerate(sentences) if _QUANTITY.search(each) and not _DOUBTS.search(each)]
    quantities = {found[0] for number in telling for found in _QUANTITY.finditer(sentences[number])}
    return (telling[0], telling[-1]) if len(quantities) >= QUANTITIES_MIN else None
