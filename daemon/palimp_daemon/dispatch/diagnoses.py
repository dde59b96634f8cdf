"""Keep `palimp doctor`'s findings for the page, and run it there."""

import shlex
import sys
from collections.abc import Callable
from typing import Final

import trio

from palimp_daemon.features.handler import Invocation
from palimp_daemon.runtime.external_command import CommandError, answer_of
from palimp_protocol.messages.daemon_messages import Diagnose, Diagnosis

COMMAND: Final = [sys.executable, "-m", "palimp_shim.__main__", "doctor", "--json"]
"""`palimp doctor` of this installation, reporting its findings to the daemon itself."""


class Diagnoses:
    """Answers `diagnose`. *command* is an argument for tests."""

    def __init__(self, now_ms: Callable[[], int], command: list[str] = COMMAND) -> None:
        self._now_ms = now_ms
        self._command = shlex.join(command)
        self._last = Diagnosis()
        self._looking = trio.Lock()

    async def answer(self, call: Invocation) -> Diagnosis:
        """Keep the given findings, or return the kept ones, running the doctor if asked."""
        request: Diagnose = call.request
        if request.found:
            self._last = Diagnosis(at=self._now_ms(), findings=request.found)
        elif request.look:
            await self._look()
        return self._last

    async def _look(self) -> None:
        before = self._last
        async with self._looking:
            if self._last is not before:
                return  # another tab asked meanwhile
            why = "it told nothing"
            try:
                await answer_of(self._command, "", has_hooks=True)
            except CommandError as error:
                why = str(error)
            if self._last is before:  # also a doctor that found a fault exits with an error
                self._last = Diagnosis(at=before.at, findings=before.findings, problem=f"`palimp doctor`: {why}.")
