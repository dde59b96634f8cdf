"""Arguments as clients send them: whatever can mean one thing only is taken as that."""

import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import inspect

from palimp_daemon.dispatch.tool_schemas import input_schema
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.wire.decoding import convert_arguments

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)


def kinds(kind: inspect.Type) -> list[inspect.Type]:
    if isinstance(kind, inspect.Metadata):
        return kinds(kind.type)
    return [each for one in kind.types for each in kinds(one)] if isinstance(kind, inspect.UnionType) else [kind]


def values_of(kind: inspect.Type):
    """Values of a type, within its bounds."""
    match kind:
        case inspect.ListType():
            return st.lists(words, max_size=3)
        case inspect.IntType(ge=least, le=most):
            return st.integers(least or 0, most or 1_000)
        case inspect.BoolType():
            return st.booleans()
        case inspect.LiteralType(values=choices):
            return st.sampled_from(choices)
        case inspect.NoneType():
            return st.none()
        case _:
            return None


ARGUMENTS = [
    (name, field.name, kind)
    for name, operation in OPERATIONS.items()
    if operation.is_tool
    for field in inspect.type_info(operation.request).fields
    for kind in kinds(field.type)
    if values_of(kind) is not None and not any(isinstance(each, inspect.StrType) for each in kinds(field.type))
]
"""Of all tools; texts are left out, since what looks like JSON may be meant as it is."""
REQUIRED = {
    name: {field.name: "x" for field in inspect.type_info(operation.request).fields if field.required}
    for name, operation in OPERATIONS.items()
}


@pytest.mark.parametrize(("tool", "argument", "kind"), ARGUMENTS, ids=lambda each: str(each)[:30])
@given(data=st.data())
def test_a_value_and_its_json_text_are_the_same_request(tool: str, argument: str, kind, data):
    """Of each tool and each argument that is no text: lists, numbers, booleans, choices, null."""
    value = data.draw(values_of(kind).filter(lambda drawn: drawn != ""))  # an empty choice is what is left out
    operation = OPERATIONS[tool]
    plain = convert_arguments(operation, REQUIRED[tool] | {argument: value})
    as_text = convert_arguments(operation, REQUIRED[tool] | {argument: json.dumps(value)})
    assert plain == as_text


@pytest.mark.parametrize("tool", [name for name, operation in OPERATIONS.items() if operation.is_tool])
def test_null_is_what_is_left_out(tool: str):
    operation = OPERATIONS[tool]
    optional = {field.name: None for field in inspect.type_info(operation.request).fields if not field.required}
    assert convert_arguments(operation, REQUIRED[tool] | optional) == convert_arguments(operation, REQUIRED[tool])


simple_words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20).filter(
    lambda word: word.lower() not in ("null", "none", "undefined")
)


@given(st.lists(simple_words, min_size=1, max_size=4))
@example(["0E0"])
@example(["12e4567"])
@example(["123456789012345678901234567890"])
def test_a_text_is_a_list_of_what_is_between_its_commas(tags: list[str]):
    for text in (", ".join(tags), ",".join(tags), f"[{', '.join(tags)}]", f"['{chr(39).join((', ',)).join(tags)}']"):
        assert convert_arguments(OPERATIONS["recall"], {"tags": text}) == Recall(tags=tags)


@given(st.lists(words, min_size=1, max_size=3))
def test_in_a_list_a_comma_stays(tags: list[str]):
    assert convert_arguments(OPERATIONS["save_memory"], {"text": "x", "tags": tags}).tags == tags


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"tags": {"a": 1}}, "tags must be a list, not an object"),
        ({"limit": "ten"}, "limit must be a whole number, not text"),
        ({"explain": "perhaps"}, "explain must be true or false, not text"),
        ({"kind": '"memo"'}, "kind cannot be 'memo'"),
        ({"tags": [["a"]]}, "tags has an entry that must be text, not a list"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(arguments, said: str):
    with pytest.raises(PalimpError) as refused:
        convert_arguments(OPERATIONS["recall"], arguments)
    assert said in refused.value.text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=50))
def test_a_text_is_taken_as_it_is(text: str):
    """Also when it looks like JSON."""
    for sent in (text, json.dumps(text), json.dumps([text])):
        assert convert_arguments(OPERATIONS["save_memory"], {"text": sent}) == SaveMemory(text=sent)
    assert msgspec.json.decode(msgspec.json.encode(text)) == text


def least(kind: inspect.Type) -> int:
    return (kind.min_length or 0) if isinstance(kind, inspect.StrType) else 1


@pytest.mark.parametrize("tool", [name for name, operation in OPERATIONS.items() if operation.is_tool])
def test_an_empty_text_is_what_is_left_out_unless_it_can_be_meant(tool: str):
    """Some models fill each argument of a schema."""
    fields = inspect.type_info(OPERATIONS[tool].request).fields
    empty = {field.name: " " for field in fields if not field.required and all(map(least, kinds(field.type)))}
    assert convert_arguments(OPERATIONS[tool], REQUIRED[tool] | empty) == convert_arguments(
        OPERATIONS[tool], REQUIRED[tool]
    )


def test_a_wrong_name_is_answered_with_the_arguments_of_the_tool_s_schema():
    for tool, operation in OPERATIONS.items():
        if operation.is_tool:
            listed = input_schema(operation.request)["properties"]
            with pytest.raises(PalimpError) as told:
                convert_arguments(operation, REQUIRED[tool] | {"no_such_name": 1})
            assert told.value.hint == (f"There are: {', '.join(listed)}." if listed else "It takes none.")
