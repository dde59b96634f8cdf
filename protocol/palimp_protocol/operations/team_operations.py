"""The operations on teams, for the terminal."""

from typing import Final

from palimp_protocol.messages.team_messages import Team, TeamStatus
from palimp_protocol.messages.team_people import TeamPeople, TeamPeopleList
from palimp_protocol.operations.operation import Operation, always, touches_nothing

TEAM_OPERATIONS: Final = (
    Operation(
        name="team",
        toolset="upkeep",
        title="Share memories with other machines",
        request=Team,
        reply=TeamStatus,
        access=touches_nothing,
        is_slow=always,
        is_tool=False,
        description=(
            "Make, join or leave a team, share a project with it, exchange now, or tell how far that is. Only a person"
            " can do this."
        ),
    ),
    Operation(
        name="team_people",
        toolset="upkeep",
        title="Let people into a team",
        request=TeamPeople,
        reply=TeamPeopleList,
        access=touches_nothing,
        is_slow=always,
        is_tool=False,
        description="List the people of a team, let one in, shut one out, or trust one. Only a person can do this.",
    ),
)
