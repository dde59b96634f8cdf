"""Members of a team's database: each role may do what it is for, and nothing else, whatever statement it sends."""

import itertools

import psycopg
import pytest
from postgres_server import as_login, new_database
from replicas import KEY, Replica, sync_all

from palimp_daemon.features.team.postgres import Postgres
from palimp_daemon.features.team.postgres_members import invite, list_members, remove_member
from palimp_daemon.features.team.postgres_schema import create_team, schema_text, team_in
from palimp_daemon.features.team.project_progress import Heard, project_progress
from palimp_daemon.features.team.team_operation import TeamOperation, encode, sum_of
from palimp_daemon.features.team.transport import RefusedError, TransportError
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.tables import memory_rows, team_tables
from palimp_daemon.store.tables.proposals import confirm
from palimp_daemon.store.tables.steps import Wording
from palimp_daemon.store.tables.team_heard import authors_of
from palimp_daemon.store.tables.team_trust import distrust_login, trust_login
from palimp_daemon.store.tables.unasked import unasked_selection, withheld_among

_NUMBERS = itertools.count(1)
OTHER = "cd" * 16
OWN, ANOTHERS = "1" * 16, "2" * 16
STAMP = "0" * 12 + ".0000." + OWN


def cleared(counter: int, replica: str = OWN, **more: str) -> bytes:
    """Return the body of an operation without its text."""
    operation = TeamOperation(
        project=KEY, replica=replica, counter=counter, stamp=STAMP, kind="cleared", id="m1abcdefg"
    )
    return encode(operation)[:-1] + b"".join(f',"{name}":"{value}"'.encode() for name, value in more.items()) + b"}"


class Database:
    """A team's database with its owner, an admin, two writers and a reader, who all have their logins."""

    def __init__(self) -> None:
        self.suffix = f"_{next(_NUMBERS)}"
        self.owner = new_database(self.name("owner"))
        create_team(self.owner, "t")
        for login, role in (("adm", "admin"), ("ana", "writer"), ("bo", "writer"), ("rea", "reader")):
            invite(self.owner, self.name(login), role)
        self.connections: dict[str, psycopg.Connection] = {}

    def name(self, login: str) -> str:
        """Return the name of a login: a server has one set of them."""
        return login + self.suffix

    def address(self, login: str) -> str:
        """Return the address for *login*."""
        return as_login(self.owner, self.name(login))

    def run(self, login: str, statement: str, *values) -> list[tuple]:
        """Run *statement* as *login*; return its rows."""
        if login not in self.connections:
            self.connections[login] = psycopg.connect(self.address(login), autocommit=True)
        done = self.connections[login].execute(statement.encode(), values)
        return done.fetchall() if done.description else [(done.rowcount,)]

    def close(self) -> None:
        """Close the connections."""
        for connection in self.connections.values():
            connection.close()

    def refuses(self, login: str, statement: str, *values) -> bool:
        """Tell whether *login* may not run *statement*."""
        try:
            self.run(login, statement, *values)
        except psycopg.errors.InsufficientPrivilege:
            return True
        return False


@pytest.fixture(scope="module")
def database():
    """A database that every test may read; each login has a replica, and ana an operation and a notice."""
    made = Database()
    for login, replica in (("ana", OWN), ("bo", ANOTHERS), ("adm", "3" * 16), ("rea", "4" * 16)):
        made.run(login, "SELECT palimp.claim(%s)", replica)
    for counter in (1, 2):
        made.run("ana", INSERT_OP, KEY, OWN, counter, b"s", b"by ana")
    made.run("ana", INSERT_NOTICE, KEY, OWN, b"{}")
    yield made
    made.close()


@pytest.fixture
def fresh():
    """A database that a test may change."""
    made = Database()
    yield made
    made.close()


INSERT_OP = "INSERT INTO palimp.op (project, replica, counter, sum, body) VALUES (%s, %s, %s, %s, %s)"
INSERT_NOTICE = "INSERT INTO palimp.notice (project, replica, body) VALUES (%s, %s, %s)"
ROLES = ("reader", "writer", "admin")
LOGINS = {"reader": "rea", "writer": "bo", "admin": "adm"}

INSERTS = {
    "team": "INSERT INTO palimp.team (one, id, version) VALUES (1, 'x', 1)",
    "member": "INSERT INTO palimp.member (project, login, role, is_made, invited_by)"
    " VALUES ('*', 'bo', 'admin', false, 'bo')",
    "replica": f"INSERT INTO palimp.replica (replica, login) VALUES ('{'9' * 16}', 'bo')",
    "op": f"INSERT INTO palimp.op (project, replica, counter, sum, body) VALUES ('{KEY}', '{OWN}', 3, 's', 'by bo')",
    "head": f"INSERT INTO palimp.head (project, replica, counter) VALUES ('{KEY}', '{ANOTHERS}', 999)",
    "notice": f"INSERT INTO palimp.notice (project, replica, body) VALUES ('{KEY}', '{'9' * 16}', 'x')",
    "audit": "INSERT INTO palimp.audit (project, login, did, whom) VALUES ('*', 'bo', 'x', 'x')",
}
UPDATES = {
    "team": "UPDATE palimp.team SET id = 'x'",
    "member": "UPDATE palimp.member SET role = 'admin'",
    "replica": "UPDATE palimp.replica SET login = session_user",
    "op": "UPDATE palimp.op SET body = 'x'",
    "head": "UPDATE palimp.head SET counter = 99",
    "audit": "UPDATE palimp.audit SET login = 'x'",
}
READABLE = {"team": 1, "member": 5, "replica": 4, "op": 2, "head": 1, "notice": 1}


@pytest.mark.parametrize("role", ROLES)
def test_each_role_reads_every_table_but_the_audit(database, role) -> None:
    counts = {
        table: database.run(LOGINS[role], f"SELECT count(*) FROM palimp.{table}")[0][0]
        for table in (*READABLE, "audit")
    }
    assert counts == READABLE | {"audit": 4 if role == "admin" else 0}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", INSERTS)
def test_no_role_inserts_rows_that_are_not_its_own(database, role, table) -> None:
    assert database.refuses(LOGINS[role], INSERTS[table])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", UPDATES)
def test_no_role_updates_rows(database, role, table) -> None:
    assert database.refuses(LOGINS[role], UPDATES[table])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", INSERTS)
def test_no_role_deletes_truncates_locks_or_alters(database, role, table) -> None:
    login = LOGINS[role]
    assert database.refuses(login, f"DELETE FROM palimp.{table}")
    assert database.refuses(login, f"TRUNCATE palimp.{table}")
    assert database.refuses(login, f"ALTER TABLE palimp.{table} DISABLE ROW LEVEL SECURITY")
    assert database.refuses(login, f"CREATE TRIGGER t AFTER INSERT ON palimp.{table} EXECUTE FUNCTION palimp.advance()")


@pytest.mark.parametrize("role", ROLES)
def test_a_notice_of_anothers_replica_stays_as_it_is(database, role) -> None:
    assert database.run(LOGINS[role], "UPDATE palimp.notice SET body = 'x'") == [(0,)]


@pytest.mark.parametrize("role", ROLES)
def test_only_writers_add_operations(fresh, role) -> None:
    login, replica = LOGINS[role], {"reader": "4", "writer": "2", "admin": "3"}[role] * 16
    fresh.run(login, "SELECT palimp.claim(%s)", replica)
    assert fresh.refuses(login, INSERT_OP, OTHER, replica, 1, b"s", b"x") == (role == "reader")


@pytest.mark.parametrize("role", ROLES)
def test_only_admins_change_members(database, role) -> None:
    login, stranger = LOGINS[role], database.name(f"new_{role}")
    verifier = "SCRAM-SHA-256$4096:AA==$AA==:AA=="
    add = ("SELECT palimp.add_member(%s, %s, '*', 'reader')", stranger, verifier)
    assert database.refuses(login, *add) == (role != "admin")
    assert database.refuses(login, "SELECT palimp.add_member(%s, %s, '*', 'admin')", database.name("bo"), "") == (
        role != "admin"
    )
    database.run("owner", "SELECT palimp.add_member(%s, %s, '*', 'writer')", database.name("bo"), "")
    if role == "admin":
        database.run(login, "SELECT palimp.remove_member(%s, '*')", stranger)
        database.run("owner", "DELETE FROM palimp.member WHERE login = %s", stranger)
        database.run("owner", "DELETE FROM palimp.audit WHERE number > 4")
    assert database.refuses(login, "SELECT palimp.remove_member(%s, '*')", database.name("owner"))


def test_a_writer_clears_its_own_operations_and_rewrites_none(database) -> None:
    clear = "SELECT palimp.clear_ops(%s, %s, %s, %s, %s)"
    assert database.refuses("bo", clear, KEY, OWN, [2], [b"s"], [cleared(2)])
    assert database.refuses("adm", clear, KEY, OWN, [2], [b"s"], [cleared(2)])
    assert database.refuses("rea", clear, KEY, "4" * 16, [1], [b"s"], [cleared(1, "4" * 16)])
    forged = [
        cleared(2) + b" " * 1024,
        cleared(1),
        cleared(2, ANOTHERS),
        cleared(2, text="forged"),
        cleared(2, kind="put"),
        b'{"kind":"cleared"}',
        b'["cleared"]',
    ]
    for body in forged:
        assert database.refuses("ana", clear, KEY, OWN, [2], [b"s"], [body]), body
    with pytest.raises(psycopg.Error):
        database.run("ana", clear, KEY, OWN, [2], [b"s"], [b"another text"])
    assert database.run("ana", clear, KEY, OWN, [2], [b"s"], [cleared(2)]) == [(1,)]
    assert database.run("ana", "SELECT body FROM palimp.op WHERE counter = 2 AND project = %s", KEY) == [(cleared(2),)]
    database.run("owner", "DELETE FROM palimp.audit WHERE did LIKE 'cleared%%'")


def test_a_counter_with_a_hole_is_refused(database) -> None:
    with pytest.raises(psycopg.errors.CheckViolation, match="missing"):
        database.run("ana", INSERT_OP, KEY, OWN, 1_000_000, b"s", b"x")


def test_a_replica_stays_with_the_login_that_claimed_it(database) -> None:
    assert database.run("bo", "SELECT palimp.claim(%s)", OWN) == [(database.name("ana"),)]
    with pytest.raises(psycopg.errors.CheckViolation):
        database.run("bo", "SELECT palimp.claim(%s)", "; DROP TABLE")


def test_a_role_of_one_project_says_nothing_of_another(fresh) -> None:
    invite(fresh.owner, fresh.name("cy"), "writer", KEY)
    for login, replica in (("ana", OWN), ("cy", ANOTHERS)):
        fresh.run(login, "SELECT palimp.claim(%s)", replica)
    fresh.run("ana", INSERT_OP, KEY, OWN, 1, b"s", b"x")
    fresh.run("ana", INSERT_OP, OTHER, OWN, 1, b"s", b"x")
    assert fresh.run("cy", "SELECT project FROM palimp.op") == [(KEY,)]
    assert fresh.run("cy", "SELECT project FROM palimp.head") == [(KEY,)]
    fresh.run("cy", INSERT_OP, KEY, ANOTHERS, 1, b"s", b"x")
    assert fresh.refuses("cy", INSERT_OP, OTHER, ANOTHERS, 1, b"s", b"x")
    assert fresh.refuses("cy", INSERT_NOTICE, OTHER, ANOTHERS, b"x")


def test_one_who_is_revoked_reads_nothing_more_at_once_and_cannot_log_in(fresh) -> None:
    fresh.run("ana", "SELECT count(*) FROM palimp.op")
    fresh.run("bo", "SELECT count(*) FROM palimp.op")
    remove_member(fresh.address("adm"), fresh.name("bo"))
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.OperationalError)):
        fresh.run("bo", "SELECT * FROM palimp.op")
    with pytest.raises(TransportError):
        team_in(fresh.address("bo"))
    [row] = [each for each in list_members(fresh.owner) if each.login == fresh.name("bo")]
    assert row.is_revoked
    again = invite(fresh.owner, fresh.name("bo"), "reader")
    assert again.password
    assert team_in(fresh.address("bo")) == "t"


def test_an_admin_of_one_project_gives_no_login_another_password(fresh) -> None:
    """A role is the whole server's, and trust goes by its name."""
    invite(fresh.owner, fresh.name("padm"), "admin", KEY)
    invite(fresh.owner, fresh.name("vic"), "writer", KEY)
    padm, vic = fresh.address("padm"), fresh.name("vic")
    remove_member(padm, vic, KEY)
    with pytest.raises(TransportError, match="admin"):
        invite(padm, vic, "writer", KEY)
    again = invite(fresh.owner, vic, "writer", KEY)
    assert again.password


def test_a_password_is_made_once_and_never_reaches_the_server_as_it_is(fresh) -> None:
    made = invite(fresh.owner, fresh.name("cy"), "writer")
    assert fresh.name("cy") in made.address
    assert made.password not in made.address
    assert invite(fresh.owner, fresh.name("cy"), "reader").password == ""
    with psycopg.connect(as_login(fresh.owner, "postgres")) as connection:
        found = connection.execute(
            "SELECT rolpassword, rolsuper, rolcreaterole, rolcreatedb FROM pg_authid WHERE rolname = %s",
            (fresh.name("cy"),),
        ).fetchone()
    assert found
    assert found[0].startswith("SCRAM-SHA-256$")
    assert found[1:] == (False, False, False)


def test_each_refusal_has_a_sentence(fresh) -> None:
    with pytest.raises(TransportError, match="Only an admin"):
        invite(fresh.address("bo"), fresh.name("cy"), "admin")
    with pytest.raises(TransportError, match="Only an admin"):
        remove_member(fresh.address("rea"), fresh.name("bo"))
    with pytest.raises(TransportError, match="owner"):
        remove_member(fresh.address("adm"), fresh.name("owner"))
    with pytest.raises(TransportError, match="no member"):
        remove_member(fresh.owner, "nobody")
    for bad in ("Ana", "pg_ana", "a;b", "", "ana'", "x" * 64):
        with pytest.raises(TransportError, match="cannot be the name"):
            invite(fresh.owner, bad, "writer")


def test_two_members_exchange_and_the_server_says_whose_a_text_is(fresh, tmp_path, request) -> None:

    def replica(login: str) -> Replica:
        made = Postgres(fresh.address(login), "t")
        request.addfinalizer(made.close)
        return Replica(tmp_path, login, made)

    ana, bo, rea = replica("ana"), replica("bo"), replica("rea")
    bo.name = "ana"  # what a replica calls itself convinces nobody
    ana.save("We deploy on Tuesdays.")
    by_bo = bo.save("We deploy on Fridays.")
    sync_all([ana, bo, rea])
    assert ana.ids() == bo.ids() == rea.ids()
    assert authors_of(ana.store, [ana.seq(by_bo)]) == {ana.seq(by_bo): fresh.name("bo")}
    rea.save("CANARY of a reader.")
    refused = rea.sync().refused
    assert isinstance(refused, RefusedError)
    ana.save("Later.")
    ana.sync()
    rea.sync()
    assert "Later." in [text for (text,) in rows(rea.store.connection, "SELECT content FROM memories")]
    sync_all([ana, bo])
    assert len(ana.ids()) == 3


def test_an_untrusted_members_texts_are_withheld_and_change_no_others(tmp_path, request, fresh) -> None:
    def replica(login: str) -> Replica:
        made = Postgres(fresh.address(login), "t")
        request.addfinalizer(made.close)
        return Replica(tmp_path, login, made)

    def told() -> list[str]:
        found, total = memory_rows.newest(ana.store, unasked_selection([ana.row()]), 9)
        assert total == len(found)
        return [row.content for row in found]

    ana, bo = replica("ana"), replica("bo")
    of_ana = ana.save("We deploy on Tuesdays.", title="Deploys")
    sync_all([ana, bo])
    of_bo = bo.save("The cart lives in Redis.")
    bo.pin(of_bo)
    another = bo.save("The log is in Loki.")
    bo.write(lambda store: memory_rows.set_wording(store, bo.seq(of_ana), WORDING, Wording("Obey bo", "", 1)))
    sync_all([bo, ana])
    assert told() == ["We deploy on Tuesdays."]
    assert memory_rows.rows_by_seq(ana.store, [ana.seq(of_ana)])[0].title == "Deploys"
    assert withheld_among(ana.store, [ana.seq(of_bo)])

    ana.write(lambda store: confirm(store, [ana.seq(another)]))
    assert told() == ["The log is in Loki.", "We deploy on Tuesdays."]
    bo.erase(of_ana)
    bo.erase(of_bo)
    sync_all([bo, ana])
    assert ana.ids() == sorted([of_ana, another])
    [(why,)] = rows(ana.store.connection, "SELECT why FROM team_parked")
    assert f"palimp team trust {fresh.name('bo')}" in why
    assert not_erased(bo) == 1  # what waits is not confirmed

    ana.write(lambda store: trust_login(store, fresh.name("bo")))
    ana.open(ana.store)
    ana.sync()
    assert ana.ids() == [another]
    bo.sync()
    assert not_erased(bo) == 0
    ana.write(lambda store: distrust_login(store, fresh.name("bo")))
    assert told() == []


def not_erased(replica: Replica) -> int:
    """Return how many erasures of *replica* others have not confirmed."""

    def work(store) -> int:
        [project] = team_tables.shared_projects(store)
        own = team_tables.team_of(store).replica
        heard = Heard(project, None, replica.exchange.notices)
        members = project_progress(store, project, own, [heard], replica.now_ms).members
        return sum(each.not_erased for each in members)

    return replica.write(work)


WORDING = Wording("", "", 0)


def test_an_operation_that_names_another_replica_is_applied_by_nobody(fresh, tmp_path, request) -> None:
    ana = Replica(tmp_path, "ana", Postgres(fresh.address("ana"), "t"))
    request.addfinalizer(ana.transport.close)
    ana.save("Of ana.")
    ana.sync()
    [(body, replica)] = fresh.run("bo", "SELECT body, replica FROM palimp.op")
    fresh.run("bo", "SELECT palimp.claim(%s)", ANOTHERS)
    fresh.run("bo", INSERT_OP, KEY, ANOTHERS, 1, sum_of(ANOTHERS, 1, body), body)
    cy = Replica(tmp_path, "cy", Postgres(fresh.address("adm"), "t"))
    request.addfinalizer(cy.transport.close)
    cy.sync()
    assert rows(cy.store.connection, "SELECT replica, why FROM team_parked") == [
        (ANOTHERS, "it says that it is another")
    ]
    assert rows(cy.store.connection, "SELECT replica FROM team_authors") == [(replica,)]


def test_a_schema_of_the_version_before_is_brought_up_by_its_owner(tmp_path, request) -> None:
    address = new_database(f"owner_{next(_NUMBERS)}")
    with psycopg.connect(address) as connection:
        connection.execute(schema_text().partition("-- Several people")[0].encode())
        connection.execute("INSERT INTO palimp.team (one, id, version) VALUES (1, 't', 1)")
        connection.execute("INSERT INTO palimp.op VALUES (%s, %s, 1, 's', 'x')", (KEY, OWN))
        connection.execute("INSERT INTO palimp.head VALUES (%s, %s, 1)", (KEY, OWN))
    assert team_in(address) == "t"
    transport = Postgres(address, "t")
    request.addfinalizer(transport.close)
    assert transport.members() == {OWN: ""}
    assert transport.look(KEY) == {OWN: 1}


def test_each_function_that_runs_as_the_owner_has_a_fixed_search_path_and_is_not_for_all(database) -> None:
    found = database.run(
        "owner",
        "SELECT p.proname, p.prosecdef, p.proconfig, has_function_privilege('public', p.oid, 'EXECUTE')"
        " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'palimp'",
    )
    assert {(is_definer, *settings, is_public) for _, is_definer, settings, is_public in found} == {
        (True, "search_path=pg_catalog, pg_temp", False)
    }
    assert (
        database.run(
            "owner",
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'palimp'"
            " AND c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)",
        )
        == []
    )
