"""What counts as a memory that was used: enough of its own words in what was written next."""

import pytest

from palimp_daemon.search.telling_words import telling_words_of_language
from palimp_daemon.search.written_again import is_written_again
from palimp_daemon.store.store import Store


def is_used_in(store: Store, memory: str, written: str, known: str = "") -> bool:
    return is_written_again(memory, telling_words_of_language(written, store.stems), known, store.stems)


MEMORY = "Invoices are rounded half up by settle_cents of the ledger module, never by round."


@pytest.mark.parametrize(
    ("written", "known", "is_used"),
    [
        ("from ledger import settle_cents\n\ndef invoice_total(): ...", "", True),
        ("from ledger import settle_cents\n\ndef invoice_total(): ...", "Use settle_cents of the ledger", False),
        ("def total(): return 3", "", False),
        ("the and of by never", "", False),
        ("", "", False),
    ],
)
def test_its_words_are_written_that_were_known_from_nowhere_else(store: Store, written: str, known: str, is_used: bool):
    assert is_used_in(store, MEMORY, written, known) is is_used


def test_it_works_where_words_are_not_separated(store: Store):
    memory = "請求書の端数は四捨五入で計算する"
    assert is_used_in(store, memory, "# 請求書の端数を四捨五入する")
    assert not is_used_in(store, memory, "# 金曜日には配備しない")
