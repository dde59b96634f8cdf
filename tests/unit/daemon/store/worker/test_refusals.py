"""What a caller is told when the database refuses: what is broken for good is served no more, the rest is."""

from pathlib import Path

import apsw
import pytest
from new_stores import new_store

from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.refusals import bug_error, refusal, unsendable_error
from palimp_protocol.errors import MAY_BE_DONE, ErrorCode


@pytest.fixture
def store(tmp_path: Path):
    """An open store."""
    opened = new_store(tmp_path / "palimp.db")
    yield opened
    opened.connection.close()


@pytest.mark.parametrize("code", [apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB])
def test_a_damaged_file_ends_the_serving(store: Store, code: int):
    """And is named, so that it can be repaired."""
    told = refusal(store, apsw.exception_for(code), is_write=True)

    assert store.damage is told
    assert str(store.path) in told.text


@pytest.mark.parametrize("code", [apsw.SQLITE_CORRUPT_VTAB, apsw.SQLITE_IOERR, apsw.SQLITE_READONLY])
def test_a_broken_index_or_a_refused_statement_does_not(store: Store, code: int):
    """The first is made anew, the second may do next time."""
    told = [refusal(store, apsw.exception_for(code), is_write=is_write) for is_write in (True, False)]

    assert {each.code for each in told} == {ErrorCode.STORE_UNAVAILABLE}
    assert [MAY_BE_DONE in each.text for each in told] == [True, False]
    assert store.damage is None


def test_a_bug_is_named_without_what_it_says():
    """It may hold a text of somebody's; and what was done before an answer was lost may have been done."""
    error = ValueError("the secret is xyzzy")

    assert "ValueError" in bug_error(error).text
    assert all(MAY_BE_DONE in told.text for told in (bug_error(error), unsendable_error(error)))
    assert not any("xyzzy" in str(told) for told in (bug_error(error), unsendable_error(error)))
