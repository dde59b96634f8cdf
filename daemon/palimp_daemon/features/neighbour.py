"""The interface between the daemon and features in `palimp_neighbours`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from palimp_daemon.features.handler import Bindings, StoreJobs
from palimp_daemon.features.recall.source import Source, SourceBeside
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.startup import Config
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erased


class NeighbourBase(NamedTuple):
    """The daemon's services for a neighbour."""

    jobs: StoreJobs
    config: Config
    settings: Settings
    redact: Redactor
    log: Log
    on_save: Callable[[], None]
    tell_changed: Callable[[Caller], Awaitable[None]]
    """Tells clients that a caller's list of documents may have changed."""
    finish_erasing: Callable[[Erased], Awaitable[Erased]]
    """Has the database rewritten after permanent deletions."""


class Background(NamedTuple):
    """The background tasks of services."""

    before_serving: Sequence[Callable[..., Awaitable[None]]] = ()
    """Awaited until begun (`task_status`), before the first client is served."""
    alongside: Sequence[Callable[[], Awaitable[None]]] = ()
    forget_gone: Sequence[Callable[[], Awaitable[None]]] = ()


def together(*backgrounds: Background) -> Background:
    """Merge background tasks."""
    return Background(
        [task for each in backgrounds for task in each.before_serving],
        [task for each in backgrounds for task in each.alongside],
        [task for each in backgrounds for task in each.forget_gone],
    )


class Neighbour(NamedTuple):
    """A neighbour's services for the daemon."""

    bindings: Bindings = {}
    beside: Sequence[SourceBeside] = ()
    """Sources that `recall` searches with the memories."""
    alone: Sequence[Source] = ()
    """Sources that `recall` asks only for their kind."""
    background: Background = Background()
    health: Mapping[str, Callable[[Caller], Awaitable[str]]] = {}
    """Sentences of `health`, by the field of its reply."""
