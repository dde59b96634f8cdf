"""`palimp health`: whether palimp works, and its contents; with --verbose the daemon's state."""

import sys
import time

from palimp_protocol.messages.daemon_messages import DaemonHealth, StoreHealth
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_protocol.versions import release_of, running_version
from palimp_shim.cli.command import EXIT_FAILED, Invocation, caller_here, command, flag
from palimp_shim.cli.output import minute, print_line, print_notes
from palimp_shim.cli.tables import has_colour, print_labelled
from palimp_shim.doctor.findings import of_space

WATCH_S = 1.0
"""Seconds between two looks with --watch."""

LATENCIES_SHOWN = 8
PROJECTS_SHOWN = 5
REBUILDS_SHOWN = 4


@command(
    "health",
    "Say whether palimp works, what is in it, and what there is to do; `palimp doctor` looks for what is wrong. Exits"
    " with 4 when the store cannot be used.",
    flag("--verbose", "also the daemon, the files, and how long requests took"),
    flag("--watch", "all of it again every second, until interrupted"),
    example="palimp health; palimp health --verbose; palimp health --json | jq .store.memories",
    scope=False,
)
def run(typed: Invocation) -> int:
    """Ask the daemon, started if need be."""
    typed.caller = caller_here(typed.env)
    if typed.options.watch:
        return _watch(typed)
    reply: DaemonHealth = typed.answer()
    if not typed.is_json:
        _print(reply, is_verbose=typed.options.verbose)
    return EXIT_FAILED if reply.problem else 0


def _watch(typed: Invocation) -> int:
    try:
        if typed.is_json or not has_colour():
            while True:
                reply: DaemonHealth = typed.answer()
                if not typed.is_json:
                    _print(reply, is_verbose=True)
                    print_line("")
                sys.stdout.flush()
                time.sleep(WATCH_S)
        from rich.console import Console  # noqa: PLC0415  only for a terminal
        from rich.live import Live  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        with Live(console=Console(), auto_refresh=False, screen=True) as live:
            while True:
                text = Text()
                for name, value in _facts(typed.ask(), is_verbose=True):
                    text.append(f"{name:<10} ", style="bold red" if name == PROBLEM else "bold")
                    text.append(f"{one_line(value)}\n")
                live.update(text, refresh=True)
                time.sleep(WATCH_S)
    except KeyboardInterrupt:
        return 0


PROBLEM = "PROBLEM"

Fact = tuple[str, str]
"""A name, and the text under it."""


def _print(reply: DaemonHealth, *, is_verbose: bool) -> None:
    for name, value in _facts(reply, is_verbose=is_verbose):
        print_labelled([(f"{name:<10}", "bold red" if name == PROBLEM else "bold")], one_line(value))
    print_notes(*reply.notes)


def _facts(reply: DaemonHealth, *, is_verbose: bool) -> list[Fact]:
    store = reply.store
    works = (
        (PROBLEM, f"{reply.problem} {reply.hint}") if reply.problem else ("palimp", f"works, version {reply.version}")
    )
    return [
        *(("team" if not number else "", each) for number, each in enumerate(reply.team)),
        works,
        *(_scarce_room(store) if store else []),
        ("sessions", _sessions(reply)),
        *(_store_facts(store) if store else []),
        *([("turns", reply.conversations)] if reply.conversations else []),
        *([("claude", reply.claude_memory)] if reply.claude_memory else []),
        *([("given", reply.usage)] if reply.usage else []),
        *([("semantic", f"ranking {reply.semantic}")] if reply.semantic else []),
        *([("http", reply.http)] if reply.http else []),
        *([("off", f"for {', '.join(reply.off)}")] if reply.off else []),
        *([("database", store.path)] if store else []),
        *(_inside(reply) if is_verbose else []),
    ]


def _scarce_room(store: StoreHealth) -> list[Fact]:
    room = of_space(store.disk_free_bytes)
    return [] if room.state == "well" else [("disk", f"{room.text} {room.hint}")]


def _store_facts(store: StoreHealth) -> list[Fact]:
    is_new = not (store.memories or store.purged)
    return [
        ("store", "no memory yet: `palimp add TEXT` saves one" if is_new else store.counts_text()),
        ("removed", f"{count_of(store.removed_hunks, 'piece')} of removed code"),
        ("last save", minute(store.last_saved_at) if store.last_saved_at else "never"),
        *(("rebuilt", each.sentence(minute(each.at))) for each in store.rebuilt[:REBUILDS_SHOWN]),
    ]


def _inside(reply: DaemonHealth) -> list[Fact]:
    tested = "not yet"
    if check := reply.canary:
        tested = f"{minute(check.at)}, {check.problem or f'well, {check.took_ms:.1f} ms'}"
    facts = [
        ("daemon", f"pid {reply.pid}, up {reply.uptime_s:,.0f} s (this client: {running_version()})"),
        ("socket", reply.socket),
        ("waiting", count_of(reply.mailbox_jobs, "job")),
        *(_file_facts(reply.store) if reply.store else []),
        ("self-test", tested),
        ("integrity", f"checked {minute(reply.examined_at)}, intact" if reply.examined_at else "not yet"),
    ]
    for number, each in enumerate(reply.latencies[:LATENCIES_SHOWN]):
        name = "" if number else "p50 / p99"
        facts.append((name, f"{each.p50_ms:g} / {each.p99_ms:g} ms  {each.operation} ({each.count:,})"))
    return facts


def _sessions(reply: DaemonHealth) -> str:
    old = {each.version for each in reply.sessions} - {release_of(reply.version)}
    named = ", ".join(f"{shown_name(each.project) or 'no project'} (pid {each.pid})" for each in reply.sessions)
    versions = f"; of other versions: {', '.join(sorted(old))}" if old else ""
    return f"{reply.peers} connected{': ' + named if named else ''}{versions}"


def _file_facts(store: StoreHealth) -> list[Fact]:
    kinds = ", ".join(f"{entry.count:,} {entry.kind}" for entry in store.kinds)
    projects = ", ".join(
        f"{each.count:,} {shown_name(each.name) or 'global'}" for each in store.by_project[:PROJECTS_SHOWN]
    )
    more = ", …" if store.projects > PROJECTS_SHOWN else ""
    return [
        *([("kinds", kinds)] if kinds else []),
        *([("projects", projects + more)] if projects else []),
        ("edits", _counters_text(store) or "none checked yet"),
        ("schema", f"{store.schema}, SQLite {store.sqlite}, search engine {store.engine}"),
        (
            "size",
            f"{store.database_bytes / 1e6:,.1f} MB, of which {store.removed_bytes / 1e6:,.1f} MB removed code;"
            f" write-ahead log {store.wal_bytes / 1e6:,.1f} MB",
        ),
        ("disk free", f"{store.disk_free_bytes / 1e9:,.1f} GB"),
    ]


def _counters_text(store: StoreHealth) -> str:
    return "; ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in store.counters.items())
