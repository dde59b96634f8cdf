"""`palimp import`: read memories of other tools and files."""

import os
import sys
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path

from msgspec.structs import replace

from palimp_clients.claude_code.install import config_folder
from palimp_neighbours.transfer.transfer_messages import FORMATS, ImportFile, ImportPage, LeftOutCount
from palimp_protocol.env.project_slugs import slugs_of
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import SKIPPED_SHOWN_MAX
from palimp_protocol.messages.daemon_messages import KindCount
from palimp_protocol.text import count_of
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import print_json, print_line, print_notes
from palimp_shim.cli.progress import progress_bar

CLAUDE_CODE = "claude-code"


@command(
    "import",
    "Import memories: from an export of palimp, the reference memory server, claude-mem, mem0, OpenMemory,"
    " mcp-memory-service, engram, beads, agentmemory, basic-memory, an Obsidian vault, a file or folder of markdown"
    " notes, or, with --from claude-code, the memory files that Claude Code keeps for this project. The format is"
    " detected from the content. Nothing is imported twice; a record that was changed after it had been imported"
    " replaces the memory made of it.",
    argument("path", nargs="?", help="the file or folder"),
    argument(
        "--from",
        dest="form",
        sets="format",
        choices=[*FORMATS, *(each.name for each in entry_points(group="palimp.importers")), CLAUDE_CODE],
        help="the format, where it is not detected",
    ),
    flag("--dry-run", "only print what would be imported"),
    flag("--here", "everything into this project, whatever project it was in"),
    asks=("import_file",),
    example="palimp import ~/.claude-mem/claude-mem.db --dry-run; palimp import --from claude-code",
    unset={"place": "the command asks for page after page", "act": "the same"},
)
def run(typed: Invocation) -> int:
    """Import page after page, and print the result; nothing: 1."""
    form = "markdown" if typed.options.form == CLAUDE_CODE else typed.options.form or "auto"
    page = _import(typed, typed.request(path=_sendable(_path(typed)), format=form))
    exit_code = 0 if page.imported or page.updated or page.known else 1
    if typed.is_json:
        print_json(page)
        return exit_code
    would = "would be " if typed.options.dry_run else ""
    print_notes(*(f"skipped: {reason}" for reason in page.skipped))
    changed = f", {page.updated:,} updated" if page.updated else ""
    known = f"{page.known:,} known already ({page.format})"
    print_line(f"{count_of(page.imported, 'memory')} {would}imported{changed}, {known}.")
    for line in _table(page):
        print_line(line)
    return exit_code


def _table(page: ImportPage) -> list[str]:
    if not page.left and len(page.kinds) < 2:
        return []
    taken = [("taken", each.count, each.kind) for each in page.kinds]
    left = [("left", each.count, each.reason) for each in page.left]
    width = max(len(f"{count:,}") for _, count, _ in [*taken, *left])
    return [f"  {what:5}  {f'{count:,}':>{width}}  {why}" for what, count, why in [*taken, *left]]


def _sendable(path: Path) -> str:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return path.as_uri()
    return str(path)


def _path(typed: Invocation) -> Path:
    project = typed.caller.project
    if typed.options.path:
        path = Path(typed.options.path).expanduser().resolve()
    elif typed.options.form == CLAUDE_CODE and project:
        projects = config_folder(typed.env) / "projects"
        places = [projects / slug / "memory" for slug in slugs_of(project.root)]
        path = next((place for place in places if place.exists()), places[0])
    else:
        raise PalimpError(ErrorCode.BAD_REQUEST, "The path is missing.", "Name a file or a folder.")
    if typed.options.path == "-" and not path.exists():
        text = "palimp import reads files and folders, not stdin."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Write it to a file first, and name that one.")
    if not path.exists():
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{shown} does not exist.")
    return path


def _import(typed: Invocation, request: ImportFile) -> ImportPage:
    imported = known = updated = 0
    skipped: list[str] = []
    kinds: Counter[str] = Counter()
    left: Counter[str] = Counter()
    with progress_bar(is_shown=sys.stderr.isatty()) as progress:
        task = progress.add_task("importing", total=None)
        while True:
            page: ImportPage = typed.ask(request)
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
