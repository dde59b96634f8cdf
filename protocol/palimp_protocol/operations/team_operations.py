"""The operations on teams, for the terminal."""

from functools import partial
from typing import Final

from palimp_protocol.messages.team_messages import Team, TeamStatus
from palimp_protocol.messages.team_people import TeamPeople, TeamPeopleList
from palimp_protocol.operations.operation import Operation, always

_in_terminal = partial(Operation, toolset="upkeep", is_tool=False)

TEAM_OPERATIONS: Final = (
    _in_terminal(
        "team",
        "Share memories with other machines",
        Team,
        TeamStatus,
        "Make, join or leave a team, share a project with it, exchange now, or tell how far that is. Only a person"
        " can do this.",
        is_slow=always,
    ),
    _in_terminal(
        "team_people",
        "Let people into a team",
        TeamPeople,
        TeamPeopleList,
        "List the people of a team, let one in, shut one out, or trust one. Only a person can do this.",
        is_slow=always,
    ),
)
