"""Documents that are decoded entry by entry are what the decoder makes of them at once."""

import json
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palimp_neighbours.transfer.daemon.json_documents import json_value

SPACE = st.text(" \t\r\n", max_size=2)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, SPACE, SPACE, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_any_document_is_decoded_as_at_once(value, before: str, after: str, indent, is_ascii: bool):
    text = before + json.dumps(value, indent=indent, ensure_ascii=is_ascii) + after
    assert json_value(text) == json.loads(text)


@given(JSON, st.data())
@example({"a": [1, {"b": []}]}, None)
def test_a_document_that_was_damaged_is_refused_where_the_decoder_refuses_it(value, data):
    text = json.dumps(value)
    if data:
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at] + data.draw(st.sampled_from(["", "]", "}", ",", ":", '"', "[", "{", "x", " "])) + text[at + 1 :]
        )
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r".+"):
            json_value(text)
    else:
        assert json_value(text) == expected


def test_a_document_that_is_nested_too_deeply_is_refused():
    with pytest.raises(RecursionError):
        json_value("[" * 200_000)


@pytest.mark.parametrize("frame", ["{}", '{{"results": {}}}', '{{"data": {{"memories": {}, "of": 1}}}}'])
def test_no_record_is_decoded_together_with_another(frame: str):
    """The decoder keeps the interpreter while it works; it is called for each record by itself."""
    records = [{"id": number, "memory": "We keep money in cents."} for number in range(1_000)]
    calls: list[str] = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        json_value(frame.format(json.dumps(records)))
    finally:
        sys.setprofile(None)
    assert calls.count("raw_decode") >= len(records)
