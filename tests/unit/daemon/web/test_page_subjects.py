"""Memories stand under what they share, each once, and what has nothing in common comes last."""

from palimp_daemon.web.page_subjects import by_subject
from palimp_protocol.messages.memory_messages import Memory


def memory(id_: str, *names: str, tags: tuple[str, ...] = ()) -> Memory:
    return Memory(id=id_, title=id_, kind="note", created_at=0, names=list(names), tags=list(tags))


def grouped(*memories: Memory) -> list[tuple[str, list[str]]]:
    return [(subject.name, [each.id for each in subject.memories]) for subject in by_subject(memories)]


def test_each_stands_once_under_what_most_share_whatever_its_case():
    shown = grouped(
        memory("one", "cart/ttl.py", "Redis"),
        memory("two", "alone.py"),
        memory("three", "redis", "cart/ttl.py", tags=("cart",)),
        memory("four", "cart/ttl.py"),
    )
    assert shown == [("cart/ttl.py", ["one", "three", "four"]), ("", ["two"])]


def test_a_tag_is_a_subject_too():
    shown = grouped(memory("one", tags=("deploy",)), memory("two"), memory("three", tags=("deploy",)))
    assert shown == [("#deploy", ["one", "three"]), ("", ["two"])]


def test_what_a_larger_subject_took_away_leaves_no_group_of_one():
    shown = grouped(memory("one", "a", "b"), memory("two", "a"), memory("three", "a"), memory("four", "b"))
    assert shown == [("a", ["one", "two", "three"]), ("", ["four"])]


def test_without_anything_in_common_there_is_one_group():
    assert grouped(memory("one", "a"), memory("two")) == [("", ["one", "two"])]
    assert grouped() == []
