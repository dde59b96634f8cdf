"""Calls: what becomes of a bug."""

from pathlib import Path

import pytest

from palimp_daemon.calls import Calls
from palimp_daemon.config import Config
from palimp_daemon.preferences import Preferences
from palimp_daemon.services import DaemonState
from palimp_protocol.changes import CheckChange
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.operations import Caller
from palimp_protocol.table import OPERATIONS


class Broken:
    """Fails as a bug does."""

    async def check(self, *_: object) -> None:
        raise ExceptionGroup("a bug", [KeyError("x")])


async def test_a_bug_is_an_answer_and_not_the_end_of_the_daemon(tmp_path: Path):
    nothing = tmp_path / "x"
    config = Config(database=nothing, lock=nothing, address=nothing, stopped=nothing, socket=nothing, spool=nothing)
    calls = Calls(None, config, DaemonState("b", 0.0), Preferences({"HOME": str(tmp_path)}))  # type: ignore[arg-type]
    calls.__dict__["checks"] = Broken()
    with pytest.raises(PalimpError) as failed:
        await calls.answer(OPERATIONS["check_change"], CheckChange(path="a", text="b"), Caller(), b"")
    assert failed.value.code is ErrorCode.INTERNAL
