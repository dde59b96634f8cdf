"""Kinds of memories that are treated alike."""

from typing import Final

DECISION_KINDS: Final = ("decision", "architecture")
"""Kinds that say what was settled, and how things are built."""

RULE_KINDS: Final = ("preference", "correction")
"""Kinds that say how the user wants things done."""

SETTLING_KINDS: Final = (*DECISION_KINDS, "correction")
"""Kinds that settle something, so that a newer memory of one may replace an older memory of another."""

KINDS_CALLED_DECISION: Final = (*SETTLING_KINDS, "preference")
"""Kinds that a question for decisions means: whoever saved them chose one of these."""
