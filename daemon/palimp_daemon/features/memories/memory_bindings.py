"""Bindings of the operations on memories."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Handler, StoreHandler, StoreJobs, StoreWork
from palimp_daemon.features.memories.acts_list import list_acts
from palimp_daemon.features.memories.decide import decide
from palimp_daemon.features.memories.editing import characters_of as edit_characters
from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.merging import MergeService
from palimp_daemon.features.memories.moving import move_memories
from palimp_daemon.features.memories.muting import mute_memories
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.project_digest import DigestService
from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import characters_of, draft, store_draft, store_drafts
from palimp_daemon.features.memories.superseding import characters_of_reason, supersede, with_clean_reason
from palimp_daemon.features.memories.tagging import list_tags
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.render.answers import recalled_text, saved_text
from palimp_daemon.render.upkeep import compacted_text, summarized_text
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.text.redact import Redactor


def bindings(
    jobs: StoreJobs,
    recall: Handler,
    redact: Redactor,
    on_save: Callable[[], None] | None,
) -> Bindings:
    """Bind the operations on single memories; *on_save* is called before each save."""
    save = StoreWork(store_draft, partial(draft, redact), _saved_together, characters_of)
    edited = StoreWork(edit, partial(with_clean_texts, redact), None, edit_characters)
    replaced = StoreWork(supersede, partial(with_clean_reason, redact), None, characters_of_reason)
    return {
        "save_memory": Binding(StoreHandler(jobs, save, on_save), saved_text),
        "recall": Binding(recall, recalled_text),
        "supersede": Binding(StoreHandler(jobs, replaced)),
        "decide": Binding(StoreHandler(jobs, StoreWork(decide))),
        "edit": Binding(StoreHandler(jobs, edited, on_save)),
        "pin": Binding(StoreHandler(jobs, StoreWork(pin_memories))),
        "mute": Binding(StoreHandler(jobs, StoreWork(mute_memories))),
        "move": Binding(StoreHandler(jobs, StoreWork(move_memories))),
        "review": Binding(StoreHandler(jobs, StoreWork(review))),
        "acts": Binding(StoreHandler(jobs, StoreWork(list_acts))),
        "undo": Binding(StoreHandler(jobs, StoreWork(undo))),
        "tags": Binding(StoreHandler(jobs, StoreWork(list_tags))),
    }


def upkeep_bindings(merging: MergeService, digests: DigestService) -> Bindings:
    """Bind the operations on many memories."""
    return {
        "summarize": Binding(AsyncHandler(lambda call: digests.summarize(call.request, call.caller)), summarized_text),
        "compact": Binding(
            AsyncHandler(lambda call: merging.compact(call.request, call.caller, call.report)), compacted_text
        ),
        "compact_progress": Binding(AsyncHandler(lambda call: merging.progress(call.caller))),
    }


def _saved_together(store: Store, parts: Sequence[tuple[Callable[[Store], RequestContext], Any]]) -> list[Any]:
    return store_drafts([(context(store), prepared) for context, prepared in parts])
