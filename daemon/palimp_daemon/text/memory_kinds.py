"""Kinds of memories that are treated alike."""

from typing import Final

DECISION_KINDS: Final = ("decision", "architecture")
"""Kinds for decisions and for the way things are built."""

RULE_KINDS: Final = ("preference", "correction")
"""Kinds for the user's wishes on ways of working."""

SETTLING_KINDS: Final = (*DECISION_KINDS, "correction")
"""Kinds that settle something: memories of one may replace older ones of another."""

KINDS_CALLED_DECISION: Final = (*SETTLING_KINDS, "preference")
"""Kinds under which a "decision" may have been saved; a question for decisions means all."""
