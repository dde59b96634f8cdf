"""How a row says that what it names is gone or was changed."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.memories.staleness_wording import day, remark
from palimp_daemon.git.cited_places import Finding
from palimp_daemon.render.budget import tokens_in

NOW_MS = int(datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp() * 1000)
THIRD_MS = int(datetime(2026, 11, 3, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (Finding("cart/ttl.py", "gone", THIRD_MS), "`cart/ttl.py` is gone since 3 Nov"),
        (Finding("cart/ttl.py", "gone"), "`cart/ttl.py` is gone"),
        (Finding("cart/ttl.py", "moved", to="store/ttl.py"), "`ttl.py` is now `store/ttl.py`"),
        (Finding("evict", "moved", THIRD_MS, to="store/ttl.py"), "`evict` is now in `store/ttl.py`"),
        (Finding("evict", "changed", THIRD_MS, 2), "`evict` was changed since (2 commits, last 3 Nov)"),
        (Finding("cart/ttl.py:12", "changed", THIRD_MS, 1), "`cart/ttl.py:12` was changed since (3 Nov)"),
        (Finding("evict", "changed"), "`evict` was changed since (not committed)"),
        (Finding("a.py", "rewritten", THIRD_MS, 9), "`a.py` was mostly rewritten (9 commits, last 3 Nov)"),
        (Finding("1c0ffee1c0ffee", "reverted", THIRD_MS), "`1c0ffee1c0` was reverted on 3 Nov"),
        (Finding("1c0ffee", "unreachable"), "`1c0ffee` is in no branch any more"),
    ],
)
def test_it_is_said_in_few_words(finding: Finding, said: str):
    assert remark(finding, NOW_MS) == said
    assert tokens_in(said) <= 13


def test_a_day_of_another_year_has_its_year():
    assert day(int(datetime(2024, 2, 29, 12, tzinfo=UTC).timestamp() * 1000), NOW_MS) == "29 Feb 2024"
    assert day(10**20, NOW_MS) == ""


def test_a_long_path_keeps_its_end():
    said = remark(Finding("services/checkout/domain/cart/expiry_policy.py", "gone", THIRD_MS), NOW_MS)
    assert said == "`…/domain/cart/expiry_policy.py` is gone since 3 Nov"
    assert tokens_in(said) <= 13


@given(st.text(max_size=200), st.text(max_size=200))
def test_names_stay_on_one_line_and_within_their_marks(subject: str, to: str):
    for state in ("gone", "moved", "changed", "reverted"):
        said = remark(Finding(subject, state, THIRD_MS, 2, to), NOW_MS)
        assert said.isprintable() or not subject.isprintable() or not to.isprintable()
        assert "\n" not in said
        assert said.count("`") in (2, 4)
        assert len(said) < 150
