"""Fixtures that more than one folder of tests uses."""

import gc
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from lanes import IS_MUTANTS, IS_NIGHTLY, IS_SOAK, examples
from mcp_clients import BareClient
from running_daemon import RunningDaemon, palimp_environment, temporary_home

# A loaded machine makes single examples slow; what is promised about time is measured in benchmarks/.
settings.register_profile(
    "palimp",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(),
    derandomize=not (IS_NIGHTLY or IS_SOAK),
    phases=[Phase.explicit, Phase.generate] if IS_MUTANTS else [*Phase],
)
settings.load_profile("palimp")

# A shell's background job ignores interrupts, and so would every process that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

LOG_CHARACTERS = 4_000
"""Characters of a daemon's log that are shown when a test fails."""


def pytest_collection_finish() -> None:
    """Have Python's collector of garbage pass over all that stays until the end: modules, and thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Add what the daemon said to the report of a test that failed."""
    report = yield
    log = Path(getattr(item, "funcargs", {}).get("home", "/nowhere")) / "daemon.log"
    if report.failed and log.exists():
        report.sections.append(("the daemon's log", log.read_text(errors="replace")[-LOG_CHARACTERS:]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests recorded to be printed, in order."""
    printed = [
        str(text)
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, text in report.user_properties
        if name == "printed" and report.when == "call"
    ]
    for line in sorted(printed):
        terminalreporter.write_line(line)


def pytest_sessionfinish() -> None:
    """End this process's PostgreSQL: a worker that takes ten seconds to exit is killed, and would leave it behind."""
    if server := sys.modules.get("postgres_server"):
        server.remove_servers()


@pytest.fixture
def tally(record_property):
    """Notes what a test of the catalogue counted: its id, what it did, and the counts."""

    def note(catalogue_id: str, what: str, **counts: object) -> None:
        told = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
        record_property("printed", f"{catalogue_id:<4} {what:<44} {told}")

    return note


@pytest.fixture
def home():
    """A fresh home folder with a short path."""
    with temporary_home() as folder:
        yield folder
        # A relay that is left when its daemon is killed would start the next one, in a home that is gone.
        BareClient.kill_opened()


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    """An environment in which palimp lives in `home`."""
    return palimp_environment(home)


@pytest.fixture
def project(home: Path) -> Path:
    """A project folder."""
    folder = home / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def is_forked() -> bool:
    """Whether a daemon may be forked from a process that has imported it."""
    return True


@pytest.fixture
def daemon(env: dict[str, str], is_forked: bool):
    """A running daemon, which answers hooks also where the machine is busy, unless *env* says how long it may take."""
    running = RunningDaemon({"PALIMP_HOOKS_PATIENCE": "100"} | env, is_forked=is_forked)
    running.start()
    yield running
    BareClient.kill_opened()
    if running.process and running.process.poll() is None:
        running.process.kill()
        running.process.wait()
