"""Real agents' programs against palimp: one scenario for each, and one for two of them in one project.

    run.py [NAME...]              run by tests/clients/clients.sh, which puts node and the programs on the PATH
    run.py --packages [NAME...]   print what is to be installed for them

Prints one line for each and exits with 1 if something was not as it should be.
"""

import subprocess
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import across
import scenario
import tools_only
from client import RealClient
from tools_only import ToolsOnly

MODULES: Final = {
    path.stem.replace("_", "-"): path.stem
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if "\nCLIENT: Final" in path.read_text(encoding="utf-8")
}
"""The clients that have a module here, by name."""

ACROSS: Final = "across"
"""What is decided in one client is known in another."""


def main(arguments: list[str]) -> int:
    """Run the scenarios that *arguments* name, or all."""
    names = [name for name in arguments if not name.startswith("--")] or [*MODULES, *tools_only.CLIENTS, ACROSS]
    if "--packages" in arguments:
        print("\n".join(sorted({client.package for name in names for client in clients_of(name)})))
        return 0
    return max([played(name) for name in names])


def played(name: str) -> int:
    """Run one scenario, and print what came of it; 1 if something was not as it should be."""
    who = " and ".join(client.package for client in clients_of(name))
    try:
        said = _said(name)
    except (scenario.FailedError, AssertionError, subprocess.TimeoutExpired) as failure:
        print(f"{who}: FAILED: {failure}", flush=True)
        return 1
    except Exception:  # noqa: BLE001  the others are to be seen all the same
        print(f"{who}: FAILED:\n{traceback.format_exc()}", flush=True)
        return 1
    print(f"{who}: {said}", flush=True)
    return 0


def _said(name: str) -> str:
    if name in tools_only.CLIENTS:
        return tools_only.play(tools_only.CLIENTS[name])
    clients = [import_module(MODULES[each]).CLIENT for each in (across.NAMES if name == ACROSS else (name,))]
    return across.play(*clients) if name == ACROSS else scenario.play(*clients)


def clients_of(name: str) -> list[RealClient | ToolsOnly]:
    """Return the clients of the scenario *name*.

    Raises:
        SystemExit: there is no such scenario.
    """
    if name in tools_only.CLIENTS:
        return [tools_only.CLIENTS[name]]
    if name != ACROSS and name not in MODULES:
        raise SystemExit(f"{name} is none of {', '.join([*MODULES, *tools_only.CLIENTS, ACROSS])}.")
    return [import_module(MODULES[each]).CLIENT for each in (across.NAMES if name == ACROSS else (name,))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
