"""Two agent sessions share a memory, and another is stopped when it reintroduces removed code.

    make demo
    python demo/two_sessions.py --svg docs/images/recording.svg     # the picture in the README

Everything is real (the SDK's client, relay processes, daemon, SQLite, git, hooks) and lives in a temporary folder that
is removed. What is shown is compared with what it should show; where it differs, the demo says so and fails.
"""

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from reintroduced_code import reintroduce
from rich._export_format import CONSOLE_SVG_FORMAT  # the one template that save_svg takes
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

CENTS = "Money is stored as integer cents"
FLAKY = "The checkout test is flaky when the clock passes midnight UTC"
SMALL = "The user wants commits to be small and in English"
"""What is saved, and has to be found again."""

SHIM = str(Path(sys.executable).with_name("palimp-shim"))
PALIMP = str(Path(sys.executable).with_name("palimp"))

console = Console(highlight=False, width=min(Console().width, 110))


def run() -> None:
    """Run it, and keep a picture of it if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", type=Path, help="also write what was shown as a picture")
    arguments = parser.parse_args()
    if arguments.svg:
        console.record = True
        console.width = 110
    trio.run(main)
    if arguments.svg:
        arguments.svg.parent.mkdir(parents=True, exist_ok=True)
        # Without the fonts that rich would have a reader's browser fetch, and with the code's indentation.
        form = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
        form = form.replace("<svg ", '<svg xml:space="preserve" ', 1)
        console.save_svg(str(arguments.svg), title="make demo", code_format=form)


async def main() -> None:
    """Save in one session, recall in another, show that a third project sees nothing; then reintroduce removed code."""
    home = Path(tempfile.mkdtemp(prefix="palimp-demo-", dir="/tmp"))
    env = {"HOME": str(home), "PALIMP_HOME": str(home / "state"), "PATH": "/usr/bin:/bin"}
    env["PALIMP_SEARCH_SEMANTIC"] = "off"  # as without the extra, which the development environment has
    shop, blog = home / "shop", home / "blog"
    for folder in (shop, blog):
        folder.mkdir()
    try:
        console.rule("[bold]palimp: a memory that lasts, shared by agent sessions")
        await _first_session(env, shop)
        await _second_session(env, shop)
        await _other_project(env, blog)
        console.rule("the same memory in the terminal", style="dim")
        console.print("$ palimp search cents", style="bold")
        found = await trio.run_process([PALIMP, "search", "cents"], env=env, cwd=shop, capture_stdout=True)
        said = found.stdout.decode()
        console.print(said.rstrip().replace("\t", "   "), markup=False)
        _check(said, first=CENTS)
        console.rule("session 4, project shop: is about to reintroduce removed code", style="dim")
        await reintroduce(env, shop, console)
        console.print(
            "\n[green]✓[/] Two sessions shared a memory, another project saw nothing, removed code was noticed."
        )
    finally:
        await trio.run_process([PALIMP, "stop"], env=env, capture_stdout=True)
        shutil.rmtree(home)


async def _first_session(env: dict[str, str], folder: Path) -> None:
    console.rule("session 1, project shop: saves what it decided", style="dim")
    async with _session(env, folder) as session:
        await _call(
            session,
            "save_memory",
            shows=(CENTS,),
            text=f"{CENTS}. Floats lost a cent in the March reconciliation.",
            kind="decision",
            tags=["ledger"],
        )
        await _call(
            session,
            "save_memory",
            shows=("Saved",),
            text=f"{FLAKY}: freeze the time in it.",
            kind="fix",
        )
        await _call(session, "save_memory", shows=(SMALL,), text=f"{SMALL}.", kind="preference")


async def _second_session(env: dict[str, str], folder: Path) -> None:
    console.rule("session 2, project shop: started later, asks before it codes", style="dim")
    async with _session(env, folder) as session:
        answer = await _call(session, "recall", query="how do we store money, float or decimal?")
        _check(answer, first=CENTS)
        await _call(session, "recall", shows=(CENTS, FLAKY, SMALL))


async def _other_project(env: dict[str, str], folder: Path) -> None:
    console.rule("session 3, project blog: another project", style="dim")
    async with _session(env, folder) as session:
        answer = await _call(session, "recall", shows=("No memory",), query="how do we store money?")
        assert CENTS not in answer, "another project sees what was saved in shop"


def _session(env: dict[str, str], folder: Path) -> Client:
    """Return an agent's session: the SDK's client and a relay of its own, in *folder*."""
    return Client(stdio_client(StdioServerParameters(command=SHIM, env=env, cwd=str(folder))))


def _check(answer: str, first: str) -> None:
    """Fail unless the first row of *answer* is the memory *first*, and is said to answer."""
    assert "No memory" not in answer, f"nothing answers:\n{answer}"
    assert first in answer, f"{first!r} is not found:\n{answer}"
    others = [other for other in (CENTS, FLAKY, SMALL) if other in answer and other != first]
    assert all(answer.index(first) < answer.index(other) for other in others), f"{first!r} is not first:\n{answer}"


async def _call(session: Client, tool: str, shows: Sequence[str] = (), **arguments: Any) -> str:
    """Call a tool, show what went in and what came out, and return that; it must have what it *shows*."""
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    started = time.perf_counter()
    result = await session.call_tool(tool, arguments)
    took_ms = (time.perf_counter() - started) * 1000
    console.print(Text(f"▶ {tool}({shown})", style="bold cyan"))
    text = "\n".join(block.text for block in result.content)  # type: ignore[union-attr]  palimp answers in text
    console.print(Panel(Text(text), border_style="red" if result.is_error else "dim", subtitle=f"{took_ms:.1f} ms"))
    if result.is_error:
        raise SystemExit(1)
    for each in shows:
        assert each in text, f"the answer to {tool} lacks {each!r}"
    return text


if __name__ == "__main__":
    run()
