"""What memories name, and what became of it in the tree: as a person and an agent see it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import repositories
from mcp_clients import BareClient
from repositories import Repository

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]

BEFORE = (
    "import time\n\n\ndef evict(entry):\n    return entry.age > 60\n\n\ndef keep(entry):\n    return not evict(entry)\n"
)
PATIENCE_S = 20.0
"""Seconds in which git has certainly been asked, on a machine that has other work: an answer waits shorter."""


@pytest.fixture
def run(daemon, env, project: Path):
    """Runs a command in a project and returns what it printed."""

    def run(*arguments: str) -> str:
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def until(said: str, ask) -> str:
    """Return what *ask* answers once it says what is expected: what is not known in time is said the next time."""
    ends_at = time.monotonic() + PATIENCE_S
    while said not in (answer := ask()) and time.monotonic() < ends_at:
        pass
    return answer


def test_a_row_says_what_became_of_what_it_names(run, env, project: Path, monkeypatch: pytest.MonkeyPatch):
    repository = Repository(project)
    repository.commit("first", cart__ttl_py=BEFORE, cart__old_py="def gone(): ...\n")
    for text in (
        "`evict` in `cart/ttl.py` counts in seconds, since the upstream does.",
        "`keep` in `cart/ttl.py` counts nothing.",
        "The seconds of cart/old.py are rounded.",
    ):
        run("add", text)
    assert "since (" not in run("search", "seconds counts")
    later_s = int(time.time()) + 2  # git's times have no fractions: the commit must be after the memories
    monkeypatch.setitem(repositories.ENVIRONMENT, "GIT_COMMITTER_DATE", f"{later_s} +0000")
    repository.git("mv", "cart/ttl.py", "cart/age.py")
    repository.commit("second", cart__age_py=BEFORE.replace("60", "90"), cart__old_py=None)

    rows = until("changed", lambda: run("search", "seconds counts")).splitlines()
    said = {row.split("\t")[3].split()[0]: row.split("\t")[-1] for row in rows if row.startswith("m")}
    today = f"{time.localtime(later_s).tm_mday} "
    assert said["`evict`"].startswith(f"`evict` was changed since ({today}")
    assert said["`keep`"] == "`ttl.py` is now `cart/age.py`"
    assert said["The"].startswith(f"`cart/old.py` is gone since {today}")

    shown = json.loads(run("search", "evict seconds", "--json"))["memories"][0]
    assert "was changed since" in shown["stale"]
    assert "was changed since" in run("show", shown["id"])
    context = until("was changed since", lambda: run("context"))
    assert "`evict` was changed since" in context
    assert "`cart/old.py` is gone since" in context
    agent = BareClient(env, project)
    agent.initialize()
    assert "was changed since" in agent.ask(1, "recall", query="evict seconds")
    assert "was changed since" in agent.ask(2, "recall", id=shown["id"])
    agent.close()
