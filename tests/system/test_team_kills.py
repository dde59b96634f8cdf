"""Daemons of a team are killed while agents save: every acknowledged save is on every machine once."""

import json
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from lanes import many
from mcp_clients import BareClient
from postgres_server import new_database
from running_daemon import end_daemon, temporary_home, wait_until
from team_machine import Machine

MACHINES, SAVES, KILLS = many(3, 20), many(20, 500), many(4, 100)

ALL_THERE_S = many(180, 7_200)
"""Seconds in which everything must have arrived everywhere, once nobody is killed any more."""


class Agent:
    """An agent on a machine, which saves through a relay of its own."""

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine, self.number = machine, number
        self.saved: list[str] = []

    def work(self) -> None:
        """Save, each after the answer to the one before."""
        client = BareClient({**self.machine.env, "PALIMP_DEADLINE_S": "120"}, self.machine.project)
        client.initialize()
        for turn in range(SAVES):
            text = f"Decision {turn} of machine {self.number} is about part x{self.number}y{turn}x of the service."
            assert "Saved" in client.ask(turn, "save_memory", text=text, kind="decision"), text
            self.saved.append(text)


def texts_on(machine: Machine) -> Counter[str]:
    """Return how often each text is stored on *machine*."""
    lines = [json.loads(line) for line in machine.run("export", "--all", "-").splitlines() if line.startswith("{")]
    return Counter(line["content"] for line in lines if "content" in line)


@pytest.mark.parametrize("medium", ["folder", "database"])
def test_every_acknowledged_save_is_on_every_machine_once(tmp_path: Path, medium: str) -> None:
    place = str(tmp_path / "carried") if medium == "folder" else new_database()
    with ExitStack() as homes:
        machines = [Machine(homes.enter_context(temporary_home())) for _ in range(MACHINES)]
        homes.callback(BareClient.kill_opened)  # a relay that is left would start a daemon in a home that is gone
        for number, machine in enumerate(machines):
            machine.run("team", "join" if number else "create", place, "--as", f"machine{number}")
            machine.run("team", "share", "--as", "shop", "--yes")
        agents = [Agent(machine, number) for number, machine in enumerate(machines)]
        is_over = threading.Event()

        def count_saved() -> int:
            return sum(len(each.saved) for each in agents)

        def kill() -> None:
            dice = random.Random(7)
            for _ in range(KILLS):
                before = count_saved()
                wait_until(lambda before=before: is_over.is_set() or count_saved() > before, ALL_THERE_S)
                end_daemon(dice.choice(machines).env)

        with ThreadPoolExecutor(MACHINES + 1) as threads:
            killing = threads.submit(kill)
            working = [threads.submit(each.work) for each in agents]
            for each in working:
                each.result()
            is_over.set()
            killing.result()
        saved = Counter(text for each in agents for text in each.saved)
        assert set(saved.values()) == {1}
        assert len(saved) == MACHINES * SAVES

        def is_everywhere() -> bool:
            for machine in machines:
                machine.run("team", "sync")
            return all(texts_on(machine) == saved for machine in machines)

        wait_until(is_everywhere, ALL_THERE_S)
