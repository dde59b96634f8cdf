"""The services of a daemon without its process: for tests that ask them, and not through a socket."""

from functools import cache
from pathlib import Path
from typing import Any

from request_contexts import NOON_MS

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.dispatch.services import Foundation, Services, build_services
from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.startup import Config
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller
from palimp_protocol.operations import OPERATIONS


def config_in(folder: Path, **more: Any) -> Config:
    """Return settings of a daemon whose files are in *folder*."""
    names = ("database", "conversations", "lock", "address", "stopped", "socket", "spool")
    return Config(**{name: folder / name for name in names}, **more)


def foundation_on(actor: Any, folder: Path, semantic: Semantic | None = None) -> Foundation:
    """Return what services are built on, with a clock that stands still."""
    state, settings = DaemonState(boot="b", started_at=0.0), Settings({"HOME": str(folder)})
    return Foundation(
        actor,
        config_in(folder),
        state,
        settings,
        Log("critical"),
        Redactor(),
        semantic=semantic,
        now_ms=lambda: NOON_MS,
    )


def dispatcher_of(base: Foundation, services: Services | None = None) -> Dispatcher:
    """Return what answers every operation with *services*, or with new ones."""
    built = services or build_services(base)
    return Dispatcher(built.bindings, built.identities, built.frame_words, base.state, built.latencies, base.log)


@cache
def _dispatcher_of_nothing() -> Dispatcher:
    return dispatcher_of(foundation_on(None, Path("/nonexistent")))


def answer_text(name: str, reply: Any, answer_format: str) -> str:
    """Return the *reply* of the operation *name* as agents read it."""
    return _dispatcher_of_nothing().text_of(OPERATIONS[name], reply, answer_format, Caller())
