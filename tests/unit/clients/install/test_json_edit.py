"""Editing JSON text: what is set is there, everything else is as it was, and what is taken out leaves no trace."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.install.json_edit import items_at, value_at, with_item, with_member, without_item, without_member
from palimp_clients.install.json_structure import JsonTextError

TEXT = b"""\
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
        b'"other": {"command": "x"} // mine\n',
        b'"other": {"command": "x"}, // mine\n        "palimp": {\n            "command": "p"\n        }\n',
    )
    assert without_member(changed, ("servers", "palimp")) == TEXT
    with_comma = with_member(TEXT, ("palimp",), 1)
    assert with_comma.endswith(b'    },\n    "palimp": 1,\n}\n')
    assert without_member(with_comma, ("palimp",)) == TEXT


def test_line_ends_of_windows_stay():
    """All of them."""
    text = TEXT.replace(b"\n", b"\r\n")
    changed = with_member(text, ("servers", "palimp"), {"a": [1]})

    assert changed.count(b"\n") == changed.count(b"\r\n")
    assert without_member(changed, ("servers", "palimp")) == text


@pytest.mark.parametrize("text", ["{}", "{}\n", '{"a": 1}', '{\n  "a": 1\n}', '{"a": {"b": []}}', '{\n\t"a": 1\n}'])
def test_what_is_put_in_and_taken_out_is_gone(text: str):
    """To the byte, where nothing had to be made on the way."""
    before = text.encode()
    changed = with_member(before, ("new",), {"x": [1, {"y": "z"}]})

    assert json.loads(changed) == json.loads(text) | {"new": {"x": [1, {"y": "z"}]}}
    assert without_member(changed, ("new",)) == before


def test_a_value_is_replaced_in_its_place():
    """With the order of the members."""
    text = b'{\n  "a": {"old": true},\n  "b": 2\n}\n'

    assert with_member(text, ("a",), 1) == b'{\n  "a": 1,\n  "b": 2\n}\n'


def test_items_are_appended_and_taken_out():
    """The list is made if need be."""
    made = with_item(b"{}", ("hooks", "Stop"), {"n": 1})
    both = with_item(made, ("hooks", "Stop"), {"n": 2})

    assert items_at(both, ("hooks", "Stop")) == [{"n": 1}, {"n": 2}]
    assert without_item(both, ("hooks", "Stop"), 1) == made
    assert items_at(without_item(both, ("hooks", "Stop"), 0), ("hooks", "Stop")) == [{"n": 2}]


@pytest.mark.parametrize("text", [b'{"hooks": {"Stop": null}, "a": 1}', b'{"hooks": null, "a": 1}'])
def test_a_list_takes_the_place_of_null(text: bytes):
    assert json.loads(with_item(text, ("hooks", "Stop"), {"n": 1})) == {"hooks": {"Stop": [{"n": 1}]}, "a": 1}


def test_something_else_in_the_way_is_refused():
    """Nothing is replaced that is not ours."""
    with pytest.raises(JsonTextError, match="no object"):
        with_member(b'{"servers": []}', ("servers", "palimp"), 1)
    with pytest.raises(JsonTextError, match="no list"):
        with_item(b'{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple),
    VALUES,
)
def test_whatever_is_set_is_read_back(document, indent, path, value):
    """And the rest, too; taking it out again gives what was there."""
    text = json.dumps(document, indent=indent, ensure_ascii=False).encode()
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


def test_what_javascript_leaves_of_a_cut_emoji_is_json():
    """Half a surrogate pair, escaped; a backslash before the same letters is no half of anything."""
    text = rb'{"a": "\ud83d", "b": "\\ud83d", "c": {"d": "x\uDE00"}}'
    changed = with_member(text, ("c", "palimp"), 1)

    assert changed == text[:-2] + b', "palimp": 1}}'
    assert without_member(changed, ("c", "palimp")) == text


def test_a_byte_order_mark_stays():
    """Editors of one system write it."""
    text = b'\xef\xbb\xbf{"a": 1}'

    assert with_member(text, ("b",), 2) == b'\xef\xbb\xbf{"a": 1, "b": 2}'
    assert without_member(with_member(text, ("b",), 2), ("b",)) == text


def test_of_a_name_that_stands_twice_the_last_counts():
    """As for every parser; the first stays what it was."""
    text = b'{"servers": {"old": 1}, "servers": {}}'

    assert json.loads(with_member(text, ("servers", "palimp"), 1)) == {"servers": {"palimp": 1}}
    assert b'{"old": 1}' in with_member(text, ("servers", "palimp"), 1)


def test_a_comment_behind_the_last_member_does_not_swallow_the_new_one():
    """Not in a list on one line either."""
    assert value_at(with_member(b'{ "a": 1 // last\n}', ("b",), 2), ("b",)) == 2
    assert value_at(with_member(b'{ "a": 1 /* last */ }', ("b",), 2), ("b",)) == 2


def test_many_nested_values_are_skipped():
    """Depth is what the parser of the client allows, not what ours would."""
    text = b'{"deep": ' + b"[" * 400 + b"]" * 400 + b"}"

    assert without_member(with_member(text, ("palimp",), 1), ("palimp",)) == text


@st.composite
def commented(draw: st.DrawFn, value: object) -> bytes:
    """Return *value* as JSON with comments and spare commas wherever they may stand."""
    gap = st.sampled_from(["", " ", "\n", "\t", "\r\n", "// a, {\n", '/* "} */', " /**/ "])

    def written(inner: object) -> str:
        if isinstance(inner, dict):
            parts = [
                f"{draw(gap)}{json.dumps(k)}{draw(gap)}:{draw(gap)}{written(v)}{draw(gap)}" for k, v in inner.items()
            ]
            return "{" + ",".join(parts) + draw(st.sampled_from(["", ","]) if parts else gap) + draw(gap) + "}"
        if isinstance(inner, list):
            parts = [f"{draw(gap)}{written(v)}{draw(gap)}" for v in inner]
            return "[" + ",".join(parts) + draw(st.sampled_from(["", ","]) if parts else gap) + draw(gap) + "]"
        return json.dumps(inner, ensure_ascii=draw(st.booleans()))

    return (draw(gap) + written(value) + draw(gap)).encode("utf-8", "surrogatepass")


@given(st.data(), st.dictionaries(st.sampled_from(["a", "servers", "é"]), VALUES, max_size=3))
def test_comments_and_spare_commas_are_stepped_over_wherever_they_stand(data, document):
    """What is set is read back, the rest says what it said, and taking it out brings every comment back."""
    text = data.draw(commented(document))
    changed = with_member(text, ("new",), {"x": [1]})

    assert value_at(changed, ("new",)) == {"x": [1]}
    for name, value in document.items():
        assert value_at(changed, (name,)) == value
    without = without_member(changed, ("new",))
    assert value_at(without, ()) == document
    assert without.count(b"*/") == text.count(b"*/")


@given(st.data(), st.dictionaries(st.sampled_from(["a", "b", "servers", "é"]), VALUES, min_size=1, max_size=4))
def test_any_member_can_be_taken_out_between_comments(data, document):
    """The others stay what they are."""
    text = data.draw(commented(document))
    name = data.draw(st.sampled_from(sorted(document)))

    assert value_at(without_member(text, (name,)), ()) == {k: v for k, v in document.items() if k != name}


@pytest.mark.parametrize("text", [b'{"servers": null}', b'{"servers": {"a": null}}', b'{"servers": {"a": {}}}', b"{}"])
def test_null_counts_as_missing_wherever_a_member_is_put(text: bytes):
    path = ("servers", "a", "b")
    assert value_at(with_member(text, path, {"c": 1}), path) == {"c": 1}
    assert value_at(with_item(text, path, 1), path) == [1]
    with pytest.raises(JsonTextError):
        with_member(b"null", path, 1)
