"""Two agent sessions share a memory: the main job, with the official MCP client and real shims.

    make demo

Everything is real (relay processes, daemon, SQLite) and lives in a temporary folder that is removed.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import trio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

SHIM = str(Path(sys.executable).with_name("palimp-shim"))
PALIMP = str(Path(sys.executable).with_name("palimp"))

console = Console(highlight=False, width=min(Console().width, 110))


async def main() -> None:
    """Save in one session, recall in another, show that a third project sees nothing."""
    home = Path(tempfile.mkdtemp(prefix="palimp-demo-", dir="/tmp"))
    env = {"HOME": str(home), "PALIMP_HOME": str(home / "state"), "PATH": "/usr/bin:/bin"}
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
        console.print(found.stdout.decode().rstrip().replace("\t", "   "), markup=False)
        console.print("\n[green]✓[/] Two sessions shared a memory; the other project saw nothing.")
    finally:
        await trio.run_process([PALIMP, "stop"], env=env, capture_stdout=True)
        shutil.rmtree(home)


async def _first_session(env: dict[str, str], folder: Path) -> None:
    console.rule("session 1, project shop: saves what it decided", style="dim")
    async with _session(env, folder) as session:
        await _call(
            session,
            "save_memory",
            text="Money is stored as integer cents. Floats lost a cent in the March reconciliation.",
            kind="decision",
            tags=["ledger"],
        )
        await _call(
            session,
            "save_memory",
            text="The checkout test is flaky when the clock passes midnight UTC: freeze the time in it.",
            kind="fix",
        )
        await _call(
            session, "save_memory", text="The user wants commits to be small and in English.", kind="preference"
        )


async def _second_session(env: dict[str, str], folder: Path) -> None:
    console.rule("session 2, project shop: started later, asks before it codes", style="dim")
    async with _session(env, folder) as session:
        await _call(session, "recall", query="how do we store money, float or decimal?")
        await _call(session, "recall")


async def _other_project(env: dict[str, str], folder: Path) -> None:
    console.rule("session 3, project blog: another project", style="dim")
    async with _session(env, folder) as session:
        await _call(session, "recall", query="how do we store money?")


def _session(env: dict[str, str], folder: Path) -> Client:
    """Return an agent's session: the SDK's client and a relay of its own, in *folder*."""
    return Client(stdio_client(StdioServerParameters(command=SHIM, env=env, cwd=str(folder))))


async def _call(session: Client, tool: str, **arguments: Any) -> None:
    """Call a tool and show what went in and what came out."""
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    started = time.perf_counter()
    result = await session.call_tool(tool, arguments)
    took_ms = (time.perf_counter() - started) * 1000
    console.print(Text(f"▶ {tool}({shown})", style="bold cyan"))
    text = "\n".join(block.text for block in result.content)  # type: ignore[union-attr]  palimp answers in text
    console.print(Panel(Text(text), border_style="red" if result.is_error else "dim", subtitle=f"{took_ms:.1f} ms"))
    if result.is_error:
        raise SystemExit(1)


if __name__ == "__main__":
    trio.run(main)
