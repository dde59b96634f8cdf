"""`palimp import`: read memories from other tools and files."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from palimp_clients.claude_code.install import config_folder
from palimp_protocol.env.project_slugs import slugs_of
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import SKIPPED_SHOWN_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon import KindCount
from palimp_protocol.messages.transfer import Format, ImportFile, ImportPage, LeftOutCount
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client

CLAUDE_CODE = "claude-code"


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "import",
        help=SUMMARIES["import"],
        description=(
            "Import memories: from an export of palimp, the reference memory server, claude-mem, mem0, OpenMemory,"
            " mcp-memory-service, engram, beads, agentmemory, basic-memory, an Obsidian vault, a file or folder of"
            " markdown notes, or, with --from claude-code, the memory files that Claude Code keeps for this project."
            " The format is detected from the content. Nothing is imported twice; a record that was changed"
            " after it had been imported replaces the memory made of it."
        ),
        epilog="Example: palimp import ~/.claude-mem/claude-mem.db --dry-run; palimp import --from claude-code",
    )
    parser.add_argument("path", nargs="?", help="the file or folder")
    formats = [each for each in (*get_args(Format), CLAUDE_CODE) if each != "auto"]
    parser.add_argument("--from", dest="form", choices=formats, help="the format, where it is not detected")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be imported")
    parser.add_argument("--here", action="store_true", help="everything into this project, whatever project it was in")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Import page after page and say what became of it."""
    caller = caller_from(options, env)
    path = _path(options, env, caller)
    form = "markdown" if options.form == CLAUDE_CODE else options.form or "auto"
    first = ImportFile(path=_sendable(path), format=form, dry_run=options.dry_run, here=options.here)
    page = _import(Client(env), first, caller)
    if options.is_json:
        print_json(page)
        return 0
    would = "would be " if options.dry_run else ""
    for reason in page.skipped:
        print_remark(f"skipped: {reason}")
    changed = f", {page.updated:,} updated" if page.updated else ""
    known = f"{page.known:,} known already ({page.format})"
    print_line(f"{counted(page.imported, 'memory')} {would}imported{changed}, {known}.")
    for line in _table(page):
        print_line(line)
    return 0


def _table(page: ImportPage) -> list[str]:
    """Return the lines that say what was taken, left and why; none when there is nothing to say beyond the sum."""
    if not page.left and len(page.kinds) < 2:
        return []
    taken = [("taken", each.count, each.kind) for each in page.kinds]
    left = [("left", each.count, each.reason) for each in page.left]
    width = max(len(f"{count:,}") for _, count, _ in [*taken, *left])
    return [f"  {what:5}  {f'{count:,}':>{width}}  {why}" for what, count, why in [*taken, *left]]


def _sendable(path: Path) -> str:
    """Return *path*; as an address, if it is no UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return path.as_uri()
    return str(path)


def _path(options: argparse.Namespace, env: Mapping[str, str], caller: Caller) -> Path:
    """Return what is to be imported.

    Raises:
        PalimpError: it is not said, or not there.
    """
    if options.path:
        path = Path(options.path).expanduser().resolve()
    elif options.form == CLAUDE_CODE and caller.project:
        projects = config_folder(env) / "projects"
        places = [projects / slug / "memory" for slug in slugs_of(caller.project.root)]
        path = next((place for place in places if place.exists()), places[0])
    else:
        raise PalimpError(ErrorCode.BAD_REQUEST, "The path is missing.", "Name a file or a folder.")
    if not path.exists():
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{shown} does not exist.")
    return path


def _import(client: Client, request: ImportFile, caller: Caller) -> ImportPage:
    """Return the sum of all pages, with a progress bar on a terminal."""
    from msgspec.structs import replace  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
    from rich.progress import Progress  # noqa: PLC0415

    imported = known = updated = 0
    skipped: list[str] = []
    kinds: Counter[str] = Counter()
    left: Counter[str] = Counter()
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("importing", total=None)
        while True:
            page: ImportPage = client.call(OPERATIONS["import_file"], request, caller)
            imported, known, updated = imported + page.imported, known + page.known, updated + page.updated
            skipped += page.skipped
            kinds.update({each.kind: each.count for each in page.kinds})
            left.update({each.reason: each.count for each in page.left})
            progress.update(task, total=page.total or None, completed=page.done)
            if page.next is None:
                break
            request = replace(request, place=page.next, format=page.format, act=page.act)
    if len(skipped) > SKIPPED_SHOWN_MAX:
        skipped = [*skipped[:SKIPPED_SHOWN_MAX], f"{len(skipped) - SKIPPED_SHOWN_MAX:,} more."]
    return replace(
        page,
        imported=imported,
        known=known,
        updated=updated,
        skipped=skipped,
        kinds=[KindCount(kind, count) for kind, count in kinds.most_common()],
        left=[LeftOutCount(reason, count) for reason, count in left.most_common()],
    )
