"""The timeline of a session: memories, removed code and broken rules."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from palimp_protocol.messages.memory_messages import History, Memory
from palimp_protocol.messages.session_messages import SessionEvent, SessionList

CODE: Final = "removed-code"


class Moment(NamedTuple):
    """An entry; *former* is the title of the changed memory."""

    at: int
    what: str
    id: str
    title: str
    why: str = ""
    former: str = ""
    is_gone: bool = False


def moments_of(reply: SessionList, memories: Mapping[str, Memory]) -> list[Moment]:
    """Return the moments of a session; *memories* are those saved by it, by id."""
    did = [_done(each, memories.get(each.id)) for each in reply.events]
    given = [Moment(each.at, f"given, {each.occasion}", each.id, each.title, each.why) for each in reply.given]
    broke = [Moment(each.at, "broke a rule", each.id, each.title, each.act) for each in reply.broken]
    return sorted([*did, *given, *broke], key=lambda each: each.at)


def _done(event: SessionEvent, memory: Memory | None) -> Moment:
    if event.what == CODE:
        return Moment(event.at, "took out code", event.id, event.title)
    former = _former(memory) if memory else ""
    verb = "changed" if former else "captured" if memory and memory.source == "transcript" else "saved"
    is_gone = memory is not None and bool(memory.purged_at)
    return Moment(event.at, f"{verb}, {event.what}", event.id, event.title, former=former, is_gone=is_gone)


def _former(memory: Memory) -> str:
    history = memory.history or History(versions=[], links=[])
    older = {link.older for link in history.links if link.newer == memory.id and link.relation == "replaces"}
    return next((each.title for each in reversed(history.versions) if each.id in older), "")
