"""The text of a JSON file is gone over without a value made of it, and what is no JSON is said to be none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.install.json_structure import BOM, JsonTextError, structure_of


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
        ("[" * 200_000, "nested"),
        ('{"a": 1,, }', "quotes"),
        ("[1,,]", "value"),
        ("[,]", "value"),
        ('{"a": 1} /* open', "more"),
    ],
)
def test_what_is_no_json_is_refused(text: str, where: str):
    """The message says where and what."""
    with pytest.raises(JsonTextError, match=where):
        structure_of(text.encode())


@given(st.text(st.sampled_from('{}[]",:/*\\ \n1ae-'), max_size=30))
def test_any_text_is_parsed_or_refused_as_json_does(text: str):
    """But for comments and trailing commas, which are allowed here."""
    try:
        json.loads(text)
    except ValueError:
        return
    structure_of(text.encode())


def test_comments_and_a_byte_order_mark_become_spaces_and_everything_else_stays_where_it_was():
    """Places in what is returned are places in the text; a spare comma stays."""
    first, second = "/* … */".encode(), "// д".encode()
    text = b'\xef\xbb\xbf{"a": [1, 2,], ' + first + b' "https://x": "// no comment" ' + second + b"\n}"
    structure = structure_of(text)

    assert structure == text.replace(first, b" " * len(first)).replace(second, b" " * len(second)).replace(BOM, b"   ")
