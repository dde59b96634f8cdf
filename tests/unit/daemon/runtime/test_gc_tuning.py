"""Garbage in cycles does not wait for Python to think of it, and what stays is not looked through for it."""

import gc
import weakref

import pytest
import trio

from palimp_daemon.runtime.gc_tuning import COLLECT_S, freeze_objects, keep_collecting, pause_collecting


class Session:
    """Refers to itself, as what a session leaves does."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def _unasked():
    """Python does not collect by itself, and sees everything again afterwards."""
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("_unasked")
async def test_what_a_session_leaves_is_collected_soon(nursery, autojump_clock):
    """Of Python it would have to be a quarter of everything."""
    left = weakref.ref(Session())
    assert left() is not None
    nursery.start_soon(keep_collecting)
    await trio.sleep(1.5 * COLLECT_S)
    assert left() is None


@pytest.mark.usefixtures("_unasked")
def test_what_is_left_out_is_not_looked_through():
    stays = Session()
    assert stays in gc.get_objects()
    freeze_objects()
    assert not any(each is stays for each in gc.get_objects())


def test_while_modules_are_imported_nothing_is_looked_through():
    """What they made is left out afterwards, and the collector works again."""
    try:
        with pause_collecting():
            assert not gc.isenabled()
            made = Session()
        assert gc.isenabled()
        assert not any(each is made for each in gc.get_objects())
    finally:
        gc.unfreeze()
