"""`palimp doctor`: check every link between agent and memory, with remedies."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import ERROR_CHARACTERS_MAX, FINDINGS_MAX
from palimp_protocol.messages.daemon_messages import Diagnose, DoctorFinding
from palimp_protocol.text import one_line
from palimp_shim.cli.command import EXIT_FAILED, Invocation, command, flag
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.cli.tables import print_labelled
from palimp_shim.doctor import daemon_checks, machine, registrations
from palimp_shim.doctor.findings import Finding
from palimp_shim.install.our_programs import programs_folder

TELL_S: Final = 5.0
"""Seconds to tell the daemon: a healthy one answers at once."""

MARKS: Final = {"well": "ok", "note": "note", "warning": "WARN", "failure": "FAIL", "mended": "mended"}
STYLES: Final = {"well": "green", "note": "dim", "warning": "bold", "failure": "bold red", "mended": "green"}


@command(
    "doctor",
    "Look at the programs, the clients' files, the folder of the data, the machine, the socket, the daemon and its"
    " database; save, find and purge a memory through all of it; and say what to do. Exits with 4 when something"
    " fails.",
    flag("--fix", "repair what can be repaired without asking; of a damaged database, whatever is readable is copied"),
    example="palimp doctor; palimp doctor --fix; palimp doctor --json | jq '.findings[] | .text'",
    asks=("diagnose",),
    scope=False,
    unset={"look": "it looks itself", "found": "it tells the daemon what it found"},
)
def run(typed: Invocation) -> int:
    """Examine, mend if asked, print findings."""
    env, programs = typed.env, programs_folder()
    found: list[Finding] = []
    team = daemon_checks.examine_team(env)
    for examine in (
        lambda: team,
        lambda: registrations.examine(env, programs),
        lambda: machine.examine(env),
        lambda: daemon_checks.examine(env, programs, is_team_told=bool(team)),
    ):
        part = [each.repair() if typed.options.fix and each.mend else each for each in examine()]
        found += part
        if not typed.is_json:
            _print(part)
            sys.stdout.flush()
    _tell_daemon(typed, found)
    failures = sum(finding.state == "failure" for finding in found)
    warnings = sum(finding.state == "warning" for finding in found)
    if typed.is_json:
        fields = ("check", "state", "text", "hint")
        rows = [{name: getattr(finding, name) for name in fields} for finding in found]
        print_json({"failures": failures, "warnings": warnings, "findings": rows})
    elif failures or warnings:
        counts = [(failures, "fails", "fail"), (warnings, "is a warning", "are warnings")]
        said = "; ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)
        can_mend = any(finding.mend for finding in found)
        print_line(f"{said}.{' `palimp doctor --fix` mends some.' if can_mend else ''}")
    elif registrations.knows_palimp(found):
        print_line("All is well.")
    else:
        print_line("No check failed, but no client is registered: run `palimp install`.")
    return EXIT_FAILED if failures else 0


def _tell_daemon(typed: Invocation, found: Sequence[Finding]) -> None:
    """Send findings to a present daemon, for the page; its silence is one itself."""
    if not daemon_checks.is_there(typed.env):
        return
    told = [
        DoctorFinding(
            check=each.check,
            state=each.state,
            text=one_line(each.text, ERROR_CHARACTERS_MAX),
            hint=one_line(each.hint, ERROR_CHARACTERS_MAX),
        )
        for each in found[:FINDINGS_MAX]
    ]
    with suppress(PalimpError):
        typed.ask(Diagnose(found=told), within_s=TELL_S)


def _print(found: Sequence[Finding]) -> None:
    for finding in found:
        label = [(f"{MARKS[finding.state]:<6}", STYLES[finding.state]), (f"  {finding.check:<15}", "")]
        print_labelled(label, one_line(finding.text, ERROR_CHARACTERS_MAX))
        if finding.hint:
            print_labelled([(f"{'':<22}", "")], f" → {one_line(finding.hint, ERROR_CHARACTERS_MAX)}")
