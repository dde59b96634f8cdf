"""The daemon notices when its socket or its database is taken away."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.log import Log
from palimp_daemon.server.background.path_watch import CHECK_S, keep_looking, place_of_socket
from palimp_daemon.store.integrity.file_identity import place_of


@pytest.fixture
async def daemon(tmp_path: Path, autojump_clock, nursery):
    """A daemon's, looking; with a socket and an open database."""
    config = SimpleNamespace(socket=tmp_path / "s", database=tmp_path / "db")
    config.socket.touch()
    (tmp_path / "file").touch()
    config.database.symlink_to(tmp_path / "file")  # SQLite opens what a link leads to
    actor = SimpleNamespace(problem=None, opened_at=place_of(config.database))
    actor.refuse = lambda reason: setattr(actor, "problem", reason)
    made = SimpleNamespace(config=config, actor=actor, state=DaemonState("b", 0.0))
    nursery.start_soon(keep_looking, actor, made.state, config, place_of_socket(config.socket), Log("critical"))
    await trio.sleep(10.5 * CHECK_S)
    assert not made.state.stop.is_set()
    assert actor.problem is None
    return made


@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_without_its_socket_it_ends(autojump_clock, daemon, how: str):
    """The next client starts another."""
    daemon.config.socket.rename(daemon.config.socket.with_name("old"))
    if how == "replaced":
        daemon.config.socket.touch()
    await trio.sleep(CHECK_S)
    assert daemon.state.stop.is_set()
    assert daemon.actor.problem is None


@pytest.mark.parametrize(("how", "said"), [("removed", "is gone"), ("replaced", "was replaced")])
async def test_without_its_database_it_refuses_everything(autojump_clock, daemon, how: str, said: str):
    """What it acknowledged would be in a file that nobody opens."""
    daemon.config.database.rename(daemon.config.database.with_name("old"))
    if how == "replaced":
        daemon.config.database.touch()
    await trio.sleep(CHECK_S)
    assert said in daemon.actor.problem.text
    assert not daemon.state.stop.is_set()


async def test_a_database_that_is_not_open_yet_is_not_missed(autojump_clock, daemon):
    """It is made when it is opened."""
    daemon.actor.opened_at = None
    daemon.config.database.unlink()
    await trio.sleep(CHECK_S)
    assert daemon.actor.problem is None
