"""Output of `palimp changes`."""

from collections.abc import Sequence
from typing import Any

from palimp_protocol.messages.removed_code import ChangeChecked, ChangeList, RemovedHunk, Return
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_shim.cli.output import day, minute, print_line, print_remark, print_text, styles
from palimp_shim.cli.tables import Column, is_terminal, print_table

_COLOURS = {"-": "\033[31m", "+": "\033[32m", " ": "\033[2m"}


def print_hunks(reply: ChangeList) -> None:
    """Print removed code as rows."""
    if not is_terminal():
        for hunk in reply.hunks:
            print_line(
                "\t".join(
                    [
                        hunk.id,
                        day(hunk.at),
                        f"{shown_name(hunk.path)}:{hunk.line}",
                        count_of(hunk.gone, "line"),
                        _why(hunk),
                        one_line(hunk.first),
                    ]
                )
            )
        return
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    columns = [Column("id", "cyan"), Column("removed code", is_text=True), Column("lines", is_number=True)]
    rows: list[list[Any]] = []
    for hunk in reply.hunks:
        cell = Text(f"{shown_name(hunk.path)}:{hunk.line}", style="bold")
        cell.append(f"\n{one_line(hunk.first)}", style="not bold red")
        cell.append(f"\n{_why(hunk)}", style="not bold dim")
        rows.append([hunk.id, cell, str(hunk.gone), day(hunk.at)])
    print_table([*columns, Column("removed", "dim")], rows)
    if reply.total > len(reply.hunks):
        print_remark(f"{len(reply.hunks)} of {reply.total:,} shown; --limit shows more.")


def print_diff(hunk: RemovedHunk) -> None:
    """Print a hunk as a diff."""
    bold, dim, plain = styles()
    turn = f", turn {hunk.turn}" if hunk.turn else ""
    print_line(f"{bold}{hunk.id}  {shown_name(hunk.path)}:{hunk.line}{plain}")
    print_line(f"{dim}{minute(hunk.at)} · {_where(hunk.commit, hunk.session)}{turn} · {hunk.state}{plain}")
    print_line(f"Reason: {one_line(hunk.reason) or 'none was recorded'}")
    if hunk.memory:
        print_line(f"Saved at that time: {one_line(hunk.memory)}")
    print_line("")
    for line in hunk.diff.splitlines():
        colour = _COLOURS.get(line[:1], "") if plain else ""
        print_text(f"{colour}{line}{plain if colour else ''}")


def print_checked(found: Sequence[tuple[str, ChangeChecked]]) -> None:
    """Print removed code that files reintroduce."""
    for path, reply in found:
        for each in reply.returns:
            _print_return(path, each)
        for note in reply.notes:
            print_remark(f"{shown_name(path)}: {note}")
    if found and (note := found[-1][1].history_note):  # that of the last: meanwhile more was read
        print_remark(note)


def _print_return(path: str, found: Return) -> None:
    bold, _, plain = styles()
    word = "reintroduces" if found.level == "warn" else "resembles"
    print_line(
        f"{bold}{shown_name(path)}: {word} {found.id}{plain}, removed from {shown_name(found.path)} on {day(found.at)}"
    )
    print_line(f"  in {_where(found.commit, found.session)}: {one_line(found.reason) or 'no reason was recorded'}")
    for each in found.added:
        place = "it had come from another file, where it was added" if each.is_elsewhere else "it had been added"
        where = f"commit {each.commit[:12]}" if each.commit else "an agent's edit"
        print_line(f"  {place} on {day(each.at)} in {where}: {one_line(each.reason) or 'no reason was recorded'}")
    print_line(
        f"  {found.identical} of {found.gone} removed lines are the same, {found.share:.0%} of it is here again:"
    )
    for line in found.lines:
        print_text(f"    {line}")


def _why(hunk: RemovedHunk) -> str:
    where = hunk.commit[:12] if hunk.commit else "session"
    return one_line(f"{where}: {hunk.reason}")


def _where(commit: str, session: str) -> str:
    return f"commit {commit[:12]}" if commit else f"session {shown_name(session)}" if session else "an agent's edit"
