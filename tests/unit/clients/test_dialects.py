"""Whatever a client says, its dialect says an event or nothing, and its answer is what the client can read."""

import json
from pathlib import Path
from typing import Any

import pytest
from hook_inputs import JSON, client_name, event_name, expected, inputs_of, read
from hypothesis import given
from hypothesis import strategies as st
from lanes import IS_QUICK

from palimp_clients.dialects import CLIENTS, client_in, dialect_named
from palimp_clients.hooks.event import HookEvent, HookReply
from palimp_protocol.hooks import HOOK_DEADLINES_S

RECORDED = [path for client in CLIENTS for path in inputs_of(client)]
OTHERS: tuple[Any, ...] = (None, True, -1, 1e300, "日本", "\ud800", [], [[]], {}, {"file_path": 7}, "x" * 5_000)[
    :: 3 if IS_QUICK else 1
]


def understood(client: str, name: str, told: Any) -> HookEvent | None:
    """Return what the dialect makes of *told*, with everything that a dialect must hold."""
    dialect = dialect_named(client)
    assert dialect
    event = dialect.event_of(name, told)
    if event is not None:
        assert event.event in HOOK_DEADLINES_S
        assert event.session
        json.dumps(event.input)
        assert isinstance(event.input.get("tool_input", {}), dict)
    return event


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_has_its_dialect(client: str):
    dialect = dialect_named(client)
    assert dialect
    assert dialect.client == client


@pytest.mark.parametrize("client", CLIENTS)
def test_a_recorded_input_is_the_event_that_it_was_and_new_fields_change_nothing(client: str):
    for path in inputs_of(client):
        told, event = read(path), expected(path)
        for given_ in (told, {**told, "new_in_2027": {"a": [1]}, "größe": "小"}):
            assert json.loads(json.dumps(understood(client, event_name(path), given_))) == event, path.stem


@given(st.sampled_from(RECORDED), st.data())
def test_whatever_stands_in_its_place_nothing_is_raised(path: Path, data: st.DataObject):
    told = read(path)
    for key in data.draw(st.lists(st.sampled_from(sorted(told)), max_size=3)):
        inner = told[key]
        told[key] = (
            {**inner, data.draw(st.sampled_from(sorted(inner))): data.draw(JSON)}
            if inner and isinstance(inner, dict)
            else data.draw(JSON)
        )
    understood(client_name(path), event_name(path), told)


@pytest.mark.parametrize("of", CLIENTS)
def test_a_recorded_input_with_other_types_and_fields_is_understood_or_not(of: str):
    for path in inputs_of(of):
        told = read(path)
        for key in told:
            for other in OTHERS:
                for client in CLIENTS:
                    understood(client, event_name(path), {**told, key: other, "": other})
                client_in({**told, key: other})


@given(
    st.sampled_from(sorted(CLIENTS)),
    st.sampled_from(sorted(HOOK_DEADLINES_S)),
    st.builds(HookReply, st.text(), st.text(), st.text()),
)
def test_an_answer_is_nothing_or_a_line_of_json(client: str, event: str, reply: HookReply):
    dialect = dialect_named(client)
    assert dialect
    output = dialect.output_of(event, reply)
    assert "\n" not in output
    assert not output or isinstance(json.loads(output), dict)
    assert dialect.output_of(event, HookReply()) in ("", "{}")
