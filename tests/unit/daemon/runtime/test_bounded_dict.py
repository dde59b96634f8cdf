"""A mapping that forgets its oldest entries."""

from palimp_daemon.runtime.bounded_dict import BoundedDict


def test_the_entry_that_was_set_longest_ago_is_forgotten():
    """To set one again makes it the newest."""
    kept: BoundedDict[str, int] = BoundedDict(2)
    kept["a"], kept["b"] = 1, 2
    kept["a"] = 3

    kept["c"] = 4

    assert list(kept.items()) == [("a", 3), ("c", 4)]


def test_setting_an_entry_again_forgets_no_other():
    kept: BoundedDict[str, int] = BoundedDict(1)
    kept["a"] = 1

    kept["a"] = 2

    assert dict(kept) == {"a": 2}
