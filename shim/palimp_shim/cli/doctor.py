"""`palimp doctor`: check every link between an agent and its memory, and say what to do."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.cli.tables import print_labelled
from palimp_shim.doctor import daemon, machine, registrations
from palimp_shim.doctor.findings import Finding
from palimp_shim.install.programs import programs_folder

EXIT_FAILED: Final = 4

MARKS: Final = {"well": "ok", "note": "note", "warning": "WARN", "failure": "FAIL", "mended": "mended"}
STYLES: Final = {"well": "green", "note": "dim", "warning": "bold", "failure": "bold red", "mended": "green"}


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        help=SUMMARIES["doctor"],
        description=(
            "Look at the programs, the clients' files, the folder of the data, the machine, the socket, the daemon and"
            " its database; save, find and purge a memory through all of it; and say what to do. Exits with 4 when"
            " something fails."
        ),
        epilog="Example: palimp doctor; palimp doctor --fix; palimp doctor --json | jq '.findings[] | .text'",
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="repair what can be repaired without asking; of a damaged database, whatever is readable is copied",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Examine, mend if asked to, and print what was found."""
    programs = programs_folder()
    found: list[Finding] = []
    for examine in (
        lambda: registrations.examine(env, programs),
        lambda: machine.examine(env),
        lambda: daemon.examine(env, programs),
    ):
        part = examine()
        if options.fix:
            part = [_mended(finding) for finding in part]
        found += part
        if not options.is_json:
            _print(part)
            sys.stdout.flush()
    knows = registrations.knows_palimp(found)
    failures = sum(finding.state == "failure" for finding in found)
    warnings = sum(finding.state == "warning" for finding in found)
    if options.is_json:
        fields = ("check", "state", "text", "hint")
        rows = [{name: getattr(finding, name) for name in fields} for finding in found]
        print_json({"failures": failures, "warnings": warnings, "findings": rows})
    else:
        _print_end(failures, warnings, can_mend=any(finding.mend for finding in found), knows=knows)
    return EXIT_FAILED if failures else 0


def _mended(finding: Finding) -> Finding:
    return finding.repair() if finding.mend else finding


def _print(found: Sequence[Finding]) -> None:
    for finding in found:
        label = [(f"{MARKS[finding.state]:<6}", STYLES[finding.state]), (f"  {finding.check:<15}", "")]
        print_labelled(label, one_line(finding.text, ERROR_CHARACTERS_MAX))
        if finding.hint:
            print_labelled([(f"{'':<22}", "")], f" → {one_line(finding.hint, ERROR_CHARACTERS_MAX)}")


def _print_end(failures: int, warnings: int, *, can_mend: bool, knows: bool) -> None:
    if not failures and not warnings:
        print_line("All is well." if knows else "No check failed, but no client is registered: run `palimp install`.")
        return
    counts = [(failures, "fails", "fail"), (warnings, "is a warning", "are warnings")]
    said = "; ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)
    print_line(f"{said}.{' `palimp doctor --fix` mends some.' if can_mend else ''}")
