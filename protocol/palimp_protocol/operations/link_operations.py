"""Operations on links and acts, for the terminal."""

from typing import Final

from palimp_protocol.messages import acts, links
from palimp_protocol.messages.access import Access
from palimp_protocol.messages.review import Review, Reviewed
from palimp_protocol.operations.operation import Operation, reads, writes


def _review_access(request: Review) -> Access:
    return Access.WRITE if request.keep or request.drop or request.here else Access.READ


def _marking_access(request: links.Mute) -> Access:
    return Access.WRITE if request.ids else Access.READ


LINK_OPERATIONS: Final = (
    Operation(
        name="supersede",
        title="Say that a memory replaces another",
        request=links.Supersede,
        reply=links.Superseded,
        access=writes,
        is_tool=False,
        description=(
            "Say that a memory replaces another, narrows it, or disagrees with it; `undo` takes it back. Agents say"
            " so with save_memory."
        ),
    ),
    Operation(
        name="decide",
        title="Note what the user decided",
        request=links.Decide,
        reply=links.Decided,
        access=writes,
        is_tool=False,
        description=(
            "Note which older memories a new one replaces or narrows, and which hold beside it, as the user answered"
            " when asked in a client; `undo` takes it back."
        ),
    ),
    Operation(
        name="edit",
        title="Edit a memory",
        request=links.EditMemory,
        reply=links.Edited,
        access=writes,
        is_tool=False,
        description="Make another version of a memory: the former stays readable, and `undo` brings it back.",
    ),
    Operation(
        name="pin",
        title="Pin memories",
        request=links.Pin,
        reply=links.Pinned,
        access=_marking_access,
        is_tool=False,
        description="Pin memories, which every session context then has; or unpin or list them.",
    ),
    Operation(
        name="mute",
        title="Mute memories",
        request=links.Mute,
        reply=links.Muted,
        access=_marking_access,
        is_tool=False,
        description=(
            "Mute memories: sessions are no longer shown them at their start, with prompts or before actions; searches"
            " still find them. Or unmute or list them."
        ),
    ),
    Operation(
        name="move",
        title="Move memories to another project",
        request=links.Move,
        reply=links.Moved,
        access=writes,
        is_tool=False,
        description=(
            "Move memories into the global scope, where they count in all projects, or into another project. Only a"
            " person can do this; `undo` takes it back."
        ),
    ),
    Operation(
        name="review",
        title="Review proposals",
        request=Review,
        reply=Reviewed,
        access=_review_access,
        is_tool=False,
        description=(
            "List proposals (captured memories that nobody has confirmed) and memories that an agent saved for all"
            " projects, or keep or drop them. Agents confirm a captured one by saving the same content."
        ),
    ),
    Operation(
        name="acts",
        title="List what was done to memories",
        request=acts.Acts,
        reply=acts.ActList,
        access=reads,
        is_tool=False,
        description="List what people and agents did to memories of the project, the newest first, undone or not.",
    ),
    Operation(
        name="undo",
        title="Undo an act",
        request=acts.Undo,
        reply=acts.Undone,
        access=writes,
        is_tool=False,
        description=(
            "Undo the last act of a person in the project, of any kind but `delete --hard`; or any act by its name."
            " Undoing is an act, too, and can be undone."
        ),
    ),
)
