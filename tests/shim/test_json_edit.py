"""Editing JSON text: what is set is there, everything else is as it was, and what is taken out leaves no trace."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_shim.install.json_edit import (
    JsonTextError,
    items_at,
    parsed,
    value_at,
    with_item,
    with_member,
    without_item,
    without_member,
)

TEXT = """\
{
    // where things are
    "numbers": [1.0, 1e5, 12345678901234567890],
    "servers": {
        "other": {"command": "x"} // mine
    },
}
"""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_comments_commas_numbers_and_indentation_stay():
    """The new member stands below the others."""
    changed = with_member(TEXT, ("servers", "palimp"), {"command": "p"})

    assert changed == TEXT.replace(
        '"other": {"command": "x"} // mine\n',
        '"other": {"command": "x"}, // mine\n        "palimp": {\n            "command": "p"\n        }\n',
    )
    assert without_member(changed, ("servers", "palimp")) == TEXT
    with_comma = with_member(TEXT, ("palimp",), 1)
    assert with_comma.endswith('    },\n    "palimp": 1,\n}\n')
    assert without_member(with_comma, ("palimp",)) == TEXT


def test_line_ends_of_windows_stay():
    """All of them."""
    text = TEXT.replace("\n", "\r\n")
    changed = with_member(text, ("servers", "palimp"), {"a": [1]})

    assert changed.count("\n") == changed.count("\r\n")
    assert without_member(changed, ("servers", "palimp")) == text


@pytest.mark.parametrize("text", ["{}", "{}\n", '{"a": 1}', '{\n  "a": 1\n}', '{"a": {"b": []}}', '{\n\t"a": 1\n}'])
def test_what_is_put_in_and_taken_out_is_gone(text: str):
    """To the byte, where nothing had to be made on the way."""
    changed = with_member(text, ("new",), {"x": [1, {"y": "z"}]})

    assert json.loads(changed) == json.loads(text) | {"new": {"x": [1, {"y": "z"}]}}
    assert without_member(changed, ("new",)) == text


def test_a_value_is_replaced_in_its_place():
    """With the order of the members."""
    text = '{\n  "a": {"old": true},\n  "b": 2\n}\n'

    assert with_member(text, ("a",), 1) == '{\n  "a": 1,\n  "b": 2\n}\n'


def test_items_are_appended_and_taken_out():
    """The list is made if need be."""
    made = with_item("{}", ("hooks", "Stop"), {"n": 1})
    both = with_item(made, ("hooks", "Stop"), {"n": 2})

    assert items_at(both, ("hooks", "Stop")) == [{"n": 1}, {"n": 2}]
    assert without_item(both, ("hooks", "Stop"), 1) == made
    assert items_at(without_item(both, ("hooks", "Stop"), 0), ("hooks", "Stop")) == [{"n": 2}]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1"),
        ("{", "line 1"),
        ('{"a" 1}', "colon"),
        ('{"a": }', "value"),
        ("{} x", "more"),
        ('{"a": 1 "b": 2}', "comma"),
        ("{'a': 1}", "quotes"),
        ("[" * 200, "nested"),
        ('{"a": 1,, }', "quotes"),
    ],
)
def test_what_is_no_json_is_refused(text: str, where: str):
    """The message says where and what."""
    with pytest.raises(JsonTextError, match=where):
        parsed(text)


def test_something_else_in_the_way_is_refused():
    """Nothing is replaced that is not ours."""
    with pytest.raises(JsonTextError, match="no object"):
        with_member('{"servers": []}', ("servers", "palimp"), 1)
    with pytest.raises(JsonTextError, match="no list"):
        with_item('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple),
    VALUES,
)
def test_whatever_is_set_is_read_back(document, indent, path, value):
    """And the rest, too; taking it out again gives what was there."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    inner = document
    for name in path[:-1]:
        inner = inner.get(name, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        return
    changed = with_member(text, path, value)

    assert value_at(changed, path) == value
    assert json.loads(without_member(changed, path[:1])) == {k: v for k, v in document.items() if k != path[0]}
    if path[-1] not in inner and value_at(text, path[:-1]) == inner:
        assert without_member(changed, path) == text


@given(st.text(st.sampled_from('{}[]",:/*\\ \n1ae-'), max_size=30))
def test_any_text_is_parsed_or_refused_as_json_does(text: str):
    """But for comments and trailing commas, which are allowed here."""
    try:
        json.loads(text)
    except ValueError:
        return
    parsed(text)
