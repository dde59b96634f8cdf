"""`palimp sessions`: list sessions, or one's acts and given texts."""

from typing import Any

from palimp_protocol.messages.session_messages import (
    Breach,
    CaptureRun,
    Given,
    SessionEvent,
    SessionList,
    SessionSummary,
)
from palimp_protocol.text import count_of, one_line, shown_name, times
from palimp_shim.cli.command import Invocation, argument, command, one_of
from palimp_shim.cli.output import minute, print_line, print_notes, print_remark, styles
from palimp_shim.cli.tables import Column, is_terminal, print_table

SHOWN_KEY = 8
"""Characters of a session's key in a table."""


@command(
    "sessions",
    "List the project's sessions, newest first: what each was about (the title of its summary, or of what it saved"
    " last), client, start, end, turns, saves, recalls, removed code. With a session's key, or how it begins, show what"
    " it did, in order, and what it was given unasked: when, at its start, with a prompt or before an action, and why;"
    " and which rules it broke. `palimp mute ID` stops one from being shown. With --given, list the sessions that were"
    " given a memory unasked in the last 90 days, when and why, and whether they used it: opened it, or wrote words of"
    " it. Exits with 1 when there is none.",
    one_of(
        argument("session", nargs="?", help="the key of a session, or how it begins"),
        argument("--given", metavar="ID", help="the id of a memory: the sessions that were given it"),
    ),
    argument("--limit", type=int, metavar="N", help="sessions at most (default 20)"),
    example="palimp sessions; palimp sessions 3f8b523d; palimp sessions --given m3x7",
)
def run(typed: Invocation) -> int:
    """List sessions, or show one."""
    reply: SessionList = typed.answer()
    if typed.options.given:
        if not typed.is_json:
            _print_given_to(reply.given)
        return 0 if reply.given else 1
    if typed.options.session and not typed.is_json:
        _print_one(reply.sessions[0], reply.events)
        _print_given(reply.given)
        _print_broken(reply.broken)
    elif not typed.is_json:
        _print_sessions(reply)
    print_notes(*map(_capture_line, reply.captures), *reply.notes)
    return 0 if reply.sessions else 1


def _print_sessions(reply: SessionList) -> None:
    if not reply.sessions:
        print_line("No session did anything here yet.")
    elif is_terminal():
        _print_table(reply)
    else:
        for each in reply.sessions:
            print_line("\t".join([shown_name(each.key), *_cells(each)]))
    if reply.total > len(reply.sessions):
        print_remark(f"{len(reply.sessions)} of {reply.total:,} shown; --limit shows more.")


def _capture_line(run: CaptureRun) -> str:
    what = one_line(run.file) if run.file else "a conversation"
    asked = f"Capture of {what} at {minute(run.at)}"
    if not run.is_over:
        return f"{asked}: it is being looked through."
    if run.why:
        return f"{asked} failed: {run.why}"
    known = f", {run.known} known already" if run.known else ""
    found = count_of(run.memories, "memory")
    review = "; `palimp review` shows them" if run.memories else ""
    return f"{asked}: {found} from {count_of(run.messages, 'message')}{known}{review}."


def _cells(each: SessionSummary) -> list[str]:
    project, about = shown_name(each.project), one_line(each.about)
    return [shown_name(each.client or "?"), project, minute(each.started_at), _end(each), *_numbers(each), about]


def _numbers(each: SessionSummary) -> list[str]:
    removed = f"{count_of(each.removed, 'piece')} removed"
    return [count_of(each.turns, "turn"), count_of(each.saves, "save"), count_of(each.recalls, "recall"), removed]


def _end(each: SessionSummary) -> str:
    return minute(each.ended_at) if each.ended_at else f"seen {minute(each.seen_at)}"


def _until(each: SessionSummary) -> str:
    return f"until {minute(each.ended_at)}" if each.ended_at else f"last seen {minute(each.seen_at)}"


def _print_table(reply: SessionList) -> None:
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    columns = [Column("session", "cyan"), Column("about", is_text=True), Column("start", "dim")]
    rows: list[list[Any]] = []
    for each in reply.sessions:
        told = [number for number in _numbers(each) if not number.startswith("0 ")]
        facts = " · ".join([shown_name(each.client or "?"), *told, _until(each)])
        about = one_line(each.about) or "nothing was saved"
        cell = Text.assemble((about, "bold" if each.about else "dim"), "\n", (facts, "dim"))
        rows.append([_key(each.key, reply), cell, minute(each.started_at)])
    print_table(columns, rows)


def _key(key: str, reply: SessionList) -> str:
    others = [each.key for each in reply.sessions if each.key != key]
    length = SHOWN_KEY
    while length < len(key) and any(other.startswith(key[:length]) for other in others):
        length += 1
    return shown_name(key[:length])


def _print_one(session: SessionSummary, events: list[SessionEvent]) -> None:
    bold, dim, plain = styles()
    numbers = ", ".join(_numbers(session))
    print_line(f"{bold}{shown_name(session.key)}{plain}" + (f"  {one_line(session.about)}" if session.about else ""))
    seen = f"from {minute(session.started_at)} · {_until(session)}"
    print_line(f"{dim}{shown_name(session.client or '?')} · {seen} · {numbers}{plain}")
    for event in events:
        title = one_line(event.title)
        print_line(f"{minute(event.at)}  {event.what:<12}  {event.id:<9}  {title}")


def _print_broken(broken: list[Breach]) -> None:
    bold, _, plain = styles()
    if broken and is_terminal():
        print_line(f"\n{bold}Rules that it broke{plain}")
    for each in broken:
        told = f", {each.times_told} of them after a reminder" if each.times_told else ""
        print_line(
            f"{minute(each.at)}  {'broke':<12}  {each.id:<9}  {one_line(each.title)} ({times(each.times)}{told})"
        )
        print_line(f"    {one_line(each.act)}")


def _print_given_to(given: list[Given]) -> None:
    if not given:
        print_line("No session was given it unasked in the last 90 days.")
        return
    used = {"opened": "opened", "written": "used"}
    cells = [
        [minute(each.at), each.occasion, shown_name(each.session), one_line(each.why), used.get(each.outcome, "")]
        for each in given
    ]
    if not is_terminal():
        for row in cells:
            print_line("\t".join(row))
        return
    columns = [Column("when", "dim"), Column("with"), Column("session", "cyan"), Column("why", is_text=True)]
    print_table([*columns, Column("used")], cells)


def _print_given(given: list[Given]) -> None:
    if not given:
        return
    if not is_terminal():
        for each in given:
            cells = (minute(each.at), f"given:{each.occasion}", each.id, one_line(each.title), one_line(each.why))
            print_line("\t".join(cells))
        return
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    bold, _, plain = styles()
    print_line(f"\n{bold}Given to it, and why{plain}; palimp mute ID stops one from being shown")
    columns = [Column("when", "dim"), Column("with"), Column("id", "cyan"), Column("memory", is_text=True)]
    print_table(
        columns,
        [
            [
                minute(each.at),
                each.occasion,
                each.id,
                Text.assemble(one_line(each.title), "\n", (one_line(each.why), "dim")),
            ]
            for each in given
        ],
    )
