"""A search of the server finds what others shared of projects that are not here, and nothing else."""

import contextlib
import itertools
import threading

import psycopg
import pytest
from new_stores import new_store
from postgres_server import as_login, new_database
from replicas import KEY, Replica

from palimp_daemon.features.team.found_texts import Asked, asked_words, memories_in
from palimp_daemon.features.team.postgres import Postgres
from palimp_daemon.features.team.postgres_members import invite
from palimp_daemon.features.team.postgres_schema import build_index, create_team, needs_index, schema_text, team_in
from palimp_daemon.features.team.postgres_search import search
from palimp_daemon.features.team.team_operation import TeamOperation, encode
from palimp_daemon.features.team.transport import TransportError
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memory_messages import Recall

WITHIN_S = 60.0
_NUMBERS = itertools.count(1)


@pytest.fixture
def owner() -> str:
    """The address of a team's database for its owner."""
    address = new_database(f"searched_{next(_NUMBERS)}")
    create_team(address, "t")
    return address


@pytest.fixture
def member(owner, tmp_path, request):
    """Makes machines of members who are invited."""

    def make(login: str, role: str = "writer", project: str = "*", key: str = KEY) -> Replica:
        name = f"{login}_{next(_NUMBERS)}"
        invite(owner, name, role, project)
        transport = Postgres(as_login(owner, name), "t")
        request.addfinalizer(transport.close)
        made = Replica(tmp_path, name, transport, key=key)
        made.address = as_login(owner, name)
        return made

    return make


@pytest.fixture
def find(tmp_path):
    """Searches at an address; returns the rows."""
    stems = new_store(tmp_path / "asks.db").stems

    def run(address: str, query: str, here=(), **fields):
        found = search(address, "t", here, asked_words(query), 100, WITHIN_S)
        asked = Asked(Recall(query=query, scope="team", **fields), stems, Redactor())
        return memories_in(found.operations, found.names, asked)

    return run


def test_a_text_is_found_with_its_author_and_project_unless_that_is_here(owner, member, find) -> None:
    ana = member("ana")
    ana.save("The cart lives in Redis, since a lock lost an order.")
    ana.save("The invoices are made at night.")
    ana.sync()
    [row] = find(owner, "where does the cart live")
    assert (row.author, row.project, row.kind) == (ana.name, "shop", "decision")
    assert "Redis" in row.line
    [whole] = find(owner, "where does the cart live", detail="full")
    assert whole.content == "The cart lives in Redis, since a lock lost an order."
    assert find(owner, "where does the cart live", here=[KEY]) == []
    assert find(owner, "where does the cart live", kind="fix") == []
    assert find(owner, "colour of bicycles") == []
    assert [each.author for each in find(ana.address, "where does the cart live")] == [ana.name]


def test_what_was_deleted_is_not_found_and_what_was_replaced_says_so(owner, member, find) -> None:
    ana = member("ana")
    deleted, erased, old = (ana.save(f"Checkout runs on {day}.") for day in ("Mondays", "Tuesdays", "Wednesdays"))
    ana.sync()
    ana.purge(deleted)
    ana.erase(erased)
    ana.edit(old, "Checkout runs on Thursdays.")
    ana.sync()
    rows = find(owner, "which day checkout runs")
    assert [each.title for each in rows] == ["Checkout runs on Thursdays", "Checkout runs on Wednesdays"]
    assert [[link.title for link in each.links] for each in rows] == [[], ["Checkout runs on Thursdays"]]
    ana.restore(deleted)
    ana.sync()
    assert "Checkout runs on Mondays" in [each.title for each in find(owner, "which day checkout runs")]


def test_a_word_of_many_memories_counts_with_the_others_and_texts_without_spaces_are_found(owner, member, find) -> None:
    ana = member("ana")
    for number in range(600):
        ana.save(f"Service number {number} keeps a queue.")
    ana.save("請求書は毎晩作られます。")
    ana.sync()
    assert len(find(owner, "service queue")) == 100
    assert find(owner, "service queue 417")[0].title == "Service number 417 keeps a queue"
    assert [each.title for each in find(owner, "請求書")] == ["請求書は毎晩作られます"]


def test_only_members_of_a_project_find_its_texts(member, find) -> None:
    other = "cd" * 16
    ana, eve = member("ana"), member("eve", "reader", other, key=other)
    ana.save("The cart lives in Redis.")
    ana.sync()
    assert find(eve.address, "cart Redis") == []
    with psycopg.connect(eve.address) as connection:
        rows = connection.execute("SELECT count(*) FROM palimp.search(%s, 'cart', 10)", ([KEY, other],)).fetchall()
    assert rows == [(0,)]


def test_another_changes_no_text_and_a_forged_one_is_left_out(owner, member, find) -> None:
    ana, mal = member("ana"), member("mal")
    memory = ana.save("The cart lives in Redis.")
    ana.sync()
    mal.save("Mallory was here.")
    mal.sync()
    replica = "9" * 16
    put = TeamOperation(
        project=KEY, replica=replica, counter=1, stamp=f"{'f' * 12}.0000.{replica}", kind="put", id=memory,
        title="The cart lives with Mallory", text="The cart lives with Mallory.", about="decision",
    )  # fmt: skip
    forged = [
        encode(put),
        encode(put)[:-1] + b',"replica":"%s"}' % (b"8" * 16),
        b'{"text":"cart \\u0000"}',
        b"\xff cart",
    ]
    mal.transport.append(KEY, replica, [*enumerate(forged, 1)])
    [row] = find(owner, "where does the cart live")
    assert (row.title, row.author) == ("The cart lives in Redis", ana.name)


def test_the_index_is_used_by_one_for_whom_rows_are_guarded(owner, member) -> None:
    ana = member("ana")
    ana.save("The cart lives in Redis.")
    ana.sync()
    with psycopg.connect(owner) as connection:
        plan = connection.execute(
            "EXPLAIN SELECT 1 FROM palimp.op o WHERE o.project = %s AND palimp.keys_of(o.project, o.body) @> ARRAY[1]",
            (KEY,),
        ).fetchall()
    assert "op_words" in str(plan)


def test_a_server_that_does_not_answer_in_time_or_has_an_older_schema_is_said(owner, member, find) -> None:
    ana = member("ana")
    with psycopg.connect(owner) as connection:
        connection.execute("LOCK TABLE palimp.head IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(TransportError, match="cannot be reached: canceling statement"):
            search(ana.address, "t", [], "cart", 10, 0.2)
    with psycopg.connect(owner) as connection:
        connection.execute("UPDATE palimp.team SET version = 2")
    with pytest.raises(TransportError, match="cannot be searched"):
        search(ana.address, "t", [], "cart", 10, WITHIN_S)
    with pytest.raises(TransportError, match="another team"):
        search(ana.address, "u", [], "cart", 10, WITHIN_S)


def test_an_older_schema_is_used_until_its_owner_is_upgraded_and_then_every_member_finds_by_it(request) -> None:
    owner, writer = older_database(1)
    transport = Postgres(writer, "t")
    request.addfinalizer(transport.close)
    assert team_in(owner) == "t"
    build_index(owner)
    transport.append(KEY, SEVENS, [(2, b'{"text":"two"}')])
    assert search(writer, "t", [], "two", 10, WITHIN_S).operations[0].counter == 2


def test_a_schema_of_a_newer_palimp_is_used_as_far_as_it_is_known(owner) -> None:
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("UPDATE palimp.team SET version = 99")
        assert team_in(owner) == "t"
        connection.execute("UPDATE palimp.team SET oldest = 99")
    with pytest.raises(TransportError, match="newer palimp"):
        team_in(owner)


def older_database(rows: int) -> tuple[str, str]:
    """Return a database of before there was a search, with operations; and the address of a writer in it."""
    address = new_database(f"searched_{next(_NUMBERS)}")
    login = f"older_{next(_NUMBERS)}"
    with psycopg.connect(address) as connection:
        connection.execute(schema_text().partition("-- Search in operations")[0].encode())
        connection.execute("INSERT INTO palimp.team (one, id, version) VALUES (1, 't', 2)")
        connection.execute("SELECT palimp.add_member(%s, 'SCRAM-SHA-256$x', '*', 'writer')", (login,))
    transport = Postgres(as_login(address, login), "t")
    transport.append(KEY, SEVENS, [(number, b'{"text":"cart %d"}' % number) for number in range(1, rows + 1)])
    transport.close()
    return address, as_login(address, login)


SEVENS = "7" * 16


def test_while_the_index_is_made_everybody_goes_on_and_a_search_says_so(request) -> None:
    owner, writer = older_database(20)
    transport = Postgres(writer, "t")
    request.addfinalizer(transport.close)
    with psycopg.connect(owner) as busy:
        busy.execute("UPDATE palimp.op SET body = body")  # for which the making of an index waits
        assert team_in(owner) == "t"
        assert needs_index(owner)
        making = threading.Thread(target=build_index, args=(owner,))
        making.start()
        with psycopg.connect(owner, autocommit=True) as looking:
            is_made = "SELECT count(*) FROM pg_stat_progress_create_index"
            while looking.execute(is_made).fetchone() == (0,):
                assert making.is_alive()
        build_index(owner)  # another machine of the owner's leaves it alone
        other = "6" * 16
        assert not transport.look("cd" * 16)
        transport.append("cd" * 16, other, [(1, b'{"text":"cart new"}')])
        with pytest.raises(TransportError, match="is being built"):
            search(writer, "t", [], "cart", 10, WITHIN_S)
        assert needs_index(writer)
        busy.rollback()
    making.join()
    assert not needs_index(writer)
    assert len(search(writer, "t", [], "cart", 100, WITHIN_S).operations) == 21


def test_an_index_that_was_made_by_half_is_made_anew_by_its_owner_alone() -> None:
    owner, writer = older_database(5)
    assert team_in(owner) == "t"
    with psycopg.connect(owner) as busy, psycopg.connect(owner, autocommit=True) as looking:
        busy.execute("UPDATE palimp.op SET body = body")
        making = threading.Thread(target=attempt, args=(owner,))
        making.start()
        pid = None
        while pid is None:
            assert making.is_alive()
            pid = looking.execute("SELECT max(pid) FROM pg_stat_progress_create_index").fetchone()[0]
        looking.execute("SELECT pg_terminate_backend(%s)", (pid,))
        making.join()
        busy.rollback()
    build_index(writer)
    assert needs_index(owner)
    build_index(owner)
    assert not needs_index(owner)
    assert len(search(writer, "t", [], "cart", 100, WITHIN_S).operations) == 5


def attempt(address: str) -> None:
    """Make the index, unless that is given up."""
    with contextlib.suppress(TransportError):
        build_index(address)
