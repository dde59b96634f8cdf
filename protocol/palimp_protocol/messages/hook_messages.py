"""Messages of hooks."""

from typing import Annotated, Any

from msgspec import Meta, Struct


class Hook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event of an agent's session."""

    event: Annotated[str, Meta(min_length=1, max_length=100)]
    """Its name in `palimp_protocol.hooks`; in a *dialect*, the client's own."""
    input: dict[str, Any]
    """Its details (`palimp_clients.hooks.event`); in a *dialect*, the client's own."""
    sent_at: int = 0
    """Unix milliseconds; 0: unknown. A hook waits for a fraction of a second."""
    via: Annotated[str, Meta(max_length=100)] = ""
    """Its installation, for clients with several; empty: Claude Code's settings."""
    dialect: Annotated[str, Meta(max_length=100)] = ""
    """Client that defines the format of event and answer; empty: translated."""
    folder: Annotated[str, Meta(max_length=4096)] = ""
    """Working folder of a session without a project, which the daemon finds."""


class HookAnswer(Struct, frozen=True, kw_only=True):
    """Output of the hook, or empty."""

    output: str = ""
