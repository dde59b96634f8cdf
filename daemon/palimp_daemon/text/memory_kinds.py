"""Kinds of memories that are treated alike."""

from typing import Final

DECISION_KINDS: Final = ("decision", "architecture")
"""Kinds for decisions and for the way things are built."""

RULE_KINDS: Final = ("preference", "correction")
"""Kinds for the user's wishes on ways of working."""

SETTLING_KINDS: Final = (*DECISION_KINDS, "correction")
"""Kinds that settle something: a newer one may replace an older."""

KINDS_CALLED_DECISION: Final = (*SETTLING_KINDS, "preference")
"""Kinds that a question for decisions means, since one may be saved as any of them."""
