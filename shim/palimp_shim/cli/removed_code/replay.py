"""`palimp changes replay`: count warnings that a repository's history would have raised."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from palimp_protocol.env.git_command import is_repository
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.text import count_of
from palimp_shim.cli.command import EXIT_FAILED, Invocation
from palimp_shim.cli.output import print_line
from palimp_shim.cli.progress import progress_bar


def replay(typed: Invocation) -> int:
    """Run the replay in its own process; print its counts."""
    options = typed.options
    if not Path(options.repository).is_dir():
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{options.repository} is not a folder.")
    # The matcher is the daemon's; a process of its own keeps it out of this one, and off the daemon's time.
    folder = Path(options.repository).resolve()
    tree = next((above for above in (folder, *folder.parents) if is_repository(str(above))), folder)
    command = [sys.executable, "-E", "-P", "-m", "palimp_daemon.features.removed_code.history_replay", str(tree)]
    result = _watch([*command, "--last", str(options.last)])
    if result is None:
        raise PalimpError(ErrorCode.INTERNAL, "The replay ended before its result.", "Its own words are above.")
    if not result["total"] and result["problem"]:
        raise PalimpError(ErrorCode.BAD_REQUEST, result["problem"])
    if not result["total"]:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{options.repository} has no commits that git can read.")
    exit_code = EXIT_FAILED if result["problem"] else 0
    if options.is_json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
        return exit_code
    added, warned, noted = result["added_hunks"], result["warned"], result["noted"]
    share = 100 / max(1, added)
    print_line(f"{count_of(result['commits'], 'commit')}, {count_of(added, 'added hunk')} checked")
    print_line(f"warnings  {warned:,}  ({warned * share:.2f} per 100 added hunks)")
    print_line(f"notes     {noted:,}  ({noted * share:.2f} per 100 added hunks)")
    for alert in result["alerts"] if options.is_listed else ():
        print_line(
            f"{alert['commit']} {alert['path']}: {alert['identical']} lines of {alert['removed_from']},"
            f" removed in {alert['removed_in']}: {alert['first']}"
        )
    if exit_code:
        print_line(f"PROBLEM  {result['problem']}")
    return exit_code


def _watch(command: list[str]) -> dict[str, Any] | None:
    result: dict[str, Any] | None = None
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process,
        progress_bar(is_shown=sys.stderr.isatty()) as progress,
    ):
        task = progress.add_task("replaying", total=None)
        for line in process.stdout or ():
            told: dict[str, Any] = json.loads(line)
            progress.update(task, total=told["total"] or None, completed=told["commits"])
            if "warned" in told:
                result = told
    return result
