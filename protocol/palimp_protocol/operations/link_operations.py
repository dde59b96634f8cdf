"""Operations on links and acts, for the terminal."""

from functools import partial
from typing import Final

from palimp_protocol.messages import act_messages, links
from palimp_protocol.messages.access import Access
from palimp_protocol.messages.review_messages import Review, Reviewed
from palimp_protocol.operations.operation import Operation, reads, writes


def _review_access(request: Review) -> Access:
    return Access.WRITE if request.keep or request.drop or request.here else Access.READ


def _marking_access(request: links.Mute) -> Access:
    return Access.WRITE if request.ids else Access.READ


_in_terminal = partial(Operation, is_tool=False)

LINK_OPERATIONS: Final = (
    _in_terminal(
        "supersede",
        "Say that a memory replaces another",
        links.Supersede,
        links.Superseded,
        "Say that a memory replaces another, narrows it, or disagrees with it; `undo` takes it back. Agents say"
        " so with save_memory.",
        access=writes,
    ),
    _in_terminal(
        "decide",
        "Note what the user decided",
        links.Decide,
        links.Decided,
        "Note which older memories a new one replaces or narrows, and which hold beside it, as the user answered"
        " when asked in a client; `undo` takes it back.",
        access=writes,
    ),
    _in_terminal(
        "edit",
        "Edit a memory",
        links.EditMemory,
        links.Edited,
        "Make another version of a memory: the former stays readable, and `undo` brings it back.",
        access=writes,
    ),
    _in_terminal(
        "pin",
        "Pin memories",
        links.Pin,
        links.Pinned,
        "Pin memories, which every session context then has; or unpin or list them.",
        access=_marking_access,
    ),
    _in_terminal(
        "mute",
        "Mute memories",
        links.Mute,
        links.Muted,
        "Mute memories: sessions are no longer shown them at their start, with prompts or before actions; searches"
        " still find them. Or unmute or list them.",
        access=_marking_access,
    ),
    _in_terminal(
        "move",
        "Move memories to another project",
        links.Move,
        links.Moved,
        "Move memories into the global scope, where they count in all projects, or into another project. Only a"
        " person can do this; `undo` takes it back.",
        access=writes,
    ),
    _in_terminal(
        "review",
        "Review proposals",
        Review,
        Reviewed,
        "List proposals (captured memories that nobody has confirmed) and memories that an agent saved for all"
        " projects, or keep or drop them. Agents confirm a captured one by saving the same content.",
        access=_review_access,
    ),
    _in_terminal(
        "acts",
        "List what was done to memories",
        act_messages.Acts,
        act_messages.ActList,
        "List what people and agents did to memories of the project, the newest first, undone or not.",
        access=reads,
    ),
    _in_terminal(
        "undo",
        "Undo an act",
        act_messages.Undo,
        act_messages.Undone,
        "Undo the last act of a person in the project, of any kind but `delete --hard`; or any act by its name."
        " Undoing is an act, too, and can be undone.",
        access=writes,
    ),
)
