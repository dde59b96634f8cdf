"""`palimp team share --ask`: choose memories that stay on this machine."""

import re
import sys
from collections.abc import Sequence
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memory_messages import Similar
from palimp_protocol.messages.team_messages import TeamStatus
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_shim.cli.output import print_line, print_remark

NOTHING_SHARED: Final = "Nothing was shared."

_RANGE: Final = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def ask_what_stays(shown: TeamStatus) -> list[str]:
    """List memories to be shared; return ids of those to be held back.

    Raises:
        PalimpError: it is no terminal, or the person wants nothing shared.
    """
    if not sys.stdin.isatty():
        hint = "--dry-run says what would go; `palimp edit ID --tag private` keeps one here, `palimp delete` purges."
        raise PalimpError(ErrorCode.BAD_REQUEST, "--ask asks at a terminal.", hint)
    print_line(f"In {shown_name(shown.place)} {count_of(shown.would_share, 'memory')} would be shared:")
    width = len(str(len(shown.examples)))
    for number, each in enumerate(shown.examples, 1):
        print_line(f"{number:>{width}}  {each.id} {one_line(each.title)}")
    if (more := shown.would_share - len(shown.examples)) > 0:
        print_line(f"and {more:,} more: former versions of these, which go or stay with them, or older ones")
    while True:
        sys.stderr.write("Which stay here? Numbers, as 2 5-7; Enter for none; q shares nothing: ")
        sys.stderr.flush()
        typed = sys.stdin.readline()
        if not typed or typed.strip().lower() in ("q", "quit", "no"):
            raise PalimpError(ErrorCode.BAD_REQUEST, NOTHING_SHARED)
        chosen = numbers_in(typed, len(shown.examples))
        if chosen is not None:
            return _say_which(shown.examples, chosen)
        print_remark(f"Numbers from 1 to {len(shown.examples)}, with spaces or commas between them.")


def numbers_in(typed: str, last: int) -> list[int] | None:
    """Return numbers in *typed*, from 1 to *last*; None: anything else."""
    found: set[int] = set()
    for word in typed.replace(",", " ").split():
        match = _RANGE.fullmatch(word)
        first, end = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= end <= last:
            return None
        found.update(range(first, end + 1))
    return sorted(found)


def _say_which(shown: Sequence[Similar], chosen: Sequence[int]) -> list[str]:
    for number in chosen:
        each = shown[number - 1]
        print_line(f"  stays here: {each.id} {one_line(each.title)}")
    return [shown[number - 1].id for number in chosen]
