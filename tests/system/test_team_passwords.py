"""A password of a team's database stands in no log, list of processes, export, error or reply."""

import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from postgres_server import Server, new_database, programs
from psycopg.conninfo import conninfo_to_dict
from running_daemon import temporary_home, wait_until
from team_machine import Machine

ARRIVES_S = 60.0

HBA = b"local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


@pytest.fixture(scope="module")
def server():
    """A server that asks for passwords by TCP, and logs every statement; and its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = Server(programs())
    options = {"listen_addresses": "127.0.0.1", "port": str(port), "log_statement": "all", "log_connections": "on"}
    made.restart_with(options, {"pg_hba.conf": HBA})
    yield made, port
    made.remove()


@pytest.fixture
def machines():
    """Two machines."""
    with temporary_home() as one, temporary_home() as other:
        yield Machine(one), Machine(other)


def processes_with(secret: str) -> list[str]:
    """Return the command lines and environments of processes that have *secret* in them."""
    found: list[str] = []
    for path in [*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ")]:
        try:
            text = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if secret in text:
            found.append(text)
    return found


def test_a_password_stands_nowhere_but_in_its_file(machines, server, tmp_path: Path) -> None:
    boss, ana = machines
    made, port = server
    address = new_database("boss_p", made)
    boss.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    boss.run("team", "create", address)
    boss.run("team", "share", "--as", "shop", "--yes")
    secret = boss.run("team", "invite", "ana_p").rpartition("password: ")[2].split()[0]
    place = f"postgresql://ana_p@127.0.0.1:{port}/{conninfo_to_dict(address)['dbname']}"

    wrong = ana.run("team", "join", place, "--password", typed=f"not-{secret}\n", status=4)
    assert "cannot be reached" in wrong
    assert "password authentication failed" in wrong
    assert secret not in wrong
    assert not [*ana.project.parent.rglob("team.pgpass")]
    assert "cannot be reached" in ana.run("team", "join", place, status=4)

    with subprocess.Popen(
        [sys.executable, "-m", "palimp_shim", "team", "join", place, "--password"],
        env=ana.env,
        cwd=ana.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as joining:
        assert joining.stdin
        assert joining.stdout
        joining.stdin.write(f"{secret}\n")
        joining.stdin.close()
        while joining.poll() is None:
            assert processes_with(secret) == []
        said = joining.stdout.read()
    assert joining.returncode == 0
    ana.run("team", "share", "--as", "shop", "--yes")
    wait_until(lambda: ana.has("checkout"), ARRIVES_S)
    ana.run("backup", str(tmp_path / "backup.db"))
    for words in (
        ["export", "--all", "-"],
        ["team", "status"],
        ["team", "status", "--json"],
        ["team", "members", "--json"],
        ["health", "--verbose", "--json"],
        ["doctor", "--json"],
        ["search", "checkout", "--team"],
    ):
        said += ana.run(*words, status=None)
    said += boss.run("team", "members", "--json")
    assert secret not in said
    assert processes_with(secret) == []
    [kept] = ana.project.parent.rglob("team.pgpass")
    files = [path for each in machines for path in each.project.parent.rglob("*") if path.is_file()]
    files += [tmp_path / "backup.db", *(path for path in made.folder.rglob("*") if path.is_file())]
    assert [path for path in files if secret.encode() in path.read_bytes()] == [kept]
    log = (made.folder / "log").read_text()
    assert "add_member" in log  # it is the log of that


def test_a_password_that_was_changed_and_a_server_that_was_moved_are_told_by_joining_again(machines, server) -> None:
    boss, ana = machines
    made, port = server
    address = new_database("boss_q", made)
    boss.run("team", "create", address)
    boss.run("team", "share", "--as", "shop", "--yes")
    secret = boss.run("team", "invite", "ana_q").rpartition("password: ")[2].split()[0]
    name = conninfo_to_dict(address)["dbname"]
    place = f"postgresql://ana_q@127.0.0.1:{port}/{name}"
    ana.run("team", "join", place, "--password", "--as", "laptop", typed=f"{secret}\n")
    ana.run("team", "share", "--as", "shop", "--yes")
    ana.run("team", "sync")
    with psycopg.connect(made.address, autocommit=True) as connection:
        connection.execute("ALTER ROLE ana_q PASSWORD 'changed'")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ana_q'")
    ana.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    assert "palimp team join ADDRESS --password" in ana.run("team", "sync", "--now", status=4)

    assert "failed for user" in ana.run("team", "join", place, "--password", typed="wrong\n", status=4)
    other = new_database("boss_r", made)
    boss_of_other = boss.run("team", "create", other, status=1)
    assert "in a team already" in boss_of_other
    said = ana.run("team", "join", place, "--password", typed="changed\n")
    assert "laptop" in said
    assert "Nothing is shared" not in said
    assert "0 of yours not sent" in ana.run("team", "sync", "--now")
    assert len([*ana.project.parent.rglob("team*.pgpass")]) == 1

    with psycopg.connect(made.address, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        connection.execute(f"ALTER DATABASE {name} RENAME TO moved_{name}".encode())
    ana.run("add", "We deploy the cart on Mondays.", "--kind", "decision")
    assert "PROBLEM" in ana.run("team", "sync", "--now", status=4)
    ana.run("team", "join", f"postgresql://ana_q@127.0.0.1:{port}/moved_{name}", "--password", typed="changed\n")
    assert "0 of yours not sent" in ana.run("team", "sync", "--now")


def test_another_team_is_not_joined_beside_the_first(machines, tmp_path: Path) -> None:
    one, other = machines
    one.run("team", "create", str(tmp_path / "one"))
    other.run("team", "create", str(tmp_path / "other"))
    assert "in another team already" in one.run("team", "join", str(tmp_path / "other"), status=1)
    assert str(tmp_path / "one") in one.run("team", "status")
