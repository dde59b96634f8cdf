"""Check and record agents' edits, and settle them at the end of a turn.

Until then removed lines are *pending*: they may be half of a move. An edit not checked in time passes, and is counted.
"""

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import trio

from palimp_daemon.codediff.diff import Hunk, clean_hunk, hunks_between, takes_out, without_moves
from palimp_daemon.codediff.normalize import is_significant, key_of
from palimp_daemon.codediff.skip_list import FILE_BYTES_MAX, is_skipped
from palimp_daemon.codediff.tool_edit import Texts, file_of, preview_edit, reconstruct_edit
from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.removed_code import warning_wording
from palimp_daemon.features.removed_code.check import Checks, Spot
from palimp_daemon.features.removed_code.origins import share_of
from palimp_daemon.features.removed_code.removed_code_handlers import returns_of
from palimp_daemon.features.removed_code.working_tree import WorkingTrees
from palimp_daemon.git.worktree import FileState, ReadFile, line_hashes, relative_to, text_of
from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import PATIENCE_S, Settings
from palimp_daemon.store.store import Store, ensure_project, ensure_session, project_row
from palimp_daemon.store.tables.removed_code import trees as stored_trees
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.removed_code.hunk_index import unwatch
from palimp_daemon.store.tables.removed_code.hunks import gone_lines
from palimp_daemon.store.tables.removed_code.pending import (
    added_by,
    current_turn,
    end_pending,
    forget_session_lines,
    note_added,
    pending_hunks,
    settle,
)
from palimp_daemon.store.tables.removed_code.reintroduced import Reintroduction, count, hunks_told, note_told
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.last_words import NOTHING, WORDS_CHARACTERS_MAX, last_words
from palimp_daemon.text.messages import short
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import HOOK_INPUT_BYTES_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.hook_messages import HookAnswer

ABANDONED_MS: Final = 3_600_000
"""Milliseconds after which a turn without an end (a killed client) is over."""

SNAPSHOTS_MAX: Final = 64
SNAPSHOT_CHARACTERS_MAX: Final = 16_000_000
"""Number and characters of files kept as before an edit in progress."""

CHECKED_HUNKS_MAX: Final = 12
"""Hunks of one edit checked, the largest; each costs some milliseconds."""

NOT_LOOKED_AT: Final = (
    f"palimp: this edit has more than {HOOK_INPUT_BYTES_MAX // 1024**2} MiB: removed code was not looked for in it."
)

Level = Literal["deny", "note", ""]


class Verdict(NamedTuple):
    """Deny an edit, add a note, or nothing."""

    level: Level
    text: str = ""


class Edit(NamedTuple):
    """A call of an editing tool, from a hook."""

    tool: str
    input: Mapping[str, Any]
    response: Mapping[str, Any]
    transcript: str
    caller: Caller
    is_cut: bool = False
    """Whether its texts were too large to send."""
    asked: str = ""
    """The session's last prompt, if not yet in its transcript: Copilot CLI writes late."""


class _Snapshot(NamedTuple):
    text: str
    accepted: tuple[int, ...]


class _Record(NamedTuple):
    tree: str
    hunks: Sequence[Hunk]
    file: ReadFile | None
    accepted: Sequence[int]
    reason: str


class Edits(BackgroundTasks):
    """Checks and records the edits of all sessions."""

    def __init__(
        self,
        jobs: StoreJobs,
        trees: WorkingTrees,
        checks: Checks,
        settings: Settings,
        redact: Redactor,
        log: Log,
    ) -> None:
        self._redact = redact
        self._actor = jobs.actor
        self._settings = settings
        self._now_ms = jobs.now_ms
        self._log = log
        self._trees = trees
        self._checks = checks
        self._snapshots: OrderedDict[tuple[str, str], _Snapshot] = OrderedDict()

    # --- before an edit --------------------------------------------------------------------------

    async def before(self, edit: Edit, within_s: float) -> Verdict:
        """Check *edit*; no verdict after *within_s*."""
        ends_at = time.monotonic() + within_s
        with trio.move_on_after(within_s):
            return await self._before(edit, ends_at)
        await self._count("checks_out_of_time")
        await self.refresh_soon(edit.caller)  # so that the next one is in time
        return Verdict("")

    async def _before(self, edit: Edit, ends_at: float) -> Verdict:
        values = await self._settings.of(edit.caller, patience_s=PATIENCE_S)
        place = await in_thread(partial(_place_of, edit))
        if place is None or values.text("changes.on_return") == "off":
            return Verdict("")
        tree, path = place
        text = await in_thread(partial(text_of, Path(tree, path)))
        self._keep_snapshot(edit, path, _Snapshot(text, ()))
        if edit.is_cut:
            await self._count("edits_too_large")
            return Verdict("note", NOT_LOOKED_AT)
        hunks = await in_thread(partial(_added_hunks, path, preview_edit(edit.tool, edit.input, text), self._redact))
        if not hunks:
            return Verdict("")
        own_keys = {key_of(line) for line in text.splitlines()}
        async with self._trees.lock(tree):
            found = await self._checks.before_edit(edit.caller, Spot(tree, path), hunks, own_keys)
        return await self._verdict(edit, _Snapshot(text, ()), path, found, ends_at)

    async def _verdict(
        self, edit: Edit, snapshot: _Snapshot, path: str, found: Sequence[Reintroduction], ends_at: float
    ) -> Verdict:
        if not found:
            return Verdict("")
        caller, now_ms = edit.caller, self._now_ms()
        denies = self._settings.current(caller).text("changes.on_return") == "deny_once"
        added = await self._checks.origins.of(caller.tree, found, share_of(ends_at - time.monotonic()))

        def work(store: Store) -> tuple[Verdict, tuple[int, ...]]:
            project = ensure_project(store, caller, now_ms)
            session = ensure_session(store, caller, project, now_ms)
            if session is None or time.monotonic() > ends_at:
                return Verdict(""), ()
            known = hunks_told(store, session, [each.hunk.id for each in found])
            warned = [each for each in found if each.level == "warn"]
            again = tuple(each.hunk.id for each in warned if each.hunk.id in known)
            new = [each for each in found if each.hunk.id not in known]
            note_told(store, session, [each.hunk.id for each in new], now_ms)
            if again:
                count(store, "returns_accepted")
                best = [each for each in warned if each.hunk.id in known]
                return Verdict(
                    "note", warning_wording.note(returns_of(store, project, best, added), is_second=True)
                ), again
            if warned and denies:
                count(store, "returns_denied")
                return Verdict("deny", warning_wording.denial(returns_of(store, project, warned, added))), ()
            if new:
                count(store, "returns_noted")
                return Verdict(
                    "note", warning_wording.note(returns_of(store, project, new, added), is_second=False)
                ), ()
            return Verdict(""), ()

        verdict, accepted = await self._actor.write(work)
        if accepted:
            self._keep_snapshot(edit, path, snapshot._replace(accepted=accepted))
        return verdict

    # --- after an edit ---------------------------------------------------------------------------

    async def after(self, edit: Edit, request_id: bytes) -> None:
        """Record the effect of *edit*, once per request id."""
        place = await in_thread(partial(_place_of, edit))
        if place is None:
            return
        tree, path = place
        snapshot = self._snapshots.pop(_key(edit, path), None)
        async with self._trees.lock(tree):
            record = await in_thread(partial(_record_of, edit, tree, path, snapshot, self._redact))
            await self._record(edit, record, request_id)

    async def _record(self, edit: Edit, record: _Record, request_id: bytes) -> None:
        now_ms = self._now_ms()
        tree, hunks, file, accepted, reason = record

        def work(store: Store) -> HookAnswer:
            project = ensure_project(store, edit.caller, now_ms)
            session = ensure_session(store, edit.caller, project, now_ms)
            if file is not None:
                stored_trees.update_tree(store, tree, [file])
            if session is None:
                return HookAnswer()
            for hunk_id in accepted:
                unwatch(store, project, hunk_id, "returned")
            change = Change(reason, now_ms, edit.tool, session_id=session, turn=current_turn(store, session))
            ends = [_end_of_trial(store, session, tree, hunk) for hunk in hunks]
            own = [end for end in ends if end]
            others = [hunk for hunk, end in zip(hunks, ends, strict=True) if not end]
            if own:
                insert_change(store, project, change, own)
            if others:
                insert_change(store, project, change._replace(is_pending=True), others)
            note_added(store, session, [line for hunk in hunks for line in hunk.added])
            return HookAnswer()

        await self._actor.ask(Job(work, is_write=True, now_ms=now_ms, request_id=request_id, reply_type=HookAnswer))

    # --- the end of a turn, of a session ---------------------------------------------------------

    async def settle_soon(self, caller: Caller, *, is_last: bool) -> None:
        """Settle in the background: watch for lines the session removed that are still gone."""
        tree = caller.tree

        def work(store: Store) -> None:
            project = project_row(store, caller)
            session = None if project is None else ensure_session(store, caller, project, self._now_ms())
            if project is None or session is None:
                return
            for hunk in pending_hunks(store, project, session, self._now_ms() - ABANDONED_MS):
                gone, _ = stored_trees.split_alive(store, tree, gone_lines(hunk))
                settle(store, project, hunk, gone)
            end_pending(store, project, session, self._now_ms() - ABANDONED_MS)
            if is_last:
                forget_session_lines(store, session)

        if self._background and tree:
            await self._background.start(self._refresh, tree, work)

    async def refresh_soon(self, caller: Caller) -> None:
        """Refresh the tree in the background."""
        tree = caller.tree
        if self._background and tree and not self._trees.is_busy(tree):
            await self._background.start(self._refresh, tree, None)

    async def _refresh(
        self, tree: str, then: Callable[[Store], None] | None, *, task_status: trio.TaskStatus[None]
    ) -> None:
        task_status.started()  # no checkpoint from here to the lock, which is given out in order
        try:
            async with self._trees.lock(tree):
                await self._trees.refresh_for_a_while(tree)
                if then:
                    await self._actor.write(then)
        except PalimpError as error:
            self._log("not_settled", code=error.code)
        except Exception as error:  # noqa: BLE001  a file that we cannot take must not end the daemon, again and again
            self._log.bug(error)

    # --- what is kept between two hooks -----------------------------------------------------------

    def _keep_snapshot(self, edit: Edit, path: str, snapshot: _Snapshot) -> None:
        key = _key(edit, path)
        self._snapshots.pop(key, None)
        self._snapshots[key] = snapshot
        characters = sum(len(each.text) for each in self._snapshots.values())
        while self._snapshots and (len(self._snapshots) > SNAPSHOTS_MAX or characters > SNAPSHOT_CHARACTERS_MAX):
            characters -= len(self._snapshots.popitem(last=False)[1].text)

    async def _count(self, name: str) -> None:
        try:
            await self._actor.write(partial(count, name=name))
        except PalimpError as error:
            self._log("not_counted", name=name, code=error.code)


# --- plain functions -----------------------------------------------------------------------------


def _place_of(edit: Edit) -> tuple[str, str] | None:
    tree, file = edit.caller.tree, file_of(edit.input)
    if not tree or not file:
        return None
    path = relative_to(tree, file)
    return None if path is None or is_skipped(path) else (tree, path)


def _key(edit: Edit, path: str) -> tuple[str, str]:
    return (edit.caller.session_key, path)


def _added_hunks(path: str, texts: Texts, redact: Redactor) -> list[Hunk]:
    hunks = hunks_between(path, texts.before, texts.after)
    adding = sorted((hunk for hunk in hunks if hunk.added), key=lambda hunk: -len(hunk.added))[:CHECKED_HUNKS_MAX]
    return [clean_hunk(hunk, redact) for hunk in adding]


def _record_of(edit: Edit, tree: str, path: str, snapshot: _Snapshot | None, redact: Redactor) -> _Record:
    text = text_of(Path(tree, path))
    try:
        status = os.stat(Path(tree, path))  # noqa: PTH116  the state as the tree is read
        state = FileState(status.st_mtime_ns, status.st_size)
    except OSError:
        state = None
    if (edit.is_cut and edit.tool == "NotebookEdit") or (state and state.size > FILE_BYTES_MAX):
        texts = Texts("", "")  # what it did is not known; of a file that is too large no text is
    elif edit.tool == "NotebookEdit":
        texts = preview_edit(edit.tool, edit.input, snapshot.text if snapshot else text)
    else:
        texts = Texts(snapshot.text, text) if snapshot else reconstruct_edit(edit.tool, edit.input, edit.response, text)
    client = edit.caller.session.client if edit.caller.session else ""
    words = last_words(edit.transcript, redact, client) if edit.transcript else NOTHING
    words = words if words.request else words._replace(request=short(redact(edit.asked), WORDS_CHARACTERS_MAX))
    hunks = [clean_hunk(hunk, redact) for hunk in without_moves(hunks_between(path, texts.before, texts.after))]
    read = ReadFile(path, state, line_hashes(texts.after)) if state and edit.tool != "NotebookEdit" else None
    return _Record(tree, hunks, read, snapshot.accepted if snapshot else (), redact(words.reason))


def _end_of_trial(store: Store, session: int, tree: str, hunk: Hunk) -> Hunk | None:
    """Mark the moved lines of *hunk* if the session had added them all; else None."""
    telling_lines = [line for line in hunk.gone if is_significant(line)]
    if not telling_lines or len(added_by(store, session, telling_lines)) < len(telling_lines):
        return None
    gone = set(stored_trees.split_alive(store, tree, hunk.gone)[0])
    ended = hunk._replace(is_moved=tuple(line not in gone for line in hunk.removed))
    return ended if takes_out(ended) else None
