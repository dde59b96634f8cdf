"""Every tool can be called with whatever its own schema, as a client lists it, allows: with all arguments, and each."""

import re
import string
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_clients import BareClient
from running_daemon import RunningDaemon, palimp_environment, temporary_home

EARLY, LATE = st.sampled_from(["2025-11-01", "90d", "60w"]), st.sampled_from(["2026-10-01", "7d", "2w"])
IN_WORDS = {"since": EARLY, "until": LATE, "as_of": LATE, "key": st.just("mcp.format"), "value": st.just("text")}
"""Arguments whose description says in words which texts they take."""

LISTED_CHARACTERS_MAX = 9_500
"""Of the whole message by which a client is told of all tools."""

WRITTEN = st.text(string.ascii_letters + " .é日本", min_size=1, max_size=80).filter(str.strip)
OF_SHAPE = re.compile(
    "there is no argument|(?<!: it) is missing| must be (?!earlier)| must have |Choose one of|has an entry"
)
"""How a refusal reads that says that an argument should not be there, or is of another shape."""


def values_of(name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return what an argument called *name* may be, by its *schema*."""
    if name in IN_WORDS:
        return IN_WORDS[name]
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True).filter(lambda text: len(text) <= 40)
    kinds = {
        "string": WRITTEN,
        "boolean": st.booleans(),
        "integer": st.integers(schema.get("minimum"), schema.get("maximum", schema.get("minimum", 0) + 5)),
    }
    if schema["type"] == "array":
        return st.lists(values_of("", schema["items"]), max_size=3)
    return kinds[schema["type"]]


def arguments_of(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return arguments that fit a tool's *schema*: what is required, and any of the rest."""
    fields = {name: values_of(name, field) for name, field in schema["properties"].items()}
    required = schema.get("required", [])
    return st.fixed_dictionaries(
        {name: fields[name] for name in required},
        optional={name: field for name, field in fields.items() if name not in required},
    )


@pytest.fixture(scope="module")
def client() -> Iterator[BareClient]:
    """A client of a daemon of its own, with the tools as they are listed by name."""
    with temporary_home() as home:
        env = palimp_environment(home)
        daemon = RunningDaemon(env)
        daemon.start()
        project = home / "work"
        project.mkdir()
        client = BareClient(env, project)
        client.initialize()
        yield client
        client.close()
        daemon.stop()


def schemas(client: BareClient) -> dict[str, dict[str, Any]]:
    """Return the schemas of the tools, as the client is sent them."""
    client.request("list", "tools/list", {})
    return {tool["name"]: tool["inputSchema"] for tool in client.answer("list")["result"]["tools"]}


def refusal(client: BareClient, tool: str, arguments: dict[str, Any]) -> str:
    """Call *tool*; return why it takes no such arguments, or nothing."""
    client.call("call", tool, **arguments)
    result = client.answer("call")["result"]
    text = result["content"][0]["text"]
    if result.get("isError") and text.startswith("bad_request") and OF_SHAPE.search(text):
        return f"{tool} {arguments}: {text}"
    return ""


def test_the_tools_as_they_are_sent_take_little_of_an_agent_s_context(client: BareClient):
    assert len(schemas(client)) > 10
    assert len(client.line) <= LISTED_CHARACTERS_MAX


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_tool_takes_what_its_schema_allows(client: BareClient, data: st.DataObject):
    listed = schemas(client)
    tool = data.draw(st.sampled_from(sorted(listed)))
    assert not refusal(client, tool, data.draw(arguments_of(listed[tool])))


@pytest.mark.parametrize("tool", ["save_memory", "recall", "add_doc", "edit_doc"])
def test_a_title_is_among_what_agents_can_give(client: BareClient, tool: str):
    """Search is by text, by id or by title; a document needs one."""
    listed = schemas(client)
    assert listed[tool]["properties"]["title"]["type"] == "string"
    assert listed[tool]["additionalProperties"] is False


def test_every_tool_can_be_called_with_nothing_but_what_it_requires(client: BareClient):
    listed = schemas(client)
    for tool, schema in listed.items():
        assert set(schema.get("required", [])) <= set(schema["properties"]), tool
        least = {
            name: "a-word" if schema["properties"][name]["type"] == "string" else 1
            for name in schema.get("required", [])
        }
        assert not refusal(client, tool, least)
