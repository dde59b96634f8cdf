"""The bar of a long request, and what it must not do to a short one."""

import subprocess
import sys
import threading

import pytest

from palimp_protocol.errors import UnreachableError
from palimp_protocol.messages.merge import ProgressMade
from palimp_shim.cli import progress
from palimp_shim.cli.progress import WaitingBar


def test_who_is_answered_at_once_imports_nothing_for_it():
    script = (
        "import sys; from palimp_shim.cli.progress import WaitingBar\n"
        "with WaitingBar('copying', is_shown=True): pass\n"
        "print('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout == b"False\n"


def test_a_look_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch):
    """What is wrong is said by who waits for the answer."""
    monkeypatch.setattr(progress, "FIRST_S", 0.0)
    monkeypatch.setattr(progress, "LOOK_S", 0.001)
    has_looked = threading.Event()
    looks: list[int] = []

    def look() -> ProgressMade:
        looks.append(1)
        if len(looks) == 1:
            raise UnreachableError("Gone.", "")
        has_looked.set()
        return ProgressMade(step="merging", done=1, total=2)

    with WaitingBar("compact", look, is_shown=True):
        assert has_looked.wait(20)


def test_nothing_is_shown_where_nobody_is_looking(capsys: pytest.CaptureFixture[str]):
    with WaitingBar("copying"):
        pass
    assert capsys.readouterr().err == ""
