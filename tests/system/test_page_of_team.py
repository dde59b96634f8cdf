"""The page of a team on a real PostgreSQL: people, trust, and of each memory whether the team has it."""

import re
import shlex

import pytest
from daemon_asking import ask
from page_browser import PageBrowser
from postgres_server import new_database
from running_daemon import temporary_home, wait_until
from team_machine import Machine

ARRIVES_S = 60.0


@pytest.fixture
def machines():
    """Two machines."""
    with temporary_home() as one, temporary_home() as other:
        yield Machine(one), Machine(other)


def test_people_are_listed_and_each_memory_says_whether_the_team_has_it(machines):
    boss, ana = machines
    boss.run("add", "We deploy the checkout on Tuesdays.", "--kind", "decision")
    boss.run("team", "create", new_database("boss"))
    boss.run("team", "share", "--yes")
    said = boss.run("team", "invite", "ana_d")
    [join] = [shlex.split(line) for line in said.splitlines() if "team join" in line]
    ana.run(*join[1:], typed=f"{said.rpartition('password: ')[2].split()[0]}\n")
    ana.run("add", "The cart lives in Redis.", "--kind", "finding")
    ana.run("team", "share", "--as", "shop", "--yes")
    wait_until(lambda: boss.has("Redis"), ARRIVES_S)
    texts = {"note": "A note of mine.", "decision": "Deploys need two people."}
    ids = {kind: ask(boss.env, boss.project, "save_memory", text=text, kind=kind).id for kind, text in texts.items()}
    [hers] = [each["id"] for each in boss.json("list")["memories"] if "Redis" in each["title"]]

    browser = PageBrowser(boss.env, boss.project)
    team = browser.get(f"{browser.first}team").text
    shown = {name: told(browser, id_) for name, id_ in (*ids.items(), ("hers", hers))}

    assert "ana_d" in team
    assert "Not trusted here" in team
    assert '<span class="mark">you</span>' in team
    assert "shared by ana_d in shop" in shown["hers"]
    assert "shared as part of shop" in shown["decision"]
    assert "private: a note stays on this machine; the tag team shares it" in shown["note"]


def told(browser: PageBrowser, id_: str) -> str:
    """Return what the page of a memory says of the team."""
    page = browser.get(f"{browser.first}memory/{id_}").text
    [said] = re.findall("<dt>Team</dt><dd>(.*?)</dd>", page)
    return re.sub("<[^>]*>", "", said)
