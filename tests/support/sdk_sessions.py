"""The official SDK's client over a real `palimp-shim`."""

from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_clients import SHIM


@asynccontextmanager
async def sdk_session(env: dict[str, str], folder: Path, mode: str = "auto", **more: Any):
    """Yield the SDK's client, connected through a shim that runs in *folder*; *more* is given to the client."""
    server = StdioServerParameters(command=SHIM[0], args=SHIM[1:], env=env, cwd=str(folder))
    async with Client(stdio_client(server), mode=mode, **more) as client:
        yield client
