"""Two machines, each with a home and a daemon, and a folder that both have: `palimp team` end to end."""

import re
import shlex
from pathlib import Path

import psycopg
import pytest
from claude_hooks import Agent
from postgres_server import as_login, new_database
from running_daemon import temporary_home, wait_until
from team_machine import Machine
from terminals import on_terminal

ARRIVES_S = 60.0


@pytest.fixture
def machines():
    """Two machines."""
    with temporary_home() as one, temporary_home() as other:
        yield Machine(one), Machine(other)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that both machines have."""
    return tmp_path / "carried"


def test_a_memory_is_found_on_the_other_machine(machines, folder) -> None:
    laptop, desktop = machines
    laptop.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    laptop.run("add", "CANARY: a note of mine.")
    laptop.run("team", "create", str(folder), "--as", "laptop")
    preview = laptop.json("team", "share", "--dry-run")
    assert (preview["would_share"], preview["stays"]) == (1, 1)
    laptop.run("team", "share", "--yes")
    assert "1 of yours" not in laptop.run("team", "sync")
    desktop.run("team", "join", str(folder), "--as", "desktop")
    desktop.run("team", "share", "--as", "shop")
    wait_until(lambda: desktop.has("checkout"), ARRIVES_S)
    assert not desktop.has("CANARY")
    assert b"CANARY" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    agent = Agent(laptop.env, laptop.project)
    assert agent.start()
    desktop.run("add", "The cart lives in Redis, since a lock in MySQL lost an order in March.", "--kind", "finding")
    wait_until(lambda: laptop.has("Redis"), ARRIVES_S)
    prompt = "Why does the cart live in Redis, and what about the lock in MySQL?"
    assert ", by desktop)" in agent.hook("UserPromptSubmit", prompt=prompt)["additionalContext"]
    status = laptop.run("team", "status")
    assert status.startswith("0 of yours not sent, 0 not applied, last heard of desktop just now\n")
    assert laptop.run("health").startswith("team       0 of yours not sent, 0 not applied, last heard of desktop")
    assert laptop.run("doctor", status=None).startswith("ok      team            0 of yours not sent, 0 not applied")
    assert "[by desktop]" in laptop.run("list")
    [project] = laptop.json("team", "status")["projects"]
    assert [member["name"] for member in project["members"]] == ["desktop"]


def test_a_person_chooses_what_stays_here(machines, folder) -> None:
    laptop, desktop = machines
    for text in ("We deploy the checkout on Tuesdays.", "CANARY: our margin is thin.", "The cart lives in Redis."):
        laptop.run("add", text, "--kind", "decision")
    [mended] = [each["id"] for each in laptop.json("list")["memories"] if "CANARY" in each["title"]]
    laptop.run("edit", mended, "CANARY: our margin is very thin.")
    laptop.run("team", "create", str(folder), "--as", "laptop")
    assert "asks at a terminal" in laptop.run("team", "share", "--ask", status=2)

    def ask(*keys: str) -> str:
        answers = [("shares nothing: ", each) for each in keys]
        return on_terminal(["team", "share", "--ask"], laptop.env, laptop.project, 100, answers=answers)[0]

    assert "Nothing was shared" in ask("q\n")
    assert laptop.json("team", "status")["projects"] == []
    said = ask("12\n", "1\n")
    assert "Numbers from 1 to 3" in said
    assert "1  m" in next(line for line in said.splitlines() if "CANARY" in line)
    assert "stays here" in said
    assert "0 of yours not sent" in laptop.run("team", "sync", "--now")
    desktop.run("team", "join", str(folder), "--as", "desktop")
    desktop.run("team", "share", "--as", "shop", "--yes")
    wait_until(lambda: desktop.has("checkout") and desktop.has("Redis"), ARRIVES_S)
    assert b"CANARY" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_an_agent_s_shell_shares_nothing_and_an_address_is_no_folder(machines, folder) -> None:
    laptop, _ = machines
    for words in (["create", str(folder)], ["join", str(folder)], ["share", "--yes"], ["leave", "--yes"]):
        laptop.env["CLAUDECODE"] = "1"
        assert "Only a person" in laptop.run("team", *words, status=2)
        del laptop.env["CLAUDECODE"]
    for place in ("host=db.example.org dbname=x password=hunter2", "postgres:/u@host/db"):
        assert "neither a folder nor an address" in laptop.run("team", "create", place, status=2)
    assert not folder.exists()


def test_a_database_carries_memories_too(machines) -> None:
    laptop, desktop = machines
    address = new_database()
    laptop.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    laptop.run("team", "create", address, "--as", "laptop")
    laptop.run("team", "share", "--yes")
    assert "0 of yours not sent" in laptop.run("team", "sync")
    desktop.run("team", "join", address, "--as", "desktop")
    desktop.run("team", "share", "--as", "shop")
    wait_until(lambda: desktop.has("checkout"), ARRIVES_S)


def test_somebody_else_is_invited_read_and_revoked(machines) -> None:
    boss, ana = machines
    address = new_database("boss")
    assert "FORCE ROW LEVEL SECURITY" in boss.run("team", "create", address, "--print")
    boss.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    boss.run("team", "create", address)
    boss.run("team", "share", "--yes")
    said = boss.run("team", "invite", "ana_d")
    assert "password: " in said
    [join] = [shlex.split(line) for line in said.splitlines() if "team join" in line]
    assert "No password was given" in ana.run(*join[1:], status=2)
    secret = said.rpartition("password: ")[2].split()[0]
    assert secret not in ana.run(*join[1:], typed=f"{secret}\n") + ana.run("team", "status") + ana.run("health")
    [kept] = ana.project.parent.rglob("team.pgpass")
    assert (kept.read_text(), kept.stat().st_mode & 0o777) == (f"*:*:*:*:{secret}\n", 0o600)
    files = [path for each in machines for path in each.project.parent.rglob("*") if path.is_file()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == [kept]
    ana.run("add", "The cart lives in Redis.", "--kind", "finding")
    ana.run("team", "share", "--as", "shop", "--yes")
    wait_until(lambda: boss.has("Redis"), ARRIVES_S)
    assert "[by ana_d]" in boss.run("list")
    theirs, own = boss.run("list", "--team"), boss.run("list", "--mine")
    assert [("Redis" in each, "checkout" in each) for each in (theirs, own)] == [(True, False), (False, True)]
    assert "Redis" in boss.run("search", "where does the cart live", "--team")
    assert "Redis" not in boss.run("search", "where does the cart live", "--mine", status=1)
    assert "checkout" not in boss.run("search", "what goes out on Tuesdays", "--team", status=1)
    assert "Redis" not in boss.run("context")
    assert "Nothing waits" in boss.run("team", "quarantine")
    boss.run("team", "trust", "ana_d")
    assert "by ana_d" in boss.run("context")
    assert "ana_d (you)\twriter\tevery project\t1 machine\tyes" in ana.run("team", "members")
    assert "Only an admin" in ana.run("team", "revoke", "boss", "--yes", status=4)
    assert "needs a yes" in boss.run("team", "revoke", "ana_d", status=2)
    boss.run("team", "revoke", "ana_d", "--yes")
    assert "PROBLEM" in ana.run("team", "sync", status=4)
    assert ana.has("Redis")
    ana.run("team", "leave", "--yes")
    assert not kept.exists()


def test_patterns_of_the_team_keep_a_memory_on_any_machine_and_only_the_owner_sets_them(machines) -> None:
    boss, ana = machines
    address = new_database("boss_t")
    boss.run("team", "create", address)
    assert "no patterns" in boss.run("team", "patterns")
    assert "ACME-[0-9]{6}" in boss.run("team", "patterns", "--add", "ACME-[0-9]{6}")
    assert "no RE2 pattern" in boss.run("team", "patterns", "--add", "(", status=2)
    assert "no such pattern" in boss.run("team", "patterns", "--remove", "ACME", status=1)
    ana.run("team", "join", as_login(address, _invited(boss, "ana_t")), "--password", typed="x\n")
    assert "Only the owner" in ana.run("team", "patterns", "--remove", "ACME-[0-9]{6}", status=4)
    ana.run("team", "share", "--as", "shop", "--yes")
    ana.run("add", "The customer is ACME-123456.", "--kind", "decision")
    ana.run("add", "The cart lives in Redis.", "--kind", "decision")
    said = ana.run("team", "sync", "--now")
    assert "1 of yours not sent" in said
    assert "those of the team" in said
    boss.run("team", "patterns", "--remove", "ACME-[0-9]{6}")
    assert "0 of yours not sent" in ana.run("team", "sync", "--now")


def test_what_only_the_server_has_is_found_by_a_search_of_the_team(machines) -> None:
    boss, ana = machines
    address = new_database("boss_s")
    boss.run("team", "create", address)
    ana.run("team", "join", as_login(address, _invited(boss, "ana_s")), "--password", typed="x\n")
    ana.run("add", "The cart lives in Redis, since a lock lost an order.", "--kind", "finding")
    ana.run("team", "share", "--as", "shop", "--yes")
    ana.run("team", "sync", "--now")
    said = boss.run("search", "where does the cart live", "--team")
    assert "Redis" in said
    assert "by ana_s" in said
    [whole] = set(re.findall(r"\bm[0-9a-z]{11}\b", said))
    shown = boss.run("show", whole)
    assert "The cart lives in Redis, since a lock lost an order." in shown
    assert "Of a project that is not shared here" in shown
    assert "no such memory" in boss.run("show", "m0000000000z", status=1)
    assert "1 project not shared here: searched on" in said
    assert "No memory" in boss.run("search", "where does the cart live", status=1)
    with psycopg.connect(address) as connection:
        connection.execute("LOCK TABLE palimp.head IN ACCESS EXCLUSIVE MODE")
        assert "only this machine was searched" in boss.run("search", "where does the cart live", "--team", status=1)


def _invited(boss: Machine, login: str) -> str:
    boss.run("team", "invite", login)
    return login


def test_a_folder_that_is_gone_is_said_and_work_goes_on(machines, folder) -> None:
    laptop, _ = machines
    laptop.run("team", "create", str(folder), "--as", "laptop")
    laptop.run("team", "share", "--yes")
    folder.rename(folder.with_name("elsewhere"))
    said = laptop.run("team", "sync", status=4)
    assert f"PROBLEM  {folder} is not there." in said
    assert f"{folder} is not there." in laptop.run("health", status=0)
    laptop.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    assert laptop.has("checkout")
    folder.with_name("elsewhere").rename(folder)
    assert "0 of yours not sent" in laptop.run("team", "sync")


def test_each_mistake_is_answered_with_a_remedy(machines, folder, tmp_path) -> None:
    laptop, desktop = machines
    assert "palimp team create" in laptop.run("team", "share", "--yes", status=1)
    assert "holds no team" in laptop.run("team", "join", str(tmp_path), status=4)
    assert "is not there" in laptop.run("team", "join", str(tmp_path / "nowhere"), status=4)
    said = laptop.run("team", "create", "postgresql://ana:hush@db/team", status=4)
    assert "~/.pgpass" in said
    assert "hush" not in said
    laptop.run("team", "create", str(folder), "--as", "laptop")
    assert "palimp team join" in desktop.run("team", "create", str(folder), status=4)
    assert "palimp team leave" in laptop.run("team", "create", str(tmp_path / "second"), status=1)
    assert "is not shared" in laptop.run("team", "unshare", status=1)
    laptop.run("team", "leave", "--yes")
    assert "in no team" in laptop.run("team", "status")


def test_a_project_that_gets_another_name_has_it_on_the_other_machine_too(machines, folder) -> None:
    laptop, desktop = machines
    laptop.run("team", "create", str(folder), "--as", "laptop")
    desktop.run("team", "join", str(folder), "--as", "desktop")
    for each in machines:
        each.run("team", "share", "--yes")
    laptop.run("team", "share", "--as", "store", "--yes")
    desktop.run("add", "The cart lives in Redis.", "--kind", "finding")
    laptop.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    wait_until(lambda: desktop.has("checkout") and laptop.has("Redis"), ARRIVES_S)
    for each in machines:
        each.run("team", "sync")
        assert len(each.json("team", "status")["projects"]) == 1
        each.run("team", "share", "--as", "store", "--yes")
    assert len(list(folder.glob("*/*.log"))) >= 2


def test_adopting_a_folder_says_what_becomes_of_sharing(machines, folder) -> None:
    laptop, _ = machines
    laptop.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    laptop.run("team", "create", str(folder))
    laptop.run("team", "share", "--yes")
    former, laptop.project = laptop.project, laptop.project.with_name("store")
    laptop.project.mkdir()
    laptop.run("add", "The cart lives in Redis.", "--kind", "finding")
    former.rename(former.with_name("gone"))
    assert "are, too, after team.hold" in laptop.run("adopt", str(former))
    third, laptop.project = laptop.project, laptop.project.with_name("third")
    laptop.project.mkdir()
    laptop.run("add", "The log is in Loki.", "--kind", "finding")
    laptop.run("team", "unshare", "--project", str(third))
    laptop.run("team", "share", "--yes")
    third.rename(third.with_name("gone too"))
    assert "not shared with your team any more" in laptop.run("adopt", str(third))
