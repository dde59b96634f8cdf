"""Lone surrogates become U+FFFD; everything else stays as it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.messages.caller import Call, Caller, ProjectRef
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.surrogates import mend_surrogates, mended_argument, mended_bytes, mended_json
from palimp_protocol.wire.decoding import decode_arguments, decode_call, encode_call

halves = st.characters(categories=["Cs"])
texts = st.text(st.characters() | st.sampled_from('\\"/u\n😀é')).flatmap(
    lambda text: st.lists(halves, max_size=3).map(
        lambda lone: "".join(map("".join, zip(text, [*lone] * len(text), strict=False))) + text
    )
)


@given(st.text(st.characters(exclude_categories=[])))
def test_what_is_mended_is_utf_8_and_whole_texts_stay(text: str):
    """Each lone surrogate becomes one U+FFFD, and a pair the character that it makes."""
    found = mend_surrogates(text)
    found.encode()
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert found == expected
    assert mend_surrogates(found) == found


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_without_halves_is_not_changed(text: str):
    assert mend_surrogates(text) == mended_argument(text) == text
    assert mended_bytes(text.encode()) == text.encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def each_mended(value):
    if isinstance(value, str):
        return mend_surrogates(value)
    if isinstance(value, list):
        return [each_mended(each) for each in value]
    return (
        {mend_surrogates(key): each_mended(each) for key, each in value.items()} if isinstance(value, dict) else value
    )


@given(json_values, st.booleans())
def test_json_is_mended_as_its_texts_are(value, is_escaped: bool):
    """Escaped or as bytes, in keys and values, beside escaped backslashes and whole pairs."""
    data = json.dumps(value, ensure_ascii=is_escaped).encode("utf-8", "surrogatepass")
    found = json.loads(mended_json(data).decode())
    assert each_mended(found) == found
    assert found == each_mended(value)


@given(st.binary())
def test_any_bytes_are_survived(data: bytes):
    mended_json(data)
    mended_bytes(data)


def is_of_bytes(text: str) -> bool:
    """Tell whether a text holds bytes that Python kept: those are another encoding, and are refused (see below)."""
    return any("\udc80" <= character <= "\udcff" for character in text)


sendable = texts.filter(lambda text: not is_of_bytes(text))


@given(sendable.filter(bool), sendable, texts)
def test_a_request_with_halves_arrives_mended(text: str, title: str, root: str):
    """As the command line sends it, in its arguments and in who asks."""
    request = SaveMemory(text=text, title=title)
    body = encode_call(Call("save_memory", caller=Caller(ProjectRef(f"/{root}", "x"))), request)
    call = decode_call(body)
    assert call.caller.project is not None
    assert call.caller.project.root == mend_surrogates(f"/{root}")
    if "\0" not in text + title and len(text) <= 10_000 and len(title) <= 200:
        arrived = decode_arguments(OPERATIONS["save_memory"], bytes(call.arguments))
        assert (arrived.text, arrived.title) == (mend_surrogates(text), mend_surrogates(title))


@given(texts.filter(lambda text: "\0" not in text and 0 < len(text) < 5_000))
def test_a_typed_request_with_halves_is_taken(text: str):
    arguments = json.dumps({"text": text}).encode()
    call = decode_call(b'{"operation":"save_memory","arguments":%s}' % arguments)
    assert decode_arguments(OPERATIONS["save_memory"], bytes(call.arguments)).text == mend_surrogates(text)


@pytest.mark.parametrize("data", [b"\xff", b"caf\xe9", b"\xf0\x9f"])
def test_an_argument_in_another_encoding_is_no_half(data: bytes):
    """Nothing of it is lost in silence."""
    with pytest.raises(UnicodeDecodeError):
        mended_argument(data.decode("utf-8", "surrogateescape"))
