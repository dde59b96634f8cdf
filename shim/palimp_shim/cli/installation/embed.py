"""`palimp embed`: wait for embedding, or print the progress."""

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.daemon_messages import EmbeddingStatus
from palimp_protocol.text import count_of
from palimp_shim.cli.command import EXIT_FAILED, Invocation, command, flag
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.progress import HowFar, wait_until_over


@command(
    "embed",
    "Memories are embedded in the background, and again when search.embedding_model changes; recall works meanwhile."
    " This command waits until all are, with a progress bar on a terminal, else with a line now and then; it may be"
    " interrupted at any time. --status only prints the progress.",
    flag("--status", "do not wait"),
    asks=("embedding",),
    example="palimp embed --status",
    scope=False,
)
def run(typed: Invocation) -> int:
    """Ask until all is embedded, or once."""
    status: EmbeddingStatus = typed.ask()
    if not status.is_on and not typed.is_json:
        raise PalimpError(ErrorCode.BAD_REQUEST, "Semantic ranking is not installed, or is off.", status.hint)
    if not typed.options.status and status.is_on:
        status = wait_until_over("embedding", status, typed.ask, _how_far)
    if typed.is_json:
        print_json(status)
    else:
        print_line(f"{status.embedded:,} of {count_of(status.memories, 'memory')} embedded with {status.model}")
        if status.problem:
            print_line(f"PROBLEM  {status.problem} {status.hint}")
        elif status.remark:
            print_remark(f"{status.remark} {status.hint}")
    return EXIT_FAILED if status.problem else 0


def _how_far(status: EmbeddingStatus) -> HowFar:
    return HowFar(
        is_over=status.embedded >= status.memories or bool(status.problem),
        done=status.embedded,
        total=status.memories,
        said=f"{status.embedded:,} of {count_of(status.memories, 'memory')}",
    )
