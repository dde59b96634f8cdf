"""A machine that has much to catch up with has what holds at once, the newest first; then all the rest."""

import pytest
from replicas import sync_all

from palimp_daemon.features.team import applying, holding_first
from palimp_daemon.features.team.transport import TransportError
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import Selection


@pytest.fixture
def catches_up(monkeypatch):
    """Has few operations count as many."""
    monkeypatch.setattr(holding_first, "MANY", 20)
    monkeypatch.setattr(holding_first, "TAKEN_MAX", 24)
    monkeypatch.setattr(applying, "LINES_AT_ONCE", 6)


def texts(replica) -> list[str]:
    """Return the texts of a machine's memories that hold."""
    found = "SELECT content FROM memories WHERE superseded_by IS NULL AND deleted_at IS NULL ORDER BY seq"
    return [text for (text,) in rows(replica.store.connection, found)]


def is_cut_after(monkeypatch, replica, reads: int) -> None:
    """Have the line be cut after so many pages."""
    left, read = [reads], replica.transport.read

    def until_cut(*asked):
        left[0] -= 1
        if left[0] < 0:
            raise TransportError("cut", "")
        return read(*asked)

    monkeypatch.setattr(replica.transport, "read", until_cut)


@pytest.mark.usefixtures("catches_up")
def test_after_the_first_pages_the_newest_are_there_and_nothing_that_was_replaced(either_medium, monkeypatch) -> None:
    ana, bo = either_medium("ana", "bo")
    for number in range(30):
        bo.save(f"Of bo, number {number}.")
        ana.save(f"Of ana, number {number}.")
    sync_all([bo])  # what ana has sent later is newer
    replaced, purged, erased = (ana.save(f"To be {what}.") for what in ("replaced", "purged", "erased"))
    sync_all([ana])
    ana.edit(replaced, "What holds.")
    ana.purge(purged)
    ana.erase(erased)
    sync_all([ana])
    [cy] = either_medium("cy")
    with monkeypatch.context() as cut:
        is_cut_after(cut, cy, 4)
        with pytest.raises(TransportError):
            cy.sync()
    assert texts(cy)[0] == "What holds."
    assert "Of ana, number 29." in texts(cy)
    assert not {"To be replaced.", "To be purged.", "To be erased.", "Of ana, number 0."} & {*texts(cy)}
    sync_all([ana, bo, cy])
    assert ana.shared_state() == bo.shared_state() == cy.shared_state()


@pytest.mark.usefixtures("catches_up")
def test_a_session_is_told_the_newest_first_in_whatever_order_they_came(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    for number in range(40):
        ana.save(f"Number {number}.")
    sync_all([ana, bo])
    found, _ = memory_rows.newest(bo.store, Selection([bo.row()]), 3)
    assert [row.content for row in found] == ["Number 39.", "Number 38.", "Number 37."]
