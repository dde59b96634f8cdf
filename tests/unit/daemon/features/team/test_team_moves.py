"""A server that is moved, a machine that was put back, or offline, or shares again: nothing is lost or doubled."""

import subprocess
from pathlib import Path

import psycopg
import pytest
from postgres_server import Server, as_login, new_database, programs
from replicas import HOUR_MS, KEY, Replica, sync_all

from palimp_daemon.features.team.postgres import Postgres
from palimp_daemon.features.team.postgres_members import invite
from palimp_daemon.features.team.postgres_schema import create_team
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables import team_heard, team_tables

WEEK_MS = 7 * 24 * HOUR_MS


def authors(replica: Replica) -> dict[str, str]:
    """Return {text: author}, an empty one for texts of this machine's own."""
    found = rows(replica.store.connection, "SELECT seq, content FROM memories ORDER BY seq")
    named = team_heard.authors_of(replica.store, [seq for seq, _ in found])
    return {text: named.get(seq, "") for seq, text in found}


def operations(address: str) -> int:
    """Return how many operations stand in a database."""
    with psycopg.connect(address) as connection:
        return connection.execute("SELECT count(*) FROM palimp.op").fetchone()[0]


def run(program: str, *words: str) -> None:
    """Run a program of PostgreSQL."""
    subprocess.run([programs() / program, *words], check=True, capture_output=True, env={"LC_ALL": "C"})


def test_a_server_that_is_moved_by_dump_and_restore_has_everything_and_its_members_go_on(tmp_path: Path) -> None:
    """By the owner of the schema, who is no superuser and for whom rows are guarded, too."""
    address = new_database("moving")
    create_team(address, "t")
    invite(address, "moving_ana", "writer")
    ana = Replica(tmp_path, "ana", Postgres(as_login(address, "moving_ana"), "t"))
    boss = Replica(tmp_path, "boss", Postgres(address, "t"))
    ana.save("We deploy on Tuesdays.")
    boss.save("The cart lives in Redis.")
    sync_all([ana, boss])
    ana.save("Saved during the move.")
    run("pg_dump", "--format=custom", "--enable-row-security", f"--file={tmp_path / 'dump'}", address)
    before = operations(address)
    other = Server(programs())
    with psycopg.connect(other.address, autocommit=True) as connection:
        connection.execute("CREATE ROLE moving_ana LOGIN")
    moved = new_database("moving", other)
    run("pg_restore", "--exit-on-error", f"--dbname={moved}", str(tmp_path / "dump"))
    assert operations(moved) == before
    for each, login in ((ana, "moving_ana"), (boss, "moving")):
        each.transport.close()
        each.transport = Postgres(as_login(moved, login), "t")
        each.open(each.store)
    sync_all([ana, boss])
    assert authors(boss) == {
        "We deploy on Tuesdays.": "moving_ana",
        "The cart lives in Redis.": "",
        "Saved during the move.": "moving_ana",
    }
    assert operations(moved) == before + 1
    with (
        psycopg.connect(as_login(moved, "moving_ana")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("DELETE FROM palimp.op")
    for each in (ana, boss):
        each.transport.close()
    other.remove()


def test_a_machine_that_is_restored_from_a_backup_loses_and_doubles_nothing(either_medium, tmp_path: Path) -> None:
    ana, bo = either_medium("ana", "bo")
    ana.save("Before the backup.")
    sync_all([ana, bo])
    ana.store.connection.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    ana.save("Sent after the backup.")
    bo.save("Of bo after the backup.")
    sync_all([ana, bo])
    ana.store.connection.close()
    ana.open(open_store(tmp_path / "backup.db", "auto"))
    ana.save("Saved after it was put back.")
    sync_all([ana, bo])
    texts = {"Before the backup.", "Sent after the backup.", "Of bo after the backup.", "Saved after it was put back."}
    assert set(authors(ana)) == set(authors(bo)) == texts
    assert len(ana.ids()) == len(bo.ids()) == len(texts)
    assert ana.shared_state() == bo.shared_state()


@pytest.mark.parametrize("by_ms", [-3 * HOUR_MS, 3 * HOUR_MS])
def test_a_week_offline_with_a_clock_that_was_moved_catches_up(either_medium, by_ms: int) -> None:
    ana, bo = either_medium("ana", "bo")
    old = ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    bo.now_ms += by_ms
    bo.edit(old, "We deploy on Wednesdays, says bo.")
    for number in range(20):
        bo.save(f"Offline {number}.")
        ana.save(f"Online {number}.")
    ana.edit(old, "We deploy on Thursdays, says ana.")
    ana.sync()
    ana.now_ms += WEEK_MS
    bo.now_ms += WEEK_MS
    sync_all([ana, bo])
    assert len(bo.ids()) == 43
    assert ana.shared_state() == bo.shared_state()


def unshare(replica: Replica) -> None:
    replica.write(lambda store: team_tables.unshare_project(store, replica.row()))


def share(replica: Replica) -> None:
    replica.write(lambda store: team_tables.share_project(store, replica.row(), KEY, replica.now_ms))
    replica.open(replica.store)


def test_who_shares_again_sends_nobody_elses_memories_as_their_own(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    ana.save("We deploy on Tuesdays.")
    bo.save("The cart lives in Redis.")
    sync_all([ana, bo])
    unshare(bo)
    bo.save("Saved while it was not shared.")
    share(bo)
    assert bo.sync().sent == 1
    sync_all([bo, ana])
    [cy] = either_medium("cy")
    sync_all([cy])
    assert authors(cy) == {
        "We deploy on Tuesdays.": "ana",
        "The cart lives in Redis.": "bo",
        "Saved while it was not shared.": "bo",
    }


def test_who_leaves_and_joins_again_keeps_the_authors_and_sends_nothing_twice(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    ana.save("We deploy on Tuesdays.")
    bo.save("The cart lives in Redis.")
    sync_all([ana, bo])
    bo.write(team_tables.leave_team)
    bo.open(bo.store)
    assert bo.sync().sent == 0
    assert authors(bo) == {"We deploy on Tuesdays.": "ana", "The cart lives in Redis.": ""}
    bo.save("Saved after it came back.")
    sync_all([ana, bo])
    assert authors(ana)["Saved after it came back."] == "bo"
    assert ana.shared_state() == bo.shared_state()


def test_what_an_older_palimp_does_not_know_is_applied_after_it_was_upgraded(either_medium, monkeypatch) -> None:
    ana, bo = either_medium("ana", "bo")
    old = ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    with monkeypatch.context() as older:
        older.setattr("palimp_daemon.features.team.applying.KINDS", frozenset({"put"}))
        ana.pin(old)
        ana.sync()
        bo.save("An older one saves, too.")
        bo.sync()
        assert team_heard.count_parked(bo.store, bo.row()) == 1
        assert ana.sync().stored == 1
    bo.open(bo.store)
    sync_all([ana, bo])
    assert team_heard.count_parked(bo.store, bo.row()) == 0
    assert ana.shared_state() == bo.shared_state()
