"""Generated lives of three replicas: whatever they do, and however the folder carries it, they end up the same."""

import os
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

import psycopg
import pytest
from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from lanes import IS_QUICK, examples, many, steps
from postgres_server import new_database
from replicas import HOUR_MS, Replica, sync_all

from palimp_daemon.features.team import holding_first, postgres, postgres_schema
from palimp_daemon.features.team.carried_folder import TEAM_FILE, Folder, create_team
from palimp_daemon.features.team.compared_values import known_values
from palimp_daemon.features.team.transport import Transport
from palimp_daemon.store.tables import team_tables

EXAMPLES = many(100 if IS_QUICK else 250, 10_000)
"""By each of both media."""

MEMORY: Final = Path("/dev/shm")
"""Linux' folder of files in memory."""

REPLICAS = ("ana", "bo", "cy")
WHO = strategies.sampled_from(REPLICAS)
CHANCE = strategies.integers(0, 2**16)


def folder_in_memory() -> Path:
    """Make a folder, in memory if there is one: a life is about no fsync, and waits for them two thirds of its time."""
    return Path(tempfile.mkdtemp(prefix="palimp-team-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))


class Lives(RuleBasedStateMachine):
    """Each replica has a folder of its own; what is in one is carried to another now and then, in parts."""

    @initialize()
    def begin(self) -> None:
        self.root = folder_in_memory()
        self.few = pytest.MonkeyPatch()
        self.few.setattr(holding_first, "MANY", 6)  # to catch up with some takes what holds first
        self.replicas: dict[str, Replica] = {}
        self.kept: set[str] = set()
        self.gone: dict[str, str] = {}
        self.number = 0
        for name in REPLICAS:
            self.replicas[name] = Replica(self.root, f"{name}{id(self)}", self.new_transport(name))

    def new_transport(self, name: str) -> Transport:
        """Return the transport of the replica *name*."""
        create_team(self.root / name, "t")
        return Folder(self.root / name, "t")

    def teardown(self) -> None:
        if not hasattr(self, "root"):
            return
        try:
            self.come_to_rest()
        finally:
            self.few.undo()
            for replica in self.replicas.values():
                replica.store.connection.close()
            shutil.rmtree(self.root)

    def pick(self, who: str, chance: int) -> str | None:
        """Return one of the memories of *who*."""
        ids = self.replicas[who].ids()
        return ids[chance % len(ids)] if ids else None

    @rule(who=WHO)
    def save(self, who: str) -> None:
        self.number += 1
        self.kept.add(self.replicas[who].save(f"Decision number n{self.number}n is about thing x{self.number}x."))

    @rule(who=WHO)
    def save_privately(self, who: str) -> None:
        self.number += 1
        self.replicas[who].save(f"CANARY {self.number}", kind="note")

    @rule(who=WHO, chance=CHANCE)
    def edit(self, who: str, chance: int) -> None:
        memory = self.pick(who, chance)
        if memory and self.shown(who, memory):
            self.number += 1
            self.kept.add(self.replicas[who].edit(memory, f"Edited to n{self.number}n of all y{self.number}y."))

    def shown(self, who: str, memory: str) -> bool:
        """Tell whether *memory* can be edited: it is neither purged nor replaced, nor private."""
        found = [row for row in self.replicas[who].shared_state() if row[0] == memory and len(row) == 9]
        return bool(found) and found[0][6] is None and found[0][7] is None and found[0][4] != "note"

    @rule(who=WHO, chance=CHANCE, what=strategies.sampled_from(["purge", "restore", "pin", "unpin"]))
    def mark(self, who: str, chance: int, what: str) -> None:
        if memory := self.pick(who, chance):
            getattr(self.replicas[who], what)(memory)

    @rule(who=WHO, one=CHANCE, other=CHANCE, relation=strategies.sampled_from(["replaces", "narrows", "disagrees"]))
    def link(self, who: str, one: int, other: int, relation: str) -> None:
        newer, older = self.pick(who, one), self.pick(who, other)
        if newer and older and newer != older:
            self.replicas[who].link(newer, older, relation)

    @rule(who=WHO, one=CHANCE, other=CHANCE, relation=strategies.sampled_from(["replaces", "narrows", "disagrees"]))
    def unlink(self, who: str, one: int, other: int, relation: str) -> None:
        newer, older = self.pick(who, one), self.pick(who, other)
        if newer and older:
            self.replicas[who].unlink(newer, older, relation)

    @rule(who=WHO, chance=CHANCE)
    def erase(self, who: str, chance: int) -> None:
        if memory := self.pick(who, chance):
            [text] = [row[2] for row in self.replicas[who].shared_state() if row[0] == memory and len(row) == 9]
            self.replicas[who].erase(memory)
            self.gone[memory] = text
            self.kept.discard(memory)

    @rule(who=WHO, key=strategies.sampled_from(["c1" * 16, "d2" * 16]))
    def rename(self, who: str, key: str) -> None:
        if key not in {each.key for each in self.replicas[who].write(team_tables.shared_projects)}:
            self.replicas[who].rename(key)

    @rule(who=WHO)
    def sync(self, who: str) -> None:
        self.replicas[who].sync()

    @rule(who=WHO, hold=strategies.sampled_from([0, HOUR_MS]))
    def hold(self, who: str, hold: int) -> None:
        self.replicas[who].hold_ms = hold

    @rule(who=WHO, hours=strategies.integers(-2, 2))
    def set_clock(self, who: str, hours: int) -> None:
        self.replicas[who].now_ms += hours * HOUR_MS

    @rule(one=WHO, other=WHO, chance=CHANCE)
    def carry(self, one: str, other: str, chance: int) -> None:
        """Carry files from one folder to another: all, some, a part of one, or under another name."""
        dice = random.Random(chance)
        if one == other:
            return
        for path in sorted((self.root / one).rglob("*")):
            if path.is_file() and path.name != TEAM_FILE and dice.random() < 0.8:
                self.carry_file(path, self.root / other / path.relative_to(self.root / one), dice)

    def carry_file(self, path: Path, target: Path, dice: random.Random) -> None:
        data = path.read_bytes()
        if target.exists() and target.stat().st_mtime_ns >= path.stat().st_mtime_ns:
            return
        target.parent.mkdir(exist_ok=True)
        if dice.random() < 0.2 and path.suffix == ".log":
            data = data[: dice.randrange(len(data) + 1)]
        if dice.random() < 0.2:
            target = target.with_name(f"{target.stem}.conflict{target.suffix}")
        target.write_bytes(data)

    @rule(who=WHO)
    def crash_before_sending(self, who: str) -> None:
        """The operations are logged, and the daemon is killed before they are where the others read."""
        replica = self.replicas[who]
        while replica.write(lambda store: replica.exchange._make(store, replica.hold_ms)):
            pass
        replica.open(replica.store)

    @invariant()
    def links_say_what_is_replaced(self) -> None:
        from palimp_daemon.store.tables.memory_links import pointers_differing  # noqa: PLC0415  only here

        for replica in getattr(self, "replicas", {}).values():
            assert not pointers_differing(replica.store)

    def gather(self) -> None:
        """Carry everything into one folder."""
        self.one_folder = self.root / "all"
        create_team(self.one_folder, "t")
        for name in REPLICAS:
            shutil.copytree(
                self.root / name,
                self.one_folder,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns(TEAM_FILE, "*.json"),
            )

    def common_transport(self) -> Transport:
        """Return a transport by which all replicas see the same."""
        return Folder(self.one_folder, "t")

    def everything_carried(self) -> bytes:
        """Return everything that was put where replicas exchange."""
        return b"".join(path.read_bytes() for path in self.one_folder.rglob("*") if path.is_file())

    def come_to_rest(self) -> None:
        """Have all that waits sent, everything carried, and compare."""
        replicas = [*self.replicas.values()]
        self.gather()
        latest = max(replica.now_ms for replica in replicas)
        for replica in replicas:
            replica.now_ms, replica.hold_ms = latest + 3 * HOUR_MS, 0
            replica.transport = self.common_transport()
            replica.open(replica.store)
            replica.exchange.send_now()
        sync_all(replicas)
        replaced = {each for replica in replicas for each in self.replaced_by_private(replica)}
        states = [self.state_of(replica, replaced) for replica in replicas]
        assert states[0] == states[1] == states[2]
        for memory in self.kept:  # what was purged or edited before it was sent stays where it is
            left = [row for row in self.everywhere() if row[0] == memory and (row[6] or row[7])]
            assert memory in replicas[0].ids() or left
        carried = self.everything_carried()
        assert b"CANARY" not in carried
        for memory, text in self.gone.items():
            assert not any(row[0] == memory for row in states[0])
            assert text.encode() not in carried

    def everywhere(self) -> list[tuple]:
        """Return the memories of all replicas."""
        return [row for replica in self.replicas.values() for row in replica.shared_state() if len(row) == 9]

    def private(self, replica: Replica) -> set[str]:
        """Return the memories of *replica* that were never sent."""
        ids = {row[0] for row in replica.shared_state() if len(row) == 9}
        return {each for each in ids if "put" not in known_values(replica.store, replica.row(), each)}

    def replaced_by_private(self, replica: Replica) -> set[str]:
        """Return the memories which on *replica* alone are replaced, by one that was never sent."""
        private = self.private(replica)
        return {row[0] for row in replica.shared_state() if len(row) == 9 and row[7] in private}

    def state_of(self, replica: Replica, replaced: set[str]) -> list[tuple]:
        """Return what replicas agree on: nothing of what was never sent, nor what takes the place of *replaced*."""
        private = self.private(replica)
        return [
            (*row[:7], None, row[8]) if len(row) == 9 and row[0] in replaced else row
            for row in replica.shared_state()
            if private.isdisjoint(row[:1] if len(row) == 9 else row[:2])
        ]


@cache
def address() -> str:
    """Return the database of all examples."""
    made = new_database()
    postgres_schema.create_team(made, "t")
    return made


class DatabaseLives(Lives):
    """The same by a database, which all replicas reach at all times."""

    def new_transport(self, name: str) -> Transport:
        if name == REPLICAS[0]:
            self.shared = postgres.Postgres(address(), "t")
            with psycopg.connect(address(), autocommit=True) as connection:
                connection.execute("TRUNCATE palimp.op, palimp.head, palimp.notice, palimp.replica")
        return self.shared

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "shared"):
            self.shared.close()

    def carry_file(self, path: Path, target: Path, dice: random.Random) -> None:
        pass

    def gather(self) -> None:
        pass

    def common_transport(self) -> Transport:
        return self.shared

    def everything_carried(self) -> bytes:
        with psycopg.connect(address()) as connection:
            rows = "SELECT body FROM palimp.op UNION ALL SELECT body FROM palimp.notice"
            found = connection.execute(rows).fetchall()
        return b"\n".join(bytes(body) for (body,) in found)


TestLives = Lives.TestCase
TestDatabaseLives = DatabaseLives.TestCase
TestDatabaseLives.settings = settings(max_examples=examples(EXAMPLES), stateful_step_count=steps(30), deadline=None)
TestLives.settings = settings(max_examples=examples(EXAMPLES), stateful_step_count=steps(30), deadline=None)
