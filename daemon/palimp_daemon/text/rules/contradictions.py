"""Find contradicting rules ("never npm", "npm for docs/")."""

from collections.abc import Sequence

from palimp_daemon.text.rules.verdicts import is_command
from palimp_daemon.text.shell_commands import given_commands_in
from palimp_protocol.messages.rule_messages import Check


def contradicts(one: Sequence[Check], other: Sequence[Check]) -> bool:
    """Tell whether *one* forbids a command that *other* asks for."""
    wanted = [given for check in other if check.sort == "command" for given in given_commands_in(check.instead)]
    forbidden = [check for check in one if check.sort == "command" and not check.within and not check.branches]
    return any(is_command(pattern, given) for check in forbidden for pattern in check.commands for given in wanted)


def is_narrower(one: Sequence[Check], other: Sequence[Check], *, is_own: bool, is_other_own: bool) -> bool:
    """Tell whether *one* takes precedence: it is of some folders, or of one project only."""
    scoped, other_scoped = _is_scoped(one), _is_scoped(other)
    return (scoped and not other_scoped) or (scoped == other_scoped and is_own and not is_other_own)


def _is_scoped(checks: Sequence[Check]) -> bool:
    return any(check.sort == "command" and check.paths for check in checks)
