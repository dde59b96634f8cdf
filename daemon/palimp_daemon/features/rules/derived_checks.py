"""Derive rules' checks in the background: no save and no act waits for it."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import trio

from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.tables.rule_checks import RuleText, encode_checks, keep_checks, texts_to_derive
from palimp_daemon.text.rules.derivation import VERSION, checks_of
from palimp_protocol.errors import PalimpError

AT_ONCE: Final = 200
"""Memories read at once; a rule takes a millisecond of another thread."""

AGAIN_S: Final = 60.0
"""Seconds before the next try if the store was unusable."""


def derive(texts: Sequence[RuleText]) -> list[tuple[int, str]]:
    """Return the checks of *texts*, as JSON."""
    found = [(each, checks_of(each.text, is_decision=each.kind == "decision") if each.text else ()) for each in texts]
    return [(each.seq, encode_checks(checks)) for each, checks in found if checks or each.own]


class DerivedChecks:
    """Derives missing checks of rules."""

    def __init__(self, jobs: StoreJobs, log: Log) -> None:
        self._actor = jobs.actor
        self._texts = jobs.texts
        self._log = log
        self._saved = trio.Event()
        self._read_to = 0
        """The last memory read; the store may record an earlier one."""

    def on_save(self) -> None:
        """Look for new rules soon."""
        self._saved.set()

    async def run(self) -> None:
        """Derive checks after each save, until cancelled."""
        while True:
            self._saved = trio.Event()
            try:
                while await self._derive_next():
                    pass
            except PalimpError as error:
                self._log("rules_not_derived", code=error.code, reason=error.text)
                with trio.move_on_after(AGAIN_S):
                    await self._saved.wait()
                continue
            await self._saved.wait()

    async def _derive_next(self) -> bool:
        look = partial(texts_to_derive, version=VERSION, after=self._read_to, limit=AT_ONCE)
        texts = await self._actor.read(look)
        if not texts:
            return False
        derived = await self._texts.run(partial(derive, texts)) if any(each.text or each.own for each in texts) else []
        # Most saves are no rules: they are read once more at the next start, and cost no write of their own.
        if derived or len(texts) == AT_ONCE:
            await self._actor.write(partial(keep_checks, derived=derived, version=VERSION, up_to=texts[-1].seq))
        self._read_to = texts[-1].seq
        return True
