"""Replicas by each medium of a team."""

from pathlib import Path

import pytest
from postgres_server import new_database
from replicas import KEY, Replica

from palimp_daemon.features.team import postgres, postgres_schema
from palimp_daemon.features.team.carried_folder import Folder, create_team
from palimp_daemon.features.team.transport import Transport


@pytest.fixture(params=["folder", "database"])
def either_medium(request, tmp_path: Path):
    """Makes replicas of one team without a hold, by each transport."""
    if request.param == "folder":
        create_team(tmp_path / "either", "t")
    else:
        address = new_database()
        postgres_schema.create_team(address, "t")

    def make(*names: str, key: str = KEY) -> list[Replica]:
        return [Replica(tmp_path, name, transport(), key=key) for name in names]

    def transport() -> Transport:
        is_folder = request.param == "folder"
        made = Folder(tmp_path / "either", "t") if is_folder else postgres.Postgres(address, "t")
        request.addfinalizer(made.close)
        return made

    return make
