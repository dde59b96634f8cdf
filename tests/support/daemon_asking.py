"""Asks a running daemon from within a test, where how `palimp` is started is not what is tested."""

from pathlib import Path
from typing import Any

from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client


def ask(env: dict[str, str], folder: Path, name: str, **arguments: Any) -> Any:
    """Return the reply of the operation *name*, as `palimp` run in *folder* would get it."""
    return ask_in_session(None, env, folder, name, **arguments)


def ask_in_session(session: SessionRef | None, env: dict[str, str], folder: Path, name: str, **arguments: Any) -> Any:
    """Return the reply of the operation *name* to an agent's *session* in *folder*."""
    operation = OPERATIONS[name]
    project = project_from_directory(str(folder), home_directory(env))
    caller = Caller(ProjectRef(*project) if project else None, session)
    return Client(env).call(operation, operation.request(**arguments), caller)
