"""What the short-lived processes import decides how fast they start."""

import subprocess
import sys

import pytest

HEAVY = {
    *("zmq", "trio", "anyio", "asyncio", "mcp", "msgspec", "pydantic"),
    *("sqlite3", "apsw", "rich", "subprocess", "pathlib", "urllib"),
}


def imported_by(module: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has after importing *module*."""
    script = f"import {module}, sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_the_relay_imports_nothing_heavy():
    """Standard library only, and of that nothing that costs milliseconds without need."""
    assert imported_by("palimp_shim.relay.relay_loop") & HEAVY == set()


def test_a_hook_imports_the_standard_library_only():
    """It starts on every edit."""
    assert imported_by("palimp_shim.hooks.run") & {*HEAVY, "argparse"} == set()


def test_the_entry_point_imports_neither_before_it_knows_what_is_wanted():
    assert imported_by("palimp_shim.__main__") & {*HEAVY, "argparse", "json"} == set()


@pytest.mark.parametrize("module", ["palimp_shim.cli.main"])
def test_the_command_line_has_no_runtime_and_no_database(module: str):
    """Neither ZeroMQ, nor trio, nor the MCP SDK, nor SQLite, nor (without a terminal) rich."""
    assert imported_by(module) & {"zmq", "trio", "mcp", "pydantic", "sqlite3", "apsw", "rich"} == set()
