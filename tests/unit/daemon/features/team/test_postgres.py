"""A team's database: what stands in it, who is let in, and what is said when it cannot be used."""

import ast
import re
import select
from pathlib import Path

import psycopg
import pytest
from postgres_server import new_database
from replicas import KEY, Replica, sync_all

from palimp_daemon.features.team import postgres
from palimp_daemon.features.team.postgres import Postgres
from palimp_daemon.features.team.postgres_connection import checked_address
from palimp_daemon.features.team.postgres_schema import create_team, schema_text, team_in
from palimp_daemon.features.team.transport import TransportError
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_store

SAFETY_S = 120.0
"""Seconds after which a test that would hang is red."""

MINUTE_S = 60.0


@pytest.fixture
def address() -> str:
    """A database with a team."""
    address = new_database()
    create_team(address, "t")
    return address


@pytest.fixture
def transport(address, request):
    """Makes transports by that database."""

    def make() -> Postgres:
        made = Postgres(address, "t")
        request.addfinalizer(made.close)
        return made

    return make


def bodies(address: str) -> bytes:
    """Return everything that replicas put into the database."""
    with psycopg.connect(address) as connection:
        found = connection.execute("SELECT body FROM palimp.op UNION ALL SELECT body FROM palimp.notice").fetchall()
    return b"\n".join(bytes(body) for (body,) in found)


def test_private_and_erased_text_stands_nowhere_in_it(tmp_path, transport, address) -> None:
    ana, bo = Replica(tmp_path, "ana", transport()), Replica(tmp_path, "bo", transport())
    ana.save("CANARY-1 is a note.", kind="note")
    ana.save("CANARY-2 is private.", tags=["private"])
    erased = ana.save("CANARY-3 is to go.")
    sync_all([ana, bo])
    assert b"CANARY-3" in bodies(address)
    bo.erase(erased)
    sync_all([ana, bo])
    assert b"CANARY" not in bodies(address)
    assert erased not in ana.ids()
    assert bo.ids() == []


def test_a_copied_home_becomes_a_replica_of_its_own(tmp_path, transport) -> None:
    ana, bo = Replica(tmp_path, "ana", transport()), Replica(tmp_path, "bo", transport())
    ana.save("Before the copy.")
    sync_all([ana, bo])
    ana.store.connection.execute("VACUUM INTO ?", (str(tmp_path / "clone.db"),))
    clone = Replica.__new__(Replica)
    clone.__dict__.update(ana.__dict__)
    clone.transport = transport()
    clone.bits, clone.drawn = iter(range(500, 9_999)), iter(range(1 << 40, 1 << 41))
    clone.open(open_store(tmp_path / "clone.db", "auto"))
    ana.save("By the one.")
    clone.save("By its copy.")
    sync_all([ana, clone, bo, ana, clone, bo])
    texts = [text for (text,) in rows(bo.store.connection, "SELECT content FROM memories ORDER BY content")]
    assert texts == ["Before the copy.", "By its copy.", "By the one."]
    assert ana.shared_state() == bo.shared_state() == clone.shared_state()


def test_a_server_that_was_put_back_is_filled_again(tmp_path, transport, address) -> None:
    ana = Replica(tmp_path, "ana", transport())
    ana.save("One.")
    ana.sync()
    ana.save("Two.")
    ana.sync()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DELETE FROM palimp.op WHERE counter > 1")
        connection.execute("UPDATE palimp.head SET counter = 1")
    ana.sync()
    bo = Replica(tmp_path, "bo", transport())
    bo.sync()
    assert bo.shared_state() == ana.shared_state()


def test_a_lost_connection_is_made_anew(tmp_path, transport, address) -> None:
    ana = Replica(tmp_path, "ana", transport())
    ana.save("One.")
    ana.sync()
    ana.save("Two.")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'palimp' AND datname = current_database()"
        )
    with pytest.raises(TransportError, match="cannot be reached"):
        ana.sync()
    assert ana.sync().sent == 1


def next_news(transport: Postgres) -> frozenset[str] | None:
    """Wait until *transport* heard of something; return what."""
    while True:
        bell = transport.bell()
        assert bell
        with bell:
            news = transport.news()
            if news != frozenset():
                return news
            assert select.select([bell], [], [], SAFETY_S)[0]


def test_it_hears_of_what_others_send_and_of_a_connection_that_was_lost(tmp_path, transport, address) -> None:
    one, other = transport(), transport()
    ana, bo = Replica(tmp_path, "ana", one), Replica(tmp_path, "bo", other)
    sync_all([ana, bo])
    assert (one.news(), other.news()) == (None, None)  # nothing was heard before they were connected
    ana.save("Heard of.")
    ana.sync()
    assert next_news(other) == {KEY}
    ana.save("Heard of with the answers to a statement, perhaps.")
    ana.sync()
    other.notices(KEY)
    assert next_news(other) == {KEY}
    assert one.news() == frozenset()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_notify('palimp', 'no project'), pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'palimp' AND datname = current_database()"
        )
    with pytest.raises(TransportError):
        next_news(other)
    assert next_news(other) is None


def test_behind_a_pooler_it_looks_more_often_as_it_hears_nothing(transport, monkeypatch) -> None:
    direct, pooled = transport(), transport()
    bell = direct.bell()
    assert bell
    bell.close()
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", -1)  # a pooler shows another process
    assert pooled.bell() is None
    assert pooled.look_s < MINUTE_S < direct.look_s


def test_each_statement_and_key_names_the_project(address) -> None:
    with psycopg.connect(address) as connection:
        keys = connection.execute(
            "SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE n.nspname = 'palimp'"
        ).fetchall()
        expressions = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'palimp' AND indexdef !~ '\\((project|one|replica)'"
        ).fetchall()
    small = ("team", "replica")  # they stand on every node
    assert {key for table, key in keys if table not in small} == {"project"}
    assert all("keys_of(project, body)" in definition for (definition,) in expressions)
    strings = [
        "".join(part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
        for module in Path(postgres.__file__).parent.glob("postgres*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Constant | ast.JoinedStr)
    ]
    statements = [each for each in strings if re.search(r"\bpalimp\.(op|head|notice|member|audit)\b", each)]
    assert len(statements) > 5
    assert [each for each in statements if "project" not in each] == []


def test_each_statement_of_the_schema_s_functions_names_the_project(address) -> None:
    """But of `member`, whose role in every project is asked for, too: it is small and stands on every node."""
    with psycopg.connect(address) as connection:
        found = connection.execute(
            "SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
            " WHERE n.nspname = 'palimp'"
        ).fetchall()
    assert len(found) > 8
    of_large = re.compile(r"(?:FROM|INTO|UPDATE|JOIN)\s+palimp\.(?:op|head|notice|audit)\b")
    statements = [
        (name, part)
        for name, source in found
        for part in re.split(r";|\bLATERAL\b|\bAS (?:MATERIALIZED )?\(", source)
        if of_large.search(part)
    ]
    assert len(statements) >= 9
    assert [each for each in statements if not re.search(r"\bproject\b", each[1])] == []


def test_strangers_to_the_database_may_do_nothing(address) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS stranger")
        connection.execute("CREATE ROLE stranger")
        try:
            connection.execute("SET ROLE stranger")
            for table in ("team", "op", "head", "notice"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(f"SELECT * FROM palimp.{table}".encode())
        finally:
            connection.execute("RESET ROLE")
            connection.execute("DROP ROLE stranger")


def test_an_address_with_a_password_is_refused_and_not_repeated() -> None:
    for address in ("postgresql://ana:hush@db/team", "postgresql://db/team?password=hush"):
        with pytest.raises(TransportError) as refused:
            checked_address(address)
        assert "hush" not in refused.value.text + refused.value.hint
        assert "~/.pgpass" in refused.value.hint


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u@/db?hostaddr=192.0.2.1",
        "postgresql://u@localhost/db?hostaddr=192.0.2.1",
        "postgresql://u@localhost,db.example.org/db",
        "postgresql:///?service=team",
        "postgresql:///db",
    ],
)
def test_what_may_lead_elsewhere_must_show_its_certificate(address: str) -> None:
    """Also by what a service file or the environment says."""
    assert checked_address(address)["sslmode"] == "verify-full"
    with pytest.raises(TransportError, match="certificate"):
        checked_address(f"{address}{'&' if '?' in address else '?'}sslmode=prefer")


def test_an_address_of_this_machine_needs_no_certificate() -> None:
    for address in ("postgresql://u@localhost/db", "postgresql://u@127.0.0.1/db?hostaddr=127.0.0.1", "host=/run/x"):
        assert "sslmode" not in checked_address(address)


def test_a_server_elsewhere_must_show_its_certificate() -> None:
    assert checked_address("postgresql://ana@db.example/team")["sslmode"] == "verify-full"
    assert "sslmode" not in checked_address("postgresql://ana@localhost/team")
    with pytest.raises(TransportError, match="certificate"):
        checked_address("postgresql://ana@db.example/team?sslmode=require")


def test_each_fault_is_said_with_a_remedy(address) -> None:
    empty = new_database()
    with pytest.raises(TransportError, match="holds no team"):
        team_in(empty)
    with pytest.raises(TransportError, match="holds a team already"):
        create_team(address, "u")
    with pytest.raises(TransportError, match="cannot be reached"):
        team_in("postgresql://ana@127.0.0.1:1/team")
    with pytest.raises(TransportError, match="another team"):
        Postgres(address, "u").look(KEY)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("UPDATE palimp.team SET version = 99, oldest = 99")
    with pytest.raises(TransportError, match="newer palimp"):
        team_in(address)
    assert "CREATE SCHEMA palimp" in schema_text()
