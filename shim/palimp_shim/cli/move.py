"""`palimp move`: move memories to all projects, or another one."""

from pathlib import Path

from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.links import Moved
from palimp_protocol.text import one_line, shown_name
from palimp_shim.cli.arguments import refuse_agents
from palimp_shim.cli.command import IDS, Invocation, argument, command, flag, one_of
from palimp_shim.cli.output import print_line, print_notes, print_remark


@command(
    "move",
    "Move memories out of this project: to all projects (the global scope), or to the project of another folder. The"
    " versions that they replaced go along. Only a person can do this, not an agent in its session. `palimp undo` takes"
    " it back.",
    IDS,
    one_of(
        flag("--global", "to all projects", "to_global"),
        argument("--project", dest="target", metavar="DIR", help="to the project of DIR"),
        required=True,
    ),
    argument("--from", dest="project", metavar="DIR", help="out of the project of DIR instead of the working folder's"),
    example="palimp move m1rv7je2 --global; palimp move m1rv7je2 --project ~/src/shop",
    scope=False,
)
def run(typed: Invocation) -> int:
    """Move them; return 1 for an unknown id."""
    refuse_agents(typed, "Only a person moves memories to other projects")
    target = None if typed.options.to_global else _target(typed)
    reply: Moved = typed.answer(typed.request(target=target))
    if not typed.is_json:
        where = f"to {shown_name(target.name)}" if target else "to all projects"
        for memory in reply.memories:
            print_line(f"Moved {where}: {memory.id} {one_line(memory.title)}")
        print_notes(*(f"{name}: it stands there already" for name in reply.unchanged))
        print_notes(*reply.unknown)
        if reply.memories:
            print_remark("palimp undo takes it back.")
    return 1 if reply.unknown else 0


def _target(typed: Invocation) -> ProjectRef:
    folder = typed.options.target
    if not Path(folder).is_dir():
        raise PalimpError(ErrorCode.BAD_REQUEST, f"--project: {folder} is not a folder.")
    project = project_from_directory(folder, home_directory(typed.env))
    if project is None:
        hint = "--global moves it to all projects."
        raise PalimpError(ErrorCode.BAD_REQUEST, f"--project: {folder} is outside all projects.", hint)
    return ProjectRef(*project)
