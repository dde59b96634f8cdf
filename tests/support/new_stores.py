"""New stores for tests, as copies of one that was made once: making one takes ten fsyncs and 14 ms."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from palimp_daemon.store.opening import open_conversations, open_store
from palimp_daemon.store.store import Store


@cache
def template_folder() -> Path:
    """Return where this process keeps what tests copy."""
    folder = Path(tempfile.mkdtemp(prefix="palimp-new-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _memories(engine: str) -> Path:
    path = template_folder() / f"memories-{engine}.db"
    open_store(path, engine).connection.close()
    return path


@cache
def _conversations(engine: str) -> Path:
    path = template_folder() / f"conversations-{engine}.db"
    open_conversations(path, engine).connection.close()
    return path


def put_new_store(path: Path, engine: str = "auto") -> None:
    """Put an empty database of memories at *path*, where there must be none yet."""
    assert not path.exists()
    shutil.copyfile(_memories(engine), path)


def put_new_conversations(path: Path, engine: str = "auto") -> None:
    """Put an empty database of conversations at *path*, where there must be none yet."""
    assert not path.exists()
    shutil.copyfile(_conversations(engine), path)


def new_store(path: Path, engine: str = "auto") -> Store:
    """Open a new store at *path*, which calls no fsync: for tests that are not about what a power cut leaves."""
    put_new_store(path, engine)
    return without_fsync(open_store(path, engine))


def new_conversations(path: Path, engine: str = "auto") -> Store:
    """Open a new store of conversations at *path*, as `new_store` does."""
    put_new_conversations(path, engine)
    return without_fsync(open_conversations(path, engine))


def without_fsync(store: Store) -> Store:
    """Return *store*, which does not call fsync any more."""
    store.connection.execute("PRAGMA synchronous = OFF")
    return store
