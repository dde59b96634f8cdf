"""A bar on the terminal while one long request is waited for, moved by a thread of its own."""

import sys
import threading
from collections.abc import Callable
from typing import Final

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.merge import ProgressMade

FIRST_S: Final = 0.5
"""Seconds without an answer after which there is a bar: most answers are there before, and drawing takes an import."""

LOOK_S: Final = 0.2
"""Seconds between two looks at its progress."""


class WaitingBar:
    """Shows *what* is going on, and its progress where *look* tells. A context, for as long as it is waited for."""

    def __init__(
        self, what: str, look: Callable[[], ProgressMade] | None = None, *, is_shown: bool | None = None
    ) -> None:
        self._what = what
        self._look = look
        self._is_over = threading.Event()
        is_shown = sys.stderr.isatty() if is_shown is None else is_shown
        self._thread = threading.Thread(target=self._show, daemon=True) if is_shown else None

    def __enter__(self) -> None:
        if self._thread:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._thread:
            self._thread.join()

    def _show(self) -> None:
        if self._is_over.wait(FIRST_S):
            return
        from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
        from rich.progress import Progress  # noqa: PLC0415

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(self._what, total=None)
            while not self._is_over.wait(LOOK_S):
                try:
                    made = self._look() if self._look else ProgressMade()
                except PalimpError:
                    continue  # who waits for the answer says what is wrong
                bar.update(task, description=made.step or self._what, total=made.total or None, completed=made.done)
