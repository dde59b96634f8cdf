"""The bar of a long request, and what it must not do to a short one."""

import subprocess
import sys
import threading
from types import ModuleType

import pytest

from palimp_protocol.errors import UnreachableError
from palimp_protocol.messages.merge_messages import ProgressMade
from palimp_shim.cli import progress
from palimp_shim.cli.installation import embed
from palimp_shim.cli.progress import HowFar, WaitingBar, wait_until_over
from palimp_shim.cli.removed_code import changes
from palimp_shim.cli.sessions import conversations


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


# --- what goes on in the background --------------------------------------------------------------


def how_far(done: int) -> HowFar:
    """Return how far something of three steps is."""
    return HowFar(is_over=done >= 3, done=done, total=3, said=f"{done} of 3 steps")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What three looks find, without a pause between them."""
    monkeypatch.setattr(progress, "BACKGROUND_LOOK_S", 0.0)
    monkeypatch.setattr(progress, "LINE_S", 0.0)
    return [3, 2, 1]


def test_in_a_pipe_a_line_says_how_far_it_is(looks: list[int], capsys: pytest.CaptureFixture[str]):
    assert wait_until_over("mixing", 0, looks.pop, how_far) == 3
    assert capsys.readouterr().err.splitlines() == [f"palimp: mixing: {done} of 3 steps" for done in range(3)]


def test_on_a_terminal_a_bar_does_and_no_line_is_left(looks: list[int], capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert wait_until_over("mixing", 0, looks.pop, how_far) == 3
    assert "palimp: mixing" not in capsys.readouterr().err


def test_what_is_over_at_once_is_not_looked_at_again(capsys: pytest.CaptureFixture[str]):
    assert wait_until_over("mixing", 3, [].pop, how_far) == 3
    assert capsys.readouterr() == ("", "")


def test_a_look_that_fails_ends_the_waiting(looks: list[int]):
    def fail() -> int:
        raise UnreachableError("Gone.", "")

    with pytest.raises(UnreachableError):
        wait_until_over("mixing", 0, fail, how_far)


@pytest.mark.parametrize("command", [changes, conversations, embed])
def test_no_command_has_a_loop_of_its_own(command: ModuleType):
    """Each had one, and their mistakes were mended one by one."""
    assert not hasattr(command, "time")
    assert command.wait_until_over is wait_until_over
