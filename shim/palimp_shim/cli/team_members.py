"""`palimp team members`, `invite`, `revoke` and `trust`: people of a team's database."""

import re
import shlex
from functools import partial
from typing import Final, get_args

from palimp_protocol.messages.team_messages import SHARING
from palimp_protocol.messages.team_people import TeamInvitation, TeamPeopleList, TeamPerson, TeamRole
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_shim.cli.arguments import confirm, refuse_agents
from palimp_shim.cli.command import PROJECT, Invocation, argument, command, flag
from palimp_shim.cli.output import day, print_line, print_remark, print_rows, print_text
from palimp_shim.cli.tables import Column

_LOGIN: Final = argument("login", metavar="NAME", help="the name of the login")
_OF_THIS_MACHINE: Final = re.compile(r"@(/|localhost\b|127\.|\[::1)")
_command = partial(
    command,
    asks=("team_people",),
    scope=False,
    unset={
        "action": "the command says it",
        "login": "of invite, revoke, trust and distrust",
        "role": "of invite",
        "is_only_here": "of invite and revoke",
    },
)


@_command(
    "team invite",
    "make a login for somebody, and print what to send them (PostgreSQL)",
    _LOGIN,
    argument("--role", choices=get_args(TeamRole), help="reader, writer (the default) or admin, who may invite"),
    flag("--only-here", "in this project alone, not in every one", "is_only_here"),
    PROJECT,
    example="ana",
    description="Make a login for somebody in the team's PostgreSQL, and print what to send them. A login that is there"
    " already is let in, with the password that it has; a member's role is changed.",
)
def invite(typed: Invocation) -> None:
    """Let somebody in."""
    refuse_agents(typed, SHARING)
    reply: TeamPeopleList = typed.answer(typed.request(action="invite"))
    if reply.invitation and not typed.is_json:
        _print_invitation(typed.options.login, reply.invitation)


def _print_invitation(login: str, invitation: TeamInvitation) -> None:
    print_line(f"Send {shown_name(login)} this; the password by another way than the address, it is not shown again:")
    option = " --password" if invitation.password else ""
    address = one_line(invitation.address)
    print_text(f"  pip install 'palimp[team]'\n  palimp team join {shlex.quote(address)}{option}")
    if _OF_THIS_MACHINE.search(address):
        print_remark("That address leads to a server on the same machine: elsewhere its name stands after the @.")
    if invitation.password:
        print_text(f"  password: {invitation.password}")
    else:
        print_remark("The login was there already: its password is as it was.")
    print_remark("Then, in each project's folder: palimp team share")


@_command(
    "team revoke",
    "let a member read and write nothing more (PostgreSQL)",
    _LOGIN,
    flag("--only-here", "in this project alone, not in every one", "is_only_here"),
    flag("--yes", "do not ask"),
    PROJECT,
    example="ana",
)
def revoke(typed: Invocation) -> None:
    """Shut somebody out, after a person's yes."""
    refuse_agents(typed, SHARING)
    login = shown_name(typed.options.login)
    if not typed.options.yes:
        confirm(f"{login} keeps a copy of all memories that were exchanged, and gets no more.", "Revoking", _UNCHANGED)
    typed.answer(typed.request(action="revoke"))
    if not typed.is_json:
        print_line(f"{login} reads and writes nothing more in the team. What {login} wrote stays.")
        print_remark("What was exchanged before is still on the machines of that person.")


_UNCHANGED: Final = "Nothing was changed."


@_command(
    "team trust",
    "have a member's memories be told in sessions, as yours are",
    _LOGIN,
    example="ana",
    description="Have a member's memories be told in sessions on this machine without being asked for, as yours are."
    " Without it they are found by a search alone, until you pin or keep one.",
)
@_command(
    "team distrust",
    "have a member's memories be told only when they are searched for",
    _LOGIN,
    example="ana",
)
def trust(typed: Invocation) -> None:
    """Trust a member on this machine, or stop that."""
    refuse_agents(typed, SHARING)
    action = typed.name.rpartition(" ")[2]
    typed.answer(typed.request(action=action))
    if not typed.is_json:
        login = shown_name(typed.options.login)
        told = "as yours are" if action == "trust" else "only when they are searched for"
        print_line(f"Memories of {login} are told on this machine {told}.")


@_command(
    "team members",
    "the people of the team, and their roles (PostgreSQL)",
)
def members(typed: Invocation) -> None:
    """List the team's people."""
    reply: TeamPeopleList = typed.answer(typed.request(action="members"))
    if not typed.is_json:
        columns = [
            Column("member", "cyan"),
            Column("role"),
            Column("in"),
            Column("machines"),
            Column("told"),
            Column("since", "dim"),
        ]
        print_rows(columns, [_cells(each) for each in reply.people])


def _cells(person: TeamPerson) -> list[str]:
    name = shown_name(person.login) + (" (you)" if person.is_you else "")
    role = "revoked" if person.is_revoked else person.role
    project = shown_name(person.project) if person.project else "every project"
    told = "yes" if person.is_trusted else "when asked"
    return [name, role, project, count_of(person.machines, "machine"), told, day(person.invited_at)]
