"""Choose renderer, budget and footer for every reply."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from palimp_daemon.render.about_page import about_text
from palimp_daemon.render.budget import few, fitting_rows, left_out, tokens_in
from palimp_daemon.render.compact_text import compact_rows, compact_text
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.full import full_text
from palimp_daemon.render.rows import rows_as_text
from palimp_daemon.render.timeline import timeline_lines
from palimp_daemon.render.times import date_and_time
from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.messages.daemon_messages import DaemonHealth
from palimp_protocol.messages.memory_messages import Linked, Memory, Recalled, Saved, Similar
from palimp_protocol.text import one_line, quote_text, quote_title

REBUILDS_SHOWN: Final = 4
"""Rebuilt indexes in `health`, the newest."""

UNRELATED: Final = "Probably unrelated:"
PERHAPS: Final = "Perhaps:"
"""Headings where no row answers well; PERHAPS if the first row is near."""

CONVERSATIONS: Final = "From conversations and commit messages, not saved as memories:"
"""Heading of turns and commits, which are no decisions, where no memory surely answers."""

OWN_MEMORIES: Final = "From agents' own memories, in files that palimp only reads:"
"""Heading of their notes, shown below memories since they are as old as their files."""

USER_SAID: Final = "The user said so. "
"""Before links of a save that the user asked for, now or earlier in the terminal."""

BEFORE_CONVERSATIONS: Final = 2
"""Memories before turns and commits; other memories and unconfirmed proposals follow."""

MORE: Final = "More memories:"

NOT_SHOWN: Final = "Not shown or not done, and why:"


def saved_text(reply: Saved, _: str) -> str:
    """Return the saved id, replaced memories, and older ones on the subject."""
    done = "Already saved as" if reply.is_known else "Saved"
    lines = [f"{done} {quote_title(reply.title)} ({reply.id})"]
    if reply.is_redacted:
        lines.append("Secrets or private parts in it were not stored.")
    if reply.is_proposal:
        lines.append(
            "It waits for the user's yes (`palimp review`): no session is told it unasked until then. Tell them."
        )
    lines += _reach(reply)
    for who, is_user in (("", False), (USER_SAID, True)):
        for said, relation in (("It replaces, from now on:", "replaces"), ("It narrows:", "narrows")):
            linked = [older for older in reply.linked if (older.said_by == "user") == is_user]
            if named := [older for older in linked if older.relation == relation]:
                lines += [f"{who}{said}", _list_of_names(named)]
    if reply.kept:
        lines += [f"{USER_SAID}These hold beside it:", _list_of_names(reply.kept)]
    if others := [*reply.similar, *reply.same_subject]:
        asked = f'If the new memory makes one of these obsolete: save_memory(text="{reply.id}", replaces=[…]).'
        lines += [f"Older memories on the same subject. {asked}", _list_of_names(others)]
    return "\n".join(lines)


def _reach(reply: Saved) -> list[str]:
    if reply.is_for_all is not None:
        return [f"{USER_SAID}It is for {'all projects' if reply.is_for_all else 'this project only'}."]
    if reply.waits_for_all:
        return ["It counts in this project; in all projects once the user says yes: `palimp review`. Tell them."]
    return []


def _list_of_names(memories: Sequence[Similar | Linked]) -> str:
    return frame_text("\n".join(f"{memory.id} {one_line(memory.title)}" for memory in memories))


def recalled_text(reply: Recalled, answer_format: str) -> str:
    """Return memories, or purged or restored ones."""
    if reply.about is not None:
        return about_text(reply.about)
    if reply.action != "view":
        return _change_lines(reply, answer_format)
    first, rest = reply, list[Memory]()
    if reply.conversations:  # what may be as good an answer stands where it is seen
        confirmed = [each for each in reply.memories if not each.is_proposal][:BEFORE_CONVERSATIONS]
        first = replace(reply, memories=confirmed)
        rest = [each for each in reply.memories if each not in confirmed]
    body, shown, cuts = _body(first, answer_format)
    lines = [frame_text(body)] if body else [] if reply.unknown or rest else [_nothing(reply)]
    lines += [*few(reply.notes), *_unknown(reply), *cuts]
    if reply.claude_memory and not rest:
        lines.append(_notes(reply, answer_format))
    if reply.conversations:
        lines.append(f"{CONVERSATIONS}\n{frame_text(compact_text(reply.conversations, answer_format))}")
    if reply.unrelated:
        heading = PERHAPS if reply.is_near else UNRELATED
        lines.append(f"{heading}\n{frame_text(compact_text(reply.unrelated, answer_format))}")
    if rest:
        body, more, cut = _body(replace(reply, memories=rest), answer_format)
        lines += [f"{MORE}\n{frame_text(body)}", *cut]
        shown += more
        lines += [_notes(reply, answer_format)] if reply.claude_memory else []
    text = "\n".join(lines)
    found = reply.total
    footer = f"{shown} of {found} · ~{tokens_in(text)} tokens · {reply.detail}"
    return f"{text}\n{footer}{' · ' + one_line(reply.query) if reply.query else ''}"


def _notes(reply: Recalled, answer_format: str) -> str:
    return f"{OWN_MEMORIES}\n{frame_text(compact_text(reply.claude_memory, answer_format))}"


def _body(reply: Recalled, answer_format: str) -> tuple[str, int, list[str]]:
    if reply.detail == "full":
        return full_text(reply.memories)
    if reply.detail == "timeline":
        lines = timeline_lines(reply.timeline)
        hits = [moment.memory.id for moment in reply.timeline if moment.is_hit]
        count = fitting_rows(lines, hits)
        shown = sum("▸" in line for line in lines[:count])
        return "\n".join(lines[:count]), shown, _cut_sentence(hits[shown:])
    rows = compact_rows(reply.memories)
    ids = [memory.id for memory in reply.memories]
    count = fitting_rows(["".join(map(str, row.values())) + " " * 3 * len(row) for row in rows], ids)
    text = rows_as_text("memories", rows[:count], answer_format)
    return text, count, _cut_sentence(ids[count:])


def _unknown(reply: Recalled) -> list[str]:
    return [frame_text("\n".join(few(reply.unknown)), NOT_SHOWN)] if reply.unknown else []


def _cut_sentence(ids: Sequence[str]) -> list[str]:
    return [left_out(ids)] if ids else []


def _nothing(reply: Recalled) -> str:
    if not reply.query:
        return "Nothing is stored here yet."
    if reply.unrelated or reply.conversations or reply.claude_memory:
        return f"No memory {'surely ' if reply.is_near else ''}answers {one_line(reply.query)}."
    if reply.notes:
        return "Nothing was found."
    return f"No memory matches {one_line(reply.query)}. Try other words, scope=all, or include_purged=true."


def _change_lines(reply: Recalled, answer_format: str) -> str:
    done, undo = ("Purged", "restore") if reply.action == "purge" else ("Restored", "purge")
    lines: list[str] = []
    if reply.memories:
        rows = compact_text(reply.memories, answer_format)
        lines += [f"{done} {len(reply.memories)}; action={undo} with the same ids takes it back.", frame_text(rows)]
    state = "already purged" if reply.action == "purge" else "not purged"
    lines += [f"{one_line(memory_id)}: {state}" for memory_id in reply.unchanged]
    lines += _unknown(reply)
    return "\n".join(lines)


def health_text(reply: DaemonHealth, _: str) -> str:
    """Return the state of the daemon and its store."""
    lines = [
        f"palimp {reply.version} · pid {reply.pid} · up {_duration(reply.uptime_s)} · sessions {reply.peers}"
        f" · jobs waiting {reply.mailbox_jobs}"
    ]
    if reply.problem:
        lines.append(f"PROBLEM: {one_line(f'{reply.problem} {reply.hint}', ERROR_CHARACTERS_MAX)}".rstrip())
    lines += [f"Team: {one_line(each, ERROR_CHARACTERS_MAX)}" for each in reply.team]
    if store := reply.store:
        kinds = ", ".join(f"{entry.count} {entry.kind}" for entry in store.kinds) or "none"
        last = date_and_time(store.last_saved_at) if store.last_saved_at else "never"
        lines += [
            f"{store.counts_text()}; of each kind: {kinds}; last saved {last}",
            f"Pieces of removed code: {store.removed_hunks:,}, {_megabytes(store.removed_bytes)}",
            f"{quote_text(store.path)}: schema {store.schema}, SQLite {store.sqlite} with {store.engine},"
            f" {_megabytes(store.database_bytes)} and {_megabytes(store.wal_bytes)} of WAL,"
            f" {_megabytes(store.disk_free_bytes)} free on disk",
        ]
    if times := [each for each in reply.latencies if each.operation in ("save_memory", "recall")]:
        told = (f"{each.operation} {each.p50_ms:g} / {each.p99_ms:g} ms ({each.count:,})" for each in times)
        lines.append(f"p50 / p99 since it started: {', '.join(told)}")
    if check := reply.canary:
        lines.append(f"Last self-test at {date_and_time(check.at)}: {one_line(check.problem) or 'all well'}")
    if reply.examined_at:
        lines.append(f"Integrity check passed at {date_and_time(reply.examined_at)}.")
    if reply.store:
        lines += [each.sentence(date_and_time(each.at)) for each in reply.store.rebuilt[:REBUILDS_SHOWN]]
    below = (("Conversations", reply.conversations), ("Agents' own memories", reply.claude_memory))
    lines += [f"{name}: {one_line(said, ERROR_CHARACTERS_MAX)}" for name, said in below if said]
    lines += few(reply.notes)
    return "\n".join(lines)


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
