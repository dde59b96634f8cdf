"""The daemon's side of a team: what is said while no project can be exchanged."""

import math
import time
from functools import partial
from pathlib import Path

import pytest
import trio
from postgres_server import new_database
from replicas import KEY, Replica
from request_contexts import NOON_MS

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.team import postgres, postgres_schema, team_places
from palimp_daemon.features.team.carried_folder import Folder, create_team
from palimp_daemon.features.team.team_rounds import TeamServices
from palimp_daemon.features.team.team_service import Teams
from palimp_daemon.features.team.transport import TransportError
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.sql import rows
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables import pins, team_tables
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.team_messages import Team
from palimp_protocol.operations import OPERATIONS

SAFETY_S = 120.0
"""Seconds after which a test that would hang is red."""

STATUS = Invocation(OPERATIONS["team"], Team(), Caller(), b"id")


def join(store: Store, folder: Path, place: str) -> None:
    """Have the project of *folder* be shared by *place*."""
    project = ensure_project(store, Caller(ProjectRef(str(folder), "shop")), NOON_MS)
    team_tables.join_team(store, team_tables.TeamRow("t", place, "1" * 16, "ana"))
    team_tables.share_project(store, project, KEY, NOON_MS)


async def finish() -> None:
    """Have nothing to erase."""


async def test_a_team_that_cannot_be_reached_at_all_is_said_and_tried_again(tmp_path, nursery, monkeypatch) -> None:
    """As where palimp was upgraded without the driver of the database."""
    create_team(tmp_path / "shared", "t")
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(actor.run)
    await actor.write(partial(join, folder=tmp_path, place=str(tmp_path / "shared")))
    tried: list[str] = []
    first, second = trio.Event(), trio.Event()

    def transport_of(place: str, team: str) -> Folder:
        tried.append(place)
        trio.from_thread.run_sync((first if len(tried) == 1 else second).set)
        if len(tried) == 1:
            raise TransportError("The driver is not installed.", "Install it.")
        return Folder(Path(place), team)

    monkeypatch.setattr(team_places, "transport_of", transport_of)
    settings = Settings({"HOME": str(tmp_path)})
    teams = Teams(TeamServices(actor, settings, Redactor(), lambda: NOON_MS, Log("critical"), None, finish, tmp_path))
    nursery.start_soon(teams.run)
    with trio.fail_after(SAFETY_S):
        await first.wait()
        while not (await teams.describe())[1]:  # each look waits for the store
            pass
    [project] = (await teams.answer(STATUS)).projects
    assert (project.problem, project.hint) == ("The driver is not installed.", "Install it.")
    with pytest.raises(PalimpError, match="The driver is not installed"):
        await teams.answer(STATUS._replace(request=Team(action="sync")))
    with trio.fail_after(SAFETY_S):
        await second.wait()
        while (await teams.describe())[1]:
            pass


async def test_what_others_send_is_taken_in_and_what_is_saved_is_sent_without_a_look(
    tmp_path, nursery, monkeypatch, request
):
    """Nothing here waits for time: with no look again, what is found was said by the server, or by the store."""
    monkeypatch.setattr(postgres, "LISTENED_LOOK_S", math.inf)
    address = new_database()
    postgres_schema.create_team(address, "t")
    bo = Replica(tmp_path, "bo", transport := postgres.Postgres(address, "t"))
    request.addfinalizer(transport.close)
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(actor.run)
    await actor.write(partial(join, folder=tmp_path, place=address))
    stored = trio.Event()
    settings = Settings({"HOME": str(tmp_path), "PALIMP_TEAM_HOLD": "0"})
    log = Log("critical")
    teams = Teams(TeamServices(actor, settings, Redactor(), lambda: NOON_MS, log, stored.set, finish, tmp_path))
    nursery.start_soon(teams.run)
    with trio.fail_after(SAFETY_S):
        while not (await teams.answer(STATUS)).projects[0].members:  # it has had its first rounds
            await in_thread(bo.sync)
        assert not stored.is_set()
        bo.save("The cart lives in Redis.")
        await in_thread(bo.sync)
        await stored.wait()
        await actor.write(lambda store: pins.pin(store, [1], NOON_MS + 1))
        while not await in_thread(partial(rows, bo.store.connection, "SELECT 1 FROM pins")):
            await in_thread(bo.sync)


@pytest.mark.parametrize(
    ("minutes", "said"), [(10, "10 minutes ahead of the server's"), (-10, "10 minutes behind the server's"), (0, "")]
)
async def test_a_clock_that_differs_from_the_server_s_is_said(tmp_path, nursery, request, minutes, said) -> None:
    address = new_database()
    postgres_schema.create_team(address, "t")
    bo = Replica(tmp_path, "bo", transport := postgres.Postgres(address, "t"))
    request.addfinalizer(transport.close)
    bo.save("The cart lives in Redis.")
    bo.sync()
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(actor.run)
    await actor.write(partial(join, folder=tmp_path, place=address))
    settings, log = Settings({"HOME": str(tmp_path)}), Log("critical")
    clock = lambda: time.time_ns() // 1_000_000 + minutes * 63_000  # noqa: E731  it is one value
    teams = Teams(TeamServices(actor, settings, Redactor(), clock, log, None, finish, tmp_path))
    nursery.start_soon(teams.run)
    with trio.fail_after(SAFETY_S):
        while not (status := await teams.answer(STATUS)).projects[0].members:
            pass
    assert [note for note in status.notes if "clock" in note and said in note] == ([status.notes[0]] if said else [])
    assert ("clock" in " ".join((await teams.describe())[0])) == bool(said)
