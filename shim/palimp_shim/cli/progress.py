"""Progress bars: for a request, moved by a thread; for background work, polled."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.merge_messages import ProgressMade
from palimp_shim.cli.output import print_remark

FIRST_S: Final = 0.5
"""Seconds without an answer before a bar is drawn: most are faster, and drawing takes an import."""

LOOK_S: Final = 0.2
"""Seconds between two looks at its progress."""

BACKGROUND_LOOK_S: Final = 0.5
"""Seconds between two looks at background work of minutes; each is a request."""

LINE_S: Final = 5.0
"""Seconds between two lines of progress, without a terminal."""

Status = TypeVar("Status")


def progress_bar(*, is_shown: bool) -> Any:
    """Return a `rich.progress.Progress` on stderr, a context."""
    from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
    from rich.progress import Progress  # noqa: PLC0415

    return Progress(console=Console(stderr=True), transient=True, disable=not is_shown)


class WaitingBar:
    """Shows *what* is going on, with *look*'s progress."""

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
        with progress_bar(is_shown=True) as bar:
            task = bar.add_task(self._what, total=None)
            while not self._is_over.wait(LOOK_S):
                try:
                    made = self._look() if self._look else ProgressMade()
                except PalimpError:
                    continue  # who waits for the answer says what is wrong
                bar.update(task, description=made.step or self._what, total=made.total or None, completed=made.done)


class HowFar(NamedTuple):
    """Background progress; *said* is shown without a bar."""

    is_over: bool
    done: int
    total: int
    """0: not known yet."""
    said: str


def wait_until_over(
    what: str, status: Status, look: Callable[[], Status], how_far: Callable[[Status], HowFar]
) -> Status:
    """Show progress on stderr until the end; return the last status.

    Raises:
        PalimpError: a look failed.
    """
    if how_far(status).is_over:
        return status
    if not sys.stderr.isatty():
        return _wait_in_lines(what, status, look, how_far)
    with progress_bar(is_shown=True) as bar:
        task = bar.add_task(what, total=None)
        while not (made := how_far(status)).is_over:
            bar.update(task, total=made.total or None, completed=made.done)
            time.sleep(BACKGROUND_LOOK_S)
            status = look()
    return status


def _wait_in_lines(
    what: str, status: Status, look: Callable[[], Status], how_far: Callable[[Status], HowFar]
) -> Status:
    last = time.monotonic()
    while not (made := how_far(status)).is_over:
        if time.monotonic() - last >= LINE_S:
            last = time.monotonic()
            print_remark(f"{what}: {made.said}")
        time.sleep(BACKGROUND_LOOK_S)
        status = look()
    return status
