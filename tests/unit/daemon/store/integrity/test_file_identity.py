"""Nothing is acknowledged once the database's file is not the one that was opened."""

from pathlib import Path

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.integrity.commit_counter import HighWaterMark
from palimp_daemon.store.integrity.file_identity import loss_of, place_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.group_commit import Job, commit_group
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.memory_messages import SaveMemory


def remove(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    """As an editor, rsync or `cp --remove-destination` does: another file under the name."""
    new = path.with_name("new.db")
    new.write_bytes(path.read_bytes())
    new.rename(path)


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def move_its_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def point_elsewhere(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))
    path.symlink_to("new.db")
    path.with_name("new.db").touch()


WAYS = [remove, move, replace, replace_by_a_folder, move_its_folder, point_elsewhere]


def saved(store: Store, request_context: RequestContexts, count: int) -> list[Job]:
    """Save *count* memories in one group, and return its jobs."""
    jobs = [
        Job(lambda _, n=number: save_memory(request_context(), SaveMemory(text=f"Fact {n}.")), is_write=True)
        for number in range(count)
    ]
    commit_group(store, jobs, lambda error: None)
    return jobs


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("count", [1, 3])
def test_the_first_group_after_the_file_is_gone_is_not_acknowledged(tmp_path: Path, way, count: int):
    """No write of it, and the mark does not say that it is there."""
    (tmp_path / "state").mkdir()
    path = tmp_path / "state" / "palimp.db"
    store = open_store(path, "auto")
    request_context = RequestContexts(store)
    assert [job.result().id for job in saved(store, request_context, 2)]
    marked = HighWaterMark(path).read()
    way(path)
    for job in saved(store, request_context, count):
        with pytest.raises(PalimpError, match="Nothing more is stored") as told:
            job.result()
        assert "palimp stop" in told.value.hint
    assert store.lost is not None
    assert HighWaterMark(path).read() in (marked, None)
    store.connection.close()


def test_a_link_to_the_file_is_the_file(tmp_path: Path):
    """SQLite opens what a link leads to, and a second link changes nothing."""
    path = tmp_path / "palimp.db"
    path.symlink_to(tmp_path / "real.db")
    store = open_store(path, "auto")
    (tmp_path / "another.db").hardlink_to(tmp_path / "real.db")
    assert saved(store, RequestContexts(store), 1)[0].result().id
    store.connection.close()


def test_what_cannot_be_told_is_no_loss(tmp_path: Path):
    """A folder that is closed for a moment says nothing of the file in it."""
    path = tmp_path / "one"
    path.touch()
    opened = place_of(path)
    assert opened is not None
    loop = tmp_path / "loop"
    loop.symlink_to("loop")  # ELOOP, as root sees it, too
    assert loss_of(loop, opened) is None
    path.rename(tmp_path / "two")
    assert "is gone from its place" in loss_of(path, opened).text
