"""When nothing that was found answers the question.

Theory
------
A memory's score is on a scale of its own (`search.memory_ranking`): how much of the telling words it has, and how near
its meaning is. Of a question about something that was never saved, the best score is low; of one in other words it may
be low, too. So the bound is where as many questions without an answer are silenced as the loss of answers is worth:
`benchmarks/silence.py` prints both for each bound, docs/adr/0019 has its table. What is silenced is told
apart from what answers, not kept back.
"""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.search.memory_ranking import MemoryRank
from palimp_daemon.search.ranking import Ranked

SCORE_MIN: Final = 0.0
"""With meaning."""

WORDS_MIN: Final = 0.0
"""By words alone."""


def answers(ranked: Sequence[Ranked | MemoryRank], *, is_by_meaning: bool) -> bool:
    """Tell whether the best of what was *ranked* answers what was asked."""
    best = max((rank.score for rank in ranked), default=0.0)
    return best >= (SCORE_MIN if is_by_meaning else WORDS_MIN)
