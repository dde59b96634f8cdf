"""What the daemon knows of itself."""

from palimp_daemon.dispatch.state import DaemonState


def test_a_stop_by_the_user_is_not_forgotten():
    """Whatever else has the daemon stop meanwhile: relays leave it stopped for a while."""
    state = DaemonState("b", 0.0)
    state.request_stop(by_user=True)
    state.request_stop(by_user=False)
    assert state.stop.is_set()
    assert state.is_stopped_by_user


def test_a_stop_for_another_reason_lets_relays_start_the_next_daemon():
    state = DaemonState("b", 0.0)
    state.request_stop(by_user=False)
    assert not state.is_stopped_by_user
