"""`palimp health`: whether palimp works and what is in it first, and how the daemon is when it is asked for."""

import argparse

import pytest
from fake_client import FakeClient
from msgspec.structs import replace

from palimp_protocol.messages.daemon_messages import DaemonHealth, KindCount, OperationLatency, StoreHealth
from palimp_shim.cli import command
from palimp_shim.cli.main import parser_for

STORE = StoreHealth(
    path="/home/ann/.local/state/palimp/palimp.db",
    schema=12,
    engine="fts5",
    sqlite="3.50.4",
    memories=46,
    holding=42,
    purged=3,
    projects=2,
    kinds=[KindCount("decision", 46)],
    last_saved_at=1_700_000_000_000,
    database_bytes=5_000_000,
    wal_bytes=0,
    disk_free_bytes=10**10,
    removed_hunks=1,
)


def reply(**more) -> DaemonHealth:
    base = {"version": "1.2", "protocol": 1, "pid": 4711, "boot": "b", "uptime_s": 7.0, "socket": "/run/p.sock"}
    latencies = [OperationLatency(operation="recall", count=9, p50_ms=1.5, p99_ms=3.0)]
    return DaemonHealth(**{**base, "peers": 0, "mailbox_jobs": 0, "store": STORE, "latencies": latencies, **more})


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys):
    """Returns what the command prints of an answer, by the names of its lines, and its exit code."""

    def call(answer: DaemonHealth, *arguments: str) -> tuple[dict[str, str], int]:
        monkeypatch.setattr(command, "Client", FakeClient([answer]))
        options: argparse.Namespace = parser_for(["health"]).parse_args(["health", *arguments])
        code = options.run(options, {})
        lines = capsys.readouterr().out.splitlines()
        return {line[:10].strip(): line[10:].strip() for line in lines}, code

    return call


def test_it_says_first_that_it_works_and_what_is_in_it(said):
    """And of what each number is."""
    lines, code = said(reply())
    assert (code, next(iter(lines)), lines["palimp"]) == (0, "palimp", "works, version 1.2")
    assert lines["store"] == "46 memories in 2 projects, 4 of them replaced, 3 more purged"
    assert lines["removed"] == "1 piece of removed code"
    assert lines["database"] == STORE.path


def test_a_disk_that_is_nearly_full_is_named_beside_it(said):
    assert "disk" not in said(reply())[0]
    lines, _ = said(reply(store=replace(STORE, disk_free_bytes=0)))
    assert lines["disk"].startswith("0.0 GB are free. Free some space")


def test_of_the_daemon_it_speaks_when_it_is_asked(said):
    few, _ = said(reply())
    many, _ = said(reply(), "--verbose")
    assert few.items() <= many.items()
    assert {"daemon", "socket", "size", "disk free", "p50 / p99", "self-test"} <= many.keys() - few.keys()


def test_what_is_wrong_stands_before_all_else(said):
    lines, code = said(reply(problem="The database is damaged.", hint="Run palimp doctor --fix.", store=None))
    assert (code, next(iter(lines))) == (4, "PROBLEM")
    assert lines["PROBLEM"] == "The database is damaged. Run palimp doctor --fix."
    assert "palimp" not in lines


def test_who_has_saved_nothing_is_told_how(said):
    empty = replace(STORE, memories=0, holding=0, purged=0, kinds=[], last_saved_at=None)
    assert said(reply(store=empty))[0]["store"] == "no memory yet: `palimp add TEXT` saves one"
