"""`palimp projects`: list projects, and set a folder's project."""

from pathlib import Path
from typing import Any

from palimp_protocol.messages.project_messages import KnownProject, LinkProject, ProjectLinked, ProjectList, Projects
from palimp_protocol.text import count_of, shown_name
from palimp_shim.cli.command import Invocation, argument, caller_here, command
from palimp_shim.cli.output import day, print_line, print_notes, print_remark
from palimp_shim.cli.tables import Column, is_terminal, print_table


@command(
    "projects",
    "List known projects, most recently active first. A project is identified by its folder. After moving or renaming"
    " the folder, run `palimp adopt FORMER` in the new one to keep its memories. To make a second clone, a submodule or"
    " a subfolder share another folder's project, run `palimp projects link OTHER` in it.",
    example="palimp projects; cd ~/work/second-clone && palimp projects link ~/work/first-clone",
    asks=(),
    scope=False,
)
@command(
    "projects list",
    "list the projects",
    asks=("projects",),
    scope=False,
    unset={"limit": "as many as one answer holds"},
)
def run(typed: Invocation) -> int:
    """List projects."""
    typed.caller = caller_here(typed.env)
    reply: ProjectList = typed.answer(Projects())
    if not typed.is_json:
        _print(reply)
    if reply.total > len(reply.projects):
        print_remark(f"{len(reply.projects)} of {reply.total} shown.")
    if any(each.is_gone or each.leads_to for each in reply.projects) and not typed.is_json:
        print_remark(
            "Folders that are gone, or lead elsewhere, may have been moved: `palimp adopt FORMER` in the present one."
        )
    print_notes(*reply.notes)
    return 0 if reply.projects else 1


def _print(reply: ProjectList) -> None:
    if not reply.projects:
        print_line("No projects yet.")
    elif is_terminal():
        columns = [Column("folder", "cyan", is_text=True)]
        columns += [Column(name, is_number=True) for name in ("memories", "removed", "sessions")]
        columns += [Column("last"), Column("", "yellow")]
        print_table(columns, [[shown_name(each.root), *_cells(each)] for each in reply.projects])
    else:
        for each in reply.projects:
            print_line("\t".join([shown_name(each.root), *_named_cells(each)]))


@command("projects new", "the repository here is a different one: start a new project", asks=("link_project",))
@command("projects same", "the repository here is still the same project", asks=("link_project",))
@command("projects unlink", "undo a link: this folder is a project of its own again", asks=("link_project",))
@command(
    "projects link",
    "share the project of another clone of this repository, or of a folder around this one",
    argument("other", sets="root", help="the other folder, as `palimp projects` shows it"),
    asks=("link_project",),
    example="~/work/first-clone",
    unset={"action": "the command says it"},
)
def link(typed: Invocation) -> None:
    """Do as the command's name says."""
    action: Any = typed.name.rpartition(" ")[2]
    root = str(Path(typed.options.other).expanduser().absolute()) if action == "link" else ""
    reply: ProjectLinked = typed.answer(LinkProject(action=action, root=root))
    if not typed.is_json:
        print_line(_done(reply))
        print_notes(*reply.notes)


def _done(reply: ProjectLinked) -> str:
    memories = count_of(reply.memories, "memory")
    beside = f", beside the {count_of(reply.joined, 'memory')} that this folder had" if reply.joined else ""
    if reply.action == "link":
        return (
            f"This folder is one project with {reply.root} now: {memories}{beside}. `palimp projects unlink` undoes it."
        )
    if reply.action == "unlink":
        return (
            f"This folder is a project of its own again, with the {memories} that it had. Memories saved since stay"
            f" with {reply.root}."
        )
    if reply.action == "same":
        return (
            f"This folder is the project that it was: {memories}, with what was saved since."
            " `palimp projects new` undoes it."
        )
    return (
        f"This folder is a project of its own. The {memories} of the repository before are kept as {reply.root};"
        " `palimp projects same` undoes it."
    )


def _cells(each: KnownProject) -> list[str]:
    numbers = (each.memories, each.removed, each.sessions)
    return [*map(str, numbers), day(each.last_at) if each.last_at else "", _state(each)]


def _named_cells(each: KnownProject) -> list[str]:
    memories, pieces = count_of(each.memories, "memory"), f"{count_of(each.removed, 'piece')} of removed code"
    return [memories, pieces, count_of(each.sessions, "session"), *_cells(each)[3:]]


def _state(each: KnownProject) -> str:
    if each.linked_to:
        return f"linked with {each.linked_to}"
    if each.root.startswith("palimp:before/"):
        return "another repository is there now"
    if each.leads_to:
        return f"leads to {shown_name(each.leads_to)}"
    return "gone" if each.is_gone else "off" if each.is_off else ""
