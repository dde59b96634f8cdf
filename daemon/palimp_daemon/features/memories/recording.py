"""Record acts: every change of memories is made within `recording`, in one transaction."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.act_rows import NewAct, add_acts, add_part
from palimp_daemon.store.tables.steps import Step, noting
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.act_messages import ActKind, Author
from palimp_protocol.messages.caller import Caller


class Doing(NamedTuple):
    """An act's kind, author and time (Unix milliseconds)."""

    kind: ActKind
    caller: Caller
    now_ms: int
    author: Author | None = None
    """None: a person if *caller* has no session, else an agent."""
    undoes: int | None = None


@contextmanager
def recording(context: RequestContext, kind: ActKind, author: Author | None = None) -> Generator[None]:
    """Record the changes within as one act; none without changes, or on errors."""
    with noting(context.store) as steps:
        yield
    record(context.store, [(Doing(kind, context.caller, context.now_ms, author), steps)])


def record(store: Store, done: Sequence[tuple[Doing, Sequence[Step]]]) -> int | None:
    """Record an act for each of *done* with steps; return the last number."""
    acts = [_act(store, doing, steps) for doing, steps in done if steps]
    return add_acts(store, acts) if acts else None


def record_more(store: Store, act: int | None, doing: Doing, steps: Sequence[Step]) -> int | None:
    """Add *steps* to *act* or a new one, over several transactions; return its number."""
    if act is None or not steps:
        return record(store, [(doing, steps)]) if act is None else act
    add_part(store, act, steps)
    return act


def _act(store: Store, doing: Doing, steps: Sequence[Step]) -> NewAct:
    kind, caller, now_ms, author, undoes = doing
    project = ensure_project(store, caller, now_ms)
    session = ensure_session(store, caller, project, now_ms)
    return NewAct(project, session, author or author_of(caller), kind, now_ms, steps, undoes)


def author_of(caller: Caller) -> Author:
    """Return the author of *caller*'s acts: outside a session a person."""
    return "user" if caller.session is None else "agent"


def require_person(caller: Caller, only: str) -> None:
    """Refuse an agent *only*, an action for persons.

    Raises:
        PalimpError: *caller* is in an agent's session.
    """
    if author_of(caller) == "agent":
        raise PalimpError(ErrorCode.REFUSED, f"{only}; an agent's session asks.", "Run it in a terminal of your own.")
