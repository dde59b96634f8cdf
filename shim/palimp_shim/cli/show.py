"""`palimp show`: whole memories by id."""

from palimp_protocol.limits import RECALL_ROWS_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.messages.introspection import Page, PageAddress
from palimp_protocol.messages.memory_messages import Recall
from palimp_shim.cli.arguments import recall, refuse_agents
from palimp_shim.cli.command import IDS, Invocation, command, flag
from palimp_shim.cli.output import print_full, print_json, print_remarks
from palimp_shim.cli.page import OF_PERSONS, show_in_browser


@command(
    "show",
    "Print whole memories by id, each with its history: what it replaced and what replaced it, who said so, and what"
    " narrows it or disagrees with it. What is no id may be a title that one memory has. --open shows the first of them"
    " in the browser, as `palimp page --open ID` does. Exits with 1 when an ID names nothing here.",
    IDS,
    flag("--purged", "purged ones too", "include_purged"),
    flag("--open", "open it in the browser instead", "is_opened"),
    asks=("recall",),
    example="palimp show m1rv7je2; palimp show m1rv7je2 --open",
)
def run(typed: Invocation) -> int:
    """Print the memories."""
    names: list[str] = typed.options.ids
    reply = recall(typed, typed.request())
    unknown = [name for name in names if any(said.startswith(f"{name}: ") for said in reply.unknown)]
    titled = {name: id_ for name in unknown if (id_ := _with_title(typed, name))}
    if titled:
        reply = recall(typed, typed.request(ids=[titled.get(name, name) for name in names]))
    if typed.options.is_opened and reply.memories:
        refuse_agents(typed, OF_PERSONS)
        address: PageAddress = typed.answer(Page(id=reply.memories[0].id))
        if not typed.is_json:
            show_in_browser(address, typed.env)
            print_remarks(reply)
    elif typed.is_json:
        print_json(reply)
    else:
        print_full(reply.memories)
        print_remarks(reply)
    return 1 if reply.unknown else 0


def _with_title(typed: Invocation, name: str) -> str:
    if not name.strip() or len(name) > TITLE_CHARACTERS_MAX:
        return ""
    is_purged = typed.options.include_purged
    found = recall(typed, Recall(title=name, scope="all", include_purged=is_purged, limit=RECALL_ROWS_MAX)).memories
    chosen = [each for each in found if each.title.casefold() == name.strip().casefold()] or found
    return chosen[0].id if len(chosen) == 1 else ""
