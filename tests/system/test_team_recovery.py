"""What goes wrong on one machine of a team, or in one project, is put right by commands and stops nothing else."""

import shutil
from pathlib import Path

import pytest
from postgres_server import as_login, new_database
from running_daemon import temporary_home, wait_until
from team_machine import Machine

ARRIVES_S = 60.0


@pytest.fixture
def machines():
    """Two machines."""
    with temporary_home() as one, temporary_home() as other:
        yield Machine(one), Machine(other)


def test_a_project_that_the_server_refuses_stops_no_other(machines) -> None:
    boss, ana = machines
    address = new_database("boss_r")
    boss.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    boss.run("team", "create", address)
    boss.run("team", "share", "--as", "shop", "--yes")
    boss.run("team", "invite", "ana_r", "--only-here")
    ana.run("team", "join", as_login(address, "ana_r"), "--password", typed="x\n")
    bakery = ana.project.with_name("bakery")
    bakery.mkdir()
    ana.run("add", "Bread is baked at four.", "--kind", "decision", "--project", str(bakery))
    ana.run("team", "share", "--as", "bakery", "--yes", "--project", str(bakery))
    ana.run("team", "share", "--as", "shop", "--yes")
    ana.run("add", "The cart lives in Redis.", "--kind", "decision")
    wait_until(lambda: boss.has("Redis"), ARRIVES_S)
    problems = {each["name"]: each.get("problem", "") for each in ana.json("team", "status", status=4)["projects"]}
    assert problems["bakery"] == "Your login may not write in this project."
    assert problems["shop"] == ""
    said = ana.run("team", "status", status=4)
    assert "bakery: 1 of yours not sent" in said
    assert "shop: 0 of yours not sent" in said


def test_a_machine_that_is_put_back_to_its_backup_has_and_sends_everything_once(machines, tmp_path: Path) -> None:
    laptop, desktop = machines
    laptop.run("team", "create", str(tmp_path / "carried"), "--as", "laptop")
    laptop.run("team", "share", "--as", "shop", "--yes")
    desktop.run("add", "Bread is baked at four.", "--kind", "decision")
    desktop.run("team", "join", str(tmp_path / "carried"), "--as", "desktop")
    desktop.run("team", "share", "--as", "shop", "--yes")
    laptop.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    wait_until(lambda: desktop.has("checkout"), ARRIVES_S)
    laptop.run("backup", str(tmp_path / "backup.db"))
    laptop.run("add", "The cart lives in Redis.", "--kind", "decision")
    wait_until(lambda: desktop.has("Redis"), ARRIVES_S)
    laptop.run("stop")
    [database] = laptop.project.parent.rglob("palimp.db")
    for each in database.parent.glob("palimp.db-*"):
        each.unlink()
    shutil.copy(tmp_path / "backup.db", database)
    laptop.run("add", "Invoices are made at night.", "--kind", "decision")
    wait_until(lambda: laptop.has("Redis") and desktop.has("Invoices"), ARRIVES_S)
    for machine in machines:
        texts = [each["content"] for each in machine.json("list", "--detail", "full")["memories"]]
        assert sorted(texts) == [
            "Bread is baked at four.",
            "Invoices are made at night.",
            "The cart lives in Redis.",
            "We deploy the checkout on Tuesdays.",
        ]
