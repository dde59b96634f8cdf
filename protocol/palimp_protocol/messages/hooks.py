"""The request that carries a hook's event, and its answer."""

from typing import Annotated, Any

from msgspec import Meta, Struct


class Hook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened in an agent's session."""

    event: Annotated[str, Meta(min_length=1, max_length=100)]
    """Its name in `palimp_protocol.hooks`; in a *dialect*, the client's own."""
    input: dict[str, Any]
    """What is said of it (`palimp_protocol.dialects.event`); in a *dialect*, what the client says."""
    sent_at: int = 0
    """Unix milliseconds; 0: not told. Who asks waits for a fraction of a second, and is not told anything later."""
    via: Annotated[str, Meta(max_length=100)] = ""
    """By which installation it came, where a client may have several; empty: by Claude Code's settings."""
    dialect: Annotated[str, Meta(max_length=100)] = ""
    """The client in whose words it is said, and wants its answer; empty: it was translated before."""
    folder: Annotated[str, Meta(max_length=4096)] = ""
    """The working folder of a session that comes without a project; the daemon finds the project of it."""


class HookAnswer(Struct, frozen=True, kw_only=True):
    """What the hook prints; empty: nothing."""

    output: str = ""
