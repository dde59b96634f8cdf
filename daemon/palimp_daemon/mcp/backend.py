"""Requests from the MCP server to the daemon."""

from collections.abc import Callable
from typing import NamedTuple

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.features.sessions.calling_sessions import CallingSessions
from palimp_daemon.features.sessions.session_context import Contexts
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.project_switch import Switches
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.messages.caller import Caller


class Backend(NamedTuple):
    """Parts of the daemon that the MCP server uses."""

    dispatcher: Dispatcher
    actor: Actor
    settings: Settings
    switches: Switches
    contexts: Contexts
    wake_history: Callable[[Caller], None]
    """Starts a background read of the git history of a caller's project."""
    calling: CallingSessions
    usage: UsageNotes
    log: Log
