"""Bindings of `palimp team`."""

from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings
from palimp_daemon.features.team.members_service import People
from palimp_daemon.features.team.team_service import Teams


def bindings(teams: Teams) -> Bindings:
    """Bind the operations on teams."""
    return {
        "team": Binding(AsyncHandler(teams.answer)),
        "team_people": Binding(AsyncHandler(People(teams).answer)),
    }
