"""What hooks and daemon agree on."""

from palimp_protocol.hooks import HOOK_DEADLINES_S, HOOK_MARGIN_S, KEPT_EVENTS


def test_every_hook_leaves_the_daemon_time_and_what_is_kept_is_an_event():
    assert min(HOOK_DEADLINES_S.values()) > HOOK_MARGIN_S
    assert HOOK_DEADLINES_S.keys() >= KEPT_EVENTS
