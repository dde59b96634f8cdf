"""`palimp add`: save a memory."""

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.memory_messages import Saved
from palimp_protocol.text import one_line, quote_text
from palimp_shim.cli.arguments import KINDS, refuse_agents, text_given
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line, print_notes, print_remark


@command(
    "add",
    "Save a memory in the project of the working folder. Without a text, stdin is read.",
    argument("text", nargs="*", help="what to remember; - or nothing reads it from stdin"),
    argument("--title", help="at most 200 characters; made from the first sentence when omitted"),
    argument("--tag", dest="tags", action="append", metavar="TAG", help="a tag; may be repeated"),
    argument("--kind", choices=KINDS, default="note", help="what it is about (default note)"),
    argument("--source", default="cli", metavar="NAME", help="where it comes from (default cli)"),
    argument("--replaces", action="append", metavar="ID", help="a memory that no longer holds; may be repeated"),
    argument("--narrows", action="append", metavar="ID", help="a memory to which this one is an exception"),
    asks=("save_memory",),
    unset={"scope": "--global says it"},
    example="palimp add 'Retries are capped at 3: the API bans after 4' --tag api; palimp add < note.md",
)
def run(typed: Invocation) -> None:
    """Save it and print its id."""
    if typed.caller.project is None:
        refuse_agents(typed, 'Only a person saves for all projects at once; agents call save_memory(scope="global")')
    reply: Saved = typed.answer(typed.request(text=_text(typed.options.text)))
    if typed.is_json:
        return
    print_line(f'{"Already saved as" if reply.is_known else "Saved"} "{one_line(reply.title)}" ({reply.id})')
    if reply.is_redacted:
        print_remark("secrets or private parts in it were not stored.")
    if reply.is_proposal:
        print_remark("it waits for a yes: palimp review.")
    for older in reply.linked:
        print_line(f"It {older.relation} {older.id} {quote_text(older.title)}")
    print_notes(*(f"nearly the same as {other.id} {quote_text(other.title)}" for other in reply.similar))
    print_notes(*(f"on the same subject: {other.id} {quote_text(other.title)}" for other in reply.same_subject))
    if others := [*reply.similar, *reply.same_subject]:
        print_remark(f"where it replaces one of these: palimp supersede {others[0].id} {reply.id}")


def _text(words: list[str]) -> str:
    text = text_given(words)
    if text is None:
        raise PalimpError(ErrorCode.BAD_REQUEST, "There is no text.", "Say what is to be remembered: palimp add 'We …'")
    if len(text) > TEXT_CHARACTERS_MAX:
        what = f"The text has more than {TEXT_CHARACTERS_MAX:,} characters."
        raise PalimpError(ErrorCode.BAD_REQUEST, what, "Longer texts are documents: palimp docs add SLUG FILE.")
    if not text.strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "The text is blank.", "Say what is to be remembered.")
    return text
