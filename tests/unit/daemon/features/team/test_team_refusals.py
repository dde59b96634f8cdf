"""A server that takes no operation of a certain kind: that one waits with its reason, and all others go on."""

import psycopg
import pytest
from postgres_server import new_database
from replicas import Replica, sync_all

from palimp_daemon.features.team import postgres, postgres_schema
from palimp_daemon.features.team.project_progress import Heard, project_progress
from palimp_daemon.features.team.transport import TransportError
from palimp_daemon.store.tables import team_tables

GUARD = """
    CREATE FUNCTION public.guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF position('FORBIDDEN' IN convert_from(new.body, 'UTF8')) > 0 THEN
            RAISE EXCEPTION 'that word may not be kept here';
        END IF;
        RETURN new;
    END $$;
    CREATE TRIGGER guard BEFORE INSERT ON palimp.op FOR EACH ROW EXECUTE FUNCTION public.guard()"""
"""As an administrator may add it, who minds what is kept on the server."""


@pytest.fixture
def address() -> str:
    """A database with a team, and a rule of its own."""
    address = new_database()
    postgres_schema.create_team(address, "t")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(GUARD.encode())
    return address


@pytest.fixture
def replica(address, tmp_path, request):
    """Makes machines of the team."""

    def make(name: str) -> Replica:
        transport = postgres.Postgres(address, "t")
        request.addfinalizer(transport.close)
        return Replica(tmp_path, name, transport)

    return make


def progress_of(replica: Replica):
    """Return how far the project is exchanged."""

    def work(store):
        [project] = team_tables.shared_projects(store)
        team = team_tables.team_of(store)
        return project_progress(store, project, team.replica, [Heard(project, None, [])], replica.now_ms)

    return replica.write(work)


def test_a_refused_operation_waits_with_its_reason_and_blocks_nothing(replica, address) -> None:
    ana, bo = replica("ana"), replica("bo")
    before = [ana.save(f"Decision {number}.") for number in range(3)]
    refused = ana.save("FORBIDDEN is in this one.")
    after = ana.save("Decision of later.")
    sync_all([ana, bo])
    assert bo.ids() == sorted([*before, after])
    progress = progress_of(ana)
    [row] = progress.quarantine
    assert row.by == "this machine"
    assert "that word may not be kept here" in row.why
    assert (progress.not_sent, progress.not_applied) == (1, 0)

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TRIGGER guard ON palimp.op")
    sync_all([ana, bo])
    assert refused not in bo.ids()
    ana.exchange.send_now()
    sync_all([ana, bo])
    assert ana.shared_state() == bo.shared_state()
    assert progress_of(ana).quarantine == []


def test_an_edit_of_what_was_refused_is_sent(replica) -> None:
    ana, bo = replica("ana"), replica("bo")
    refused = ana.save("FORBIDDEN is in this one.")
    sync_all([ana, bo])
    mended = ana.edit(refused, "Nothing bad is in this one.")
    sync_all([ana, bo])
    assert bo.ids() == [mended]


def test_what_was_refused_and_is_deleted_for_good_is_kept_nowhere(replica) -> None:
    ana = replica("ana")
    refused = ana.save("FORBIDDEN is in this one.")
    sync_all([ana])
    ana.erase(refused)
    sync_all([ana])
    assert progress_of(ana).quarantine == []
    assert not list(ana.store.connection.execute("SELECT 1 FROM team_parked"))


def test_a_server_that_takes_nothing_at_all_is_said_and_sets_nothing_more_aside(replica, address) -> None:
    ana = replica("ana")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            GUARD.partition("CREATE TRIGGER")[0]
            .replace("'FORBIDDEN'", "'project'")
            .replace("guard()", "all_of_it()")
            .encode()
        )
        connection.execute(
            "CREATE TRIGGER every BEFORE INSERT ON palimp.op FOR EACH ROW EXECUTE FUNCTION public.all_of_it()"
        )
    for number in range(5):
        ana.save(f"Decision {number}.")
    for _ in range(3):
        with pytest.raises(TransportError, match="may not be kept"):
            ana.sync()
    assert len(progress_of(ana).quarantine) == 1
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TRIGGER every ON palimp.op")
    ana.exchange.send_now()
    bo = replica("bo")
    sync_all([ana, bo])
    assert len(bo.ids()) == 5
