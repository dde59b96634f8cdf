"""What is taken away from a running daemon; the ids are those of the catalogue in the page reliability."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from daemon_asking import ask
from running_daemon import RunningDaemon, owner_pids

from palimp_daemon.server.background.path_watch import CHECK_S
from palimp_protocol.env.paths import database_path, socket_path
from palimp_protocol.errors import PalimpError


def is_refused(env, project) -> bool:
    try:
        ask(env, project, "save_memory", text="Where would this go?")
    except PalimpError as error:
        return "Nothing more is stored" in error.text
    return False


def test_f13_a_database_that_is_moved_is_noticed_and_nothing_more_is_acknowledged(daemon, env, project):
    """Put back, it has everything that was acknowledged."""
    ask(env, project, "save_memory", text="Before it was moved.")
    path = Path(database_path(env))
    moved = path.with_name("moved.db")
    path.rename(moved)
    assert is_refused(env, project), "the first save after it"
    assert "is gone from its place" in ask(env, project, "health").problem
    assert daemon.stop() == 0
    moved.rename(path)
    daemon.start()
    assert "Before it was moved" in [each.title for each in ask(env, project, "recall", limit=50).memories]


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_f13_under_load_nothing_is_acknowledged_after_a_database_is_removed_or_replaced(daemon, env, project, how):
    """Of many sessions that save at once: whatever was acknowledged was so before, and nothing is afterwards."""
    path = Path(database_path(env))
    is_gone = threading.Event()
    acknowledged_after = []

    def save(session: int) -> None:
        for number in range(200):
            began_after = is_gone.is_set()
            try:
                ask(env, project, "save_memory", text=f"Fact {session} {number}.")
            except PalimpError:
                return
            if began_after:
                acknowledged_after.append((session, number))

    with ThreadPoolExecutor(8) as sessions:
        running = [sessions.submit(save, session) for session in range(8)]
        ask(env, project, "save_memory", text="Before.")
        if how == "replaced":
            path.with_name("new.db").write_bytes(path.read_bytes())
            path.with_name("new.db").replace(path)
        else:
            path.unlink()
        is_gone.set()
        for each in running:
            each.result()
    assert acknowledged_after == []
    assert is_refused(env, project)


def test_f13_a_socket_that_is_removed_is_made_again_by_the_next_daemon(daemon, env, project):
    """The one without a socket ends."""
    ask(env, project, "save_memory", text="Before it was removed.")
    first = owner_pids(env)
    Path(socket_path(env, user_id=0)).unlink()
    assert daemon.process.wait(2 * CHECK_S + 10) == 0
    daemon.start()
    assert owner_pids(env) != first
    assert ask(env, project, "recall").total == 1


def test_f13_a_second_owner_through_another_folder_is_refused(daemon, env):
    """The lock is beside the database, wherever the socket is."""
    other = RunningDaemon({**env, "PALIMP_SOCKET": f"{env['HOME']}/elsewhere/s.sock"})
    with pytest.raises(AssertionError, match="Another palimpd owns"):
        other.start()
    assert owner_pids(env) == [daemon.pid]
