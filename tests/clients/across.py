"""Decided in one client, known in another: two real programs in one project."""

import json
from typing import Final

from client import RealClient
from retry_helper import KEEP, RENAMED, RETRY
from scenario import DENIED, SAVED, WHY, Stage, expect, install, stage

NAMES: Final = ("codex", "claude-code")
"""Who decides, and who must know it."""


def play(first: RealClient, second: RealClient) -> str:
    """Let *first* decide and remove, and *second* be told; return what was seen.

    Raises:
        FailedError: something was not as it should be.
    """
    with stage() as here:
        for client in (first, second):
            here.configure(client)
            install(client, here)
        file = here.project / "client.py"
        removal = [*first.reading(file), first.edit(file, RETRY, "")]
        saving = [*first.connected, first.save(SAVED)]
        here.session(first, f"Remove the retry helper: {WHY}", *removal, *saving, {"text": "It is gone."})
        _handed_over(here, first, second)
        here.let_a_day_pass()

        again = second.edit(file, KEEP, KEEP + RENAMED)
        steps = [*second.reading(file), again, {"text": "I leave it out."}]
        shown = here.session(second, "Make calls to the ledger more robust", *steps)
        expect(SAVED in shown[0], f"{second.name} was not shown what {first.name} had saved: {shown[0][-4000:]}")
        _, _, denial = shown[-1].partition(DENIED)
        expect(bool(denial), f"{second.name} was not denied what {first.name} had removed: {shown[-1][-4000:]}")
        expect(WHY in denial, f"the denial lacks the reason: {denial[:2000]}")
        expect(file.read_text(encoding="utf-8") == KEEP, "the code came back all the same")
        sessions = [second.name] * 2 + [first.name] * 2
        expect(here.sessions() == sessions, f"sessions are of: {here.sessions()}")
    told = "both read the handover; "
    knew = f"what {first.name} decided and removed, {second.name} knew: told at its start, and denied with the reason"
    return told + knew


def _handed_over(here: Stage, *clients: RealClient) -> None:
    """Each of *clients* is given where the last session stood, as `palimp handoff | CLIENT` does."""
    handover = here.palimp("handoff")
    for known in (f"Remove the retry helper: {WHY}", SAVED, "client.py", "It is gone."):
        expect(known in handover, f"the handover does not say {known}: {handover}")
    for client in clients:
        shown = here.session(client, handover, {"text": "I go on."})
        prompt = json.dumps(handover.strip(), ensure_ascii=False)[1:-1]
        expect(prompt in shown[0], f"{client.name} was not shown the handover: {shown[0][-6000:]}")
