"""Teams: what answers `palimp team`."""

from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings
from palimp_daemon.features.team.team_service import Teams


def bindings(teams: Teams) -> Bindings:
    """Return what answers the operation on teams."""
    return {"team": Binding(AsyncHandler(teams.answer))}
