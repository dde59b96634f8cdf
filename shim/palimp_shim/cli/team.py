"""`palimp team`: share projects' memories between machines, by a carried folder or a PostgreSQL."""

import getpass
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import Final

from palimp_protocol import __version__
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.team_messages import (
    SHARING,
    Team,
    TeamHeld,
    TeamMember,
    TeamProject,
    TeamStatus,
    progress_sentence,
)
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_protocol.versions import release_of
from palimp_shim.cli.arguments import has_said_yes, refuse_agents
from palimp_shim.cli.command import EXIT_FAILED, PROJECT, Invocation, argument, command, flag, group
from palimp_shim.cli.output import minute, print_line, print_notes, print_remark, print_rows, print_text
from palimp_shim.cli.tables import Column
from palimp_shim.cli.team_choice import NOTHING_SHARED, ask_what_stays

SYNC_S: Final = 600.0
"""Seconds for a round: a new machine receives everything."""

PATTERN_CHARACTERS_SHOWN: Final = 500
"""Characters of a pattern: all, or it could not be removed."""

_NAME: Final = argument("--as", dest="name", metavar="NAME", help="what the other machines call this one")
_PASSWORD: Final = flag(
    "--password", "ask for the database's password, or read it from a pipe", "asks_password", sets="password"
)
_ADDRESS: Final = re.compile(r"^\w+:/|\b(?:host|hostaddr|dbname|user|password|service)\s*=")
"""Matches text that means a database."""

_YES: Final = flag("--yes", "do not ask")
_command = partial(
    command,
    asks=("team",),
    scope=False,
    unset={
        "action": "the command says it",
        "place": "of create and join",
        "name": "of create, join and share",
        "dry_run": "of create, share and leave",
        "is_same": "of share",
        "names_all": "of share, with --ask",
        "left_out": "of share, with --ask",
        "now": "of sync",
        "adds": "of patterns",
        "removes": "of patterns",
    },
)

group(
    "team",
    "Share memories of projects with your other machines: a folder that Syncthing, NFS or git carries between them is"
    " all it needs, or a PostgreSQL database of yours (palimp[team]). Nothing leaves this machine until you share a"
    " project. Then its decisions, architecture, findings, fixes and corrections do, an hour after they were saved;"
    " memories with the tag private never, others only with the tag team.",
    "palimp team create ~/Sync/palimp --as laptop; cd ~/work/shop && palimp team share",
)


@_command(
    "team create",
    "make a team in a folder or a database, and join it",
    argument("place", metavar="PLACE", help="the folder, which is made if it is not there; or postgresql://…"),
    _NAME,
    _PASSWORD,
    flag("--print", "only print the SQL that makes the schema of a database", "dry_run"),
    example="~/Sync/palimp --as laptop",
)
@_command(
    "team join",
    "join the team of a folder or a database",
    argument("place", metavar="PLACE", help="the folder of the team, or postgresql://…"),
    _NAME,
    _PASSWORD,
    example="~/Sync/palimp --as desktop",
    description="Join the team of a folder or a database. A machine that is in it already goes on with the address and"
    " the password that are given, and shares what it shares.",
)
def join(typed: Invocation) -> None:
    """Make or join a team."""
    refuse_agents(typed, SHARING)
    place = typed.options.place
    if "://" not in place:
        if _ADDRESS.search(place):
            hint = f"palimp {typed.name} postgresql://NAME@HOST/DATABASE, with --password to be asked for it."
            raise PalimpError(ErrorCode.BAD_REQUEST, "That is neither a folder nor an address that palimp takes.", hint)
        place = str(Path(place).expanduser().absolute())
    action = typed.name.rpartition(" ")[2]
    password = _password() if typed.options.asks_password else ""
    reply: TeamStatus = typed.answer(typed.request(action=action, place=place, password=password))
    if typed.is_json:
        return
    if reply.schema:
        print_text(reply.schema)
    else:
        print_line(f"This machine is {shown_name(reply.name)} in the team of {shown_name(reply.place)}.")
        if not reply.projects:
            print_remark("Nothing is shared yet.", "In a project: palimp team share")


def _password() -> str:
    given = getpass.getpass("Password of the database: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    if not given:
        raise PalimpError(ErrorCode.BAD_REQUEST, "No password was given.", "Nothing was changed.")
    return given


@_command(
    "team share",
    "share this project's memories with the team",
    argument("--as", dest="name", metavar="NAME", help="the project's name in the team: for one without a remote"),
    flag("--same", "it is the same project, though no first commit is", "is_same"),
    flag("--dry-run", "only say what would be shared"),
    flag("--ask", "list what would be shared, and choose what stays here: it gets the tag private", "is_asking"),
    _YES,
    PROJECT,
    example="--ask",
    description="Share this project's memories with the team. Each waits for team.hold minutes; what you undo, edit or"
    " tag as private meanwhile is not sent, or only as it is then. On a terminal it asks first.",
)
def share(typed: Invocation) -> None:
    """Share the project, after a person's yes."""
    refuse_agents(typed, SHARING)
    options = typed.options
    if options.dry_run:
        shown: TeamStatus = typed.answer(typed.request(action="share"))
        if not typed.is_json:
            print_line("\n".join(_preview(shown, "This would be shared")))
        return
    stays: list[str] = []
    if options.is_asking:
        stays = ask_what_stays(typed.ask(typed.request(action="share", dry_run=True, names_all=True)))
    elif not options.yes and sys.stdin.isatty():
        shown = typed.ask(typed.request(action="share", dry_run=True))
        lines = "\n".join(_preview(shown, "This will be shared"))
        if not has_said_yes(f"{lines}\nShare it?"):
            raise PalimpError(ErrorCode.BAD_REQUEST, NOTHING_SHARED)
    reply: TeamStatus = typed.answer(typed.request(action="share", left_out=stays))
    if not typed.is_json:
        if stays:
            print_line(
                f"Tagged private, and not shared: {count_of(len(stays), 'memory')}. `palimp undo` takes that back."
            )
        print_line(f"Shared. Each memory is sent after {count_of(reply.hold_minutes, 'minute')}.")
        print_remark("`palimp team status` shows those that wait; `palimp team sync --now` does not wait.")


def _preview(shown: TeamStatus, begins: str) -> list[str]:
    more = shown.would_share - len(shown.examples)
    return [
        f"{begins} in {shown_name(shown.place)}: {count_of(shown.would_share, 'memory')}. Not shared: {shown.stays:,}.",
        *(f"  {each.id} {one_line(each.title)}" for each in shown.examples),
        *([f"  and {more:,} more"] if more > 0 else []),
        "What was once put into git stays in its history, also when you delete it.",
    ]


@_command(
    "team unshare",
    "stop sharing this project; what was exchanged stays",
    PROJECT,
)
def unshare(typed: Invocation) -> None:
    """Stop sharing the project."""
    refuse_agents(typed, SHARING)
    typed.answer(Team(action="unshare"))
    if not typed.is_json:
        print_line("Not shared any more. What the others have stays with them.")


@_command("team leave", "leave the team; memories stay here and there", _YES)
def leave(typed: Invocation) -> None:
    """Leave the team, after a person's yes."""
    refuse_agents(typed, SHARING)
    if not typed.options.yes and sys.stdin.isatty():
        shown: TeamStatus = typed.ask(Team(action="leave", dry_run=True))
        lines = "\n".join([*shown.notes, f"This machine leaves the team of {shown_name(shown.place)}."])
        if not has_said_yes(f"{lines}\nLeave it?"):
            raise PalimpError(ErrorCode.BAD_REQUEST, "Nothing was changed.")
    reply: TeamStatus = typed.answer(Team(action="leave"))
    if not typed.is_json:
        print_line("This machine is in no team any more. Its memories stay.")
        print_notes(*reply.notes)


@_command(
    "team sync",
    "exchange now",
    flag("--now", "send what is held, too"),
)
@_command("team status", "how far each project is exchanged, and with whom")
def status(typed: Invocation) -> int:
    """Exchange, if asked; print progress."""
    if getattr(typed.options, "now", False):
        refuse_agents(typed, SHARING)
    action = typed.name.rpartition(" ")[2]
    reply: TeamStatus = typed.answer(typed.request(action=action), within_s=SYNC_S, bar="exchanging")
    if not typed.is_json:
        _print(reply)
    return EXIT_FAILED if any(each.problem for each in reply.projects) else 0


@_command(
    "team quarantine",
    "changes that could not be applied here, or that the server did not take, and why",
    description="List changes by others that could not be applied here, and changes of this machine that the server did"
    " not take, and why. They block nothing. The others' are tried again when a memory that they wait for arrives, a"
    " member is trusted, or palimp is upgraded; this machine's by `palimp team sync --now`.",
)
def quarantine(typed: Invocation) -> None:
    """List waiting changes."""
    reply: TeamStatus = typed.answer(Team())
    if typed.is_json:
        return
    rows = [
        [shown_name(project.name), shown_name(each.by), str(each.number), one_line(each.why)]
        for project in reply.projects
        for each in project.quarantine
    ]
    if not rows:
        print_line("Nothing waits: all changes by others that arrived are applied, and the server took all of yours.")
    print_rows([Column("project"), Column("by", "cyan"), Column("number"), Column("why", is_text=True)], rows)


@_command(
    "team patterns",
    "patterns of what no machine of the team sends",
    argument("--add", dest="adds", metavar="PATTERN", default="", help="another one, of RE2"),
    argument("--remove", dest="removes", metavar="PATTERN", default="", help="one that is to go"),
    example="--add 'ACME-[0-9]{6}'",
    description="List patterns of what no machine of the team sends, beside secrets and each machine's redact.patterns."
    " A memory that one of them fits waits on its machine, and `palimp team status` shows it; what was sent before"
    " stays. In a database only its owner changes them.",
)
def patterns(typed: Invocation) -> None:
    """List the team's patterns, changed if asked."""
    refuse_agents(typed, SHARING)
    reply: TeamStatus = typed.answer(typed.request(action="patterns"))
    if typed.is_json:
        return
    if not reply.patterns:
        print_line("The team has no patterns.")
    for each in reply.patterns:
        print_line(one_line(each, PATTERN_CHARACTERS_SHOWN))


def _print(reply: TeamStatus) -> None:
    if not reply.place:
        print_line("This machine is in no team.")
        print_remark("palimp team create DIR makes one, palimp team join DIR joins one.")
        return
    now_ms, machine = time.time_ns() // 1_000_000, f"{shown_name(reply.name)} in the team of {shown_name(reply.place)}"
    if reply.projects:
        print_line(one_line(progress_sentence(reply.projects, now_ms)))
    print_line(machine)
    print_notes(*reply.notes)
    if not reply.projects:
        print_remark("Nothing is shared.", "In a project: palimp team share")
    for project in reply.projects:
        _print_project(project, now_ms, is_one=len(reply.projects) == 1)


def _print_project(project: TeamProject, now_ms: int, *, is_one: bool) -> None:
    print_line(shown_name(project.name) + ("" if is_one else f": {one_line(project.sentence(now_ms))}"))
    if project.problem:
        print_line(f"  PROBLEM  {project.problem} {project.hint}".rstrip())
    for member in project.members:
        for remark in _remarks(member):
            print_line(f"  {shown_name(member.name)}: {remark}")
    if project.quarantine:
        print_remark("`palimp team quarantine` says why something is not applied, or was not taken.")
    for held in project.waiting:
        print_line(f"  {_waits(held)}")


def _remarks(member: TeamMember) -> list[str]:
    remarks: list[str] = []
    if member.unread:
        remarks.append(f"{count_of(member.unread, 'change')} of yours not there yet")
    if member.not_erased:
        remarks.append(f"may still have {count_of(member.not_erased, 'memory')} that you deleted for good")
    if member.ahead_ms:
        remarks.append(f"its clock is {member.ahead_ms // 60_000} minutes ahead of this machine's")
    if member.version and release_of(member.version) != release_of(__version__):
        remarks.append(f"it has palimp {release_of(member.version)}, this machine {release_of(__version__)}")
    return remarks


def _waits(held: TeamHeld) -> str:
    why = held.problem or (f"is sent at {minute(held.due)}" if held.due else "waits")
    return f"{held.memory.id} {one_line(held.memory.title)} — {why}"


from palimp_shim.cli import team_members  # noqa: E402, F401  # pyright: ignore[reportUnusedImport]  the rest of the group
