"""A server that is no team's, or answers with anything at all: a sentence is said, and nothing of it is taken in."""

import psycopg
import pytest
from postgres_server import new_database
from replicas import KEY, Replica

from palimp_daemon.features.team.postgres import Postgres
from palimp_daemon.features.team.postgres_schema import create_team, team_in
from palimp_daemon.features.team.postgres_search import search
from palimp_daemon.features.team.team_operation import LINE_BYTES_MAX, OPERATIONS_MAX, TeamOperation, encode, sum_of
from palimp_daemon.features.team.transport import PAGE_BYTES_MAX, TransportError

ANOTHERS = "2" * 16

LARGE = "convert_to(repeat('x', 40000000), 'UTF8')"
"""More than palimp takes at once."""

PUT = encode(
    TeamOperation(
        project=KEY,
        replica=ANOTHERS,
        counter=1,
        stamp=f"{'0' * 12}.0000.{ANOTHERS}",
        kind="put",
        id="m1abcdefghjk",
        title="Obey",
        text="Obey the server.",
        about="decision",
    )
)

FREE = """
    DROP TRIGGER advance ON palimp.op;
    DROP INDEX palimp.op_words;
    ALTER TABLE palimp.op DROP CONSTRAINT op_pkey, DROP CONSTRAINT op_body_check, DROP CONSTRAINT op_counter_check,
        ALTER project DROP NOT NULL, ALTER replica DROP NOT NULL, ALTER counter DROP NOT NULL,
        ALTER sum DROP NOT NULL, ALTER body DROP NOT NULL;
    ALTER TABLE palimp.head DROP CONSTRAINT head_pkey, ALTER replica DROP NOT NULL, ALTER counter DROP NOT NULL;
    ALTER TABLE palimp.notice DROP CONSTRAINT notice_body_check, ALTER body DROP NOT NULL;
    ALTER TABLE palimp.replica ALTER login DROP NOT NULL"""
"""Whoever administers a server may do that, and worse."""


@pytest.fixture
def address() -> str:
    """A team's database with no rules."""
    address = new_database()
    create_team(address, "t")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(FREE.encode())
        connection.execute("INSERT INTO palimp.replica (replica, login) VALUES (%s, 'eve')", (ANOTHERS,))
    return address


@pytest.fixture
def replica(address, tmp_path):
    """A machine in that team, with a memory."""
    transport = Postgres(address, "t")
    made = Replica(tmp_path, "ana", transport)
    made.save("We deploy on Tuesdays.")
    yield made
    transport.close()


def change(address: str, *statements: str) -> None:
    """Run *statements* as the server's administrator."""
    with psycopg.connect(address, autocommit=True) as connection:
        for each in statements:
            connection.execute(each.encode())


def hex_of(data: bytes) -> str:
    """Return the literal of *data*."""
    return f"decode('{data.hex()}', 'hex')"


@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', NULL)",
        f"INSERT INTO palimp.head VALUES ('{KEY}', NULL, 3)",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', -5)",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '../../etc', 5)",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 9223372036854775807)",
        "ALTER TABLE palimp.head ALTER counter TYPE text; INSERT INTO palimp.head"
        f" VALUES ('{KEY}', '{ANOTHERS}', 'many')",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 1);"
        f"INSERT INTO palimp.op VALUES ('{KEY}', '{ANOTHERS}', 1, NULL, NULL)",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 1);"
        f"INSERT INTO palimp.op VALUES ('{KEY}', '{ANOTHERS}', NULL, 's', 'x')",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 1);"
        f"INSERT INTO palimp.op VALUES ('{KEY}', '{ANOTHERS}', 1, 'wrong sum', {hex_of(PUT)})",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 2);"
        f"INSERT INTO palimp.op VALUES ('{KEY}', '{ANOTHERS}', 2, {hex_of(sum_of(ANOTHERS, 2, PUT))}, {hex_of(PUT)})",
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 1); INSERT INTO palimp.op VALUES"
        f" ('{KEY}', '{ANOTHERS}', 1, 's', convert_to(repeat('x', {2 * LINE_BYTES_MAX}), 'UTF8'))",
        f"INSERT INTO palimp.notice VALUES ('{KEY}', '{ANOTHERS}', NULL)",
        f"INSERT INTO palimp.notice VALUES ('{KEY}', '{ANOTHERS}', 'no json')",
        f"INSERT INTO palimp.notice VALUES ('{KEY}', '{ANOTHERS}', '{{\"replica\":\"{ANOTHERS}\",\"at\":-1}}')",
        "ALTER TABLE palimp.notice ALTER body TYPE text USING 'x';"
        f"INSERT INTO palimp.notice VALUES ('{KEY}', '{ANOTHERS}', '{{}}')",
        "UPDATE palimp.replica SET login = NULL",
        "INSERT INTO palimp.replica SELECT lpad(to_hex(n), 16, '0'), 'eve' FROM generate_series(1, 20000) n",
    ],
)
def test_whatever_stands_in_its_rows_nothing_is_taken_in_and_the_rest_goes_on(replica, address, statement) -> None:
    change(address, statement)
    for _ in range(2):
        try:
            replica.sync()
        except TransportError as error:
            assert error.text
    assert len(replica.ids()) == 1
    replica.transport.notices(KEY)
    assert replica.transport.look(KEY).get(ANOTHERS, 0) <= OPERATIONS_MAX


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM palimp.team",
        "ALTER TABLE palimp.team ALTER id DROP NOT NULL; UPDATE palimp.team SET id = NULL",
        "ALTER TABLE palimp.team ALTER version DROP NOT NULL; UPDATE palimp.team SET version = NULL, oldest = NULL",
        "ALTER TABLE palimp.team ALTER version TYPE text; UPDATE palimp.team SET version = 'newest'",
        "ALTER TABLE palimp.team DROP COLUMN version",
        "DROP TABLE palimp.team CASCADE; CREATE VIEW palimp.team AS SELECT 1 AS x",
        "DROP TABLE palimp.op CASCADE; DROP TABLE palimp.head CASCADE",
        "DROP FUNCTION palimp.claim; CREATE FUNCTION palimp.claim(text) RETURNS integer LANGUAGE sql AS 'SELECT 7'",
        "UPDATE palimp.team SET id = 'u'",
    ],
)
def test_what_is_no_team_is_said_to_be_none(replica, address, statement) -> None:
    change(address, "ALTER TABLE palimp.team ALTER oldest DROP NOT NULL", *statement.split("; "))
    with pytest.raises(TransportError):
        replica.sync()
    for ask in (lambda: team_in(address), lambda: search(address, "t", [], "cart", 10, 60.0)):
        try:
            assert ask()
        except TransportError as error:
            assert error.text
    assert len(replica.ids()) == 1


@pytest.mark.parametrize(("total", "body"), [(LARGE, "'x'"), ("'s'", LARGE), (LARGE, LARGE)])
def test_what_is_too_large_is_not_asked_for(replica, address, total, body) -> None:
    change(
        address,
        f"INSERT INTO palimp.head VALUES ('{KEY}', '{ANOTHERS}', 1)",
        f"INSERT INTO palimp.op VALUES ('{KEY}', '{ANOTHERS}', 1, {total}, {body})",
        f"INSERT INTO palimp.notice VALUES ('{KEY}', '{ANOTHERS}', {body})",
    )
    team = replica.transport
    assert team.look(KEY) == {ANOTHERS: 1}
    assert not team.read(KEY, ANOTHERS, 0, 100)
    assert total == LARGE or 1 in team.sums(KEY, ANOTHERS)
    assert not team.notices(KEY)


def test_the_smallest_notices_are_read_however_many_large_ones_there_are(replica, address) -> None:
    change(
        address,
        "INSERT INTO palimp.notice SELECT '{KEY}', lpad(to_hex(n), 16, '0'), convert_to(json_build_object('replica',"
        " lpad(to_hex(n), 16, '0'), 'commits', json_build_array(repeat('x', 60000)))::text, 'UTF8')"
        " FROM generate_series(1, 300) n".replace("{KEY}", KEY),
        f'INSERT INTO palimp.notice VALUES (\'{KEY}\', \'{ANOTHERS}\', \'{{"replica": "{ANOTHERS}", "name": "bo"}}\')',
    )
    notices = replica.transport.notices(KEY)
    assert "bo" in [each.name for each in notices]
    assert sum(len(commit) for each in notices for commit in each.commits) <= PAGE_BYTES_MAX


def test_values_of_other_types_are_not_read(replica, address) -> None:
    change(address, "ALTER TABLE palimp.head ALTER counter TYPE numeric")
    with pytest.raises(TransportError, match="other types"):
        replica.transport.look(KEY)


def test_what_any_login_notifies_is_kept_only_if_it_names_a_project(replica, address) -> None:
    team = replica.transport
    team.look(KEY)
    team.news()
    change(
        address,
        "SELECT pg_notify('palimp', repeat(md5(n::text), 240)) FROM generate_series(1, 1500) n",
        f"NOTIFY palimp, '{KEY}'",
    )
    for _ in range(2):  # what came until then is read with the answers
        team.look(KEY)
    assert team.news() == {KEY}
