"""`palimp handoff`: a session's state, for another agent."""

from palimp_protocol.messages.session_messages import HandedOff
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_text


@command(
    "handoff",
    "Print where a session stood, for another agent to go on: its first request, what was decided and found, code that"
    " was taken out again, files touched, commands that failed and what worked, open questions, last words. At most"
    " 1,500 tokens, put together from what is kept. Without a session, the one heard of last in this project. In a"
    " client the prompt `handoff` does the same.",
    argument("session", nargs="?", metavar="SESSION", help="its key, or how it begins, as `palimp sessions` lists it"),
    example="palimp handoff | codex exec -; palimp handoff 3f8b523d",
)
def run(typed: Invocation) -> None:
    """Print the handover."""
    reply: HandedOff = typed.answer()
    if not typed.is_json:
        print_text(reply.text)
