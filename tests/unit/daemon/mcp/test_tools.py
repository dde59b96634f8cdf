"""What clients are told about the tools."""

import re

import mcp_types as types
import pytest

from palimp_daemon.dispatch.tool_schemas import ALWAYS_LOADED, input_schema, listed_tools
from palimp_daemon.mcp.instructions import (
    DESCRIPTION_CHARACTERS_MAX,
    FIRST_LINE_CHARACTERS_MAX,
    INSTRUCTIONS_CHARACTERS_MAX,
    instructions,
)
from palimp_daemon.mcp.tools import tool_list
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.operations.tool_names import with_tool_prefix

ALL = ("memory", "docs", "changes", "upkeep")
LIST_CHARACTERS_MAX = 9_300
LONGEST_PREFIX = "p" * 32


def test_every_tool_is_an_operation_and_terminal_ones_are_none():
    """The table decides."""
    assert [tool.name for tool in tool_list(ALL)] == [name for name, entry in OPERATIONS.items() if entry.is_tool]
    assert "stop" not in {tool.name for tool in tool_list(ALL)}


def test_the_list_fits_the_context_window():
    """All tools together stay under the bound, and each text under the client's cut."""
    listed = types.ListToolsResult(tools=tool_list(ALL)).model_dump_json(by_alias=True, exclude_none=True)

    assert len(listed) <= LIST_CHARACTERS_MAX
    assert all(len(tool.description or "") <= DESCRIPTION_CHARACTERS_MAX for tool in tool_list(ALL))
    assert len(instructions(LONGEST_PREFIX)) <= INSTRUCTIONS_CHARACTERS_MAX


@pytest.mark.parametrize("prefix", ["", LONGEST_PREFIX])
def test_the_first_line_says_when_to_recall_and_when_to_save(prefix: str):
    """Codex shows nothing else of a server whose tools it defers."""
    line = instructions(prefix).splitlines()[0][:FIRST_LINE_CHARACTERS_MAX]

    assert f"`{prefix}recall` before deciding" in line
    assert f"`{prefix}save_memory` after a decision" in line
    assert prefix or len(instructions().splitlines()[0]) <= FIRST_LINE_CHARACTERS_MAX


def test_each_tool_has_a_title_for_people():
    """Clients show it where they ask a person to allow a call."""
    assert all(tool.title and tool.title != tool.name for tool in tool_list(ALL))


def test_a_prefix_reaches_every_name_of_a_tool_that_is_mentioned():
    """Else a model calls what the list does not have."""
    texts = [tool.description or "" for tool in tool_list(ALL, "our_")] + [instructions("our_")]
    names = [tool.name for tool in tool_list(ALL) if "_" in tool.name]

    assert any("our_save_memory" in text for text in texts[:-1])
    for text in texts:
        assert not [name for name in names if re.search(rf"(?<!our_)\b{name}\b", text)]
    assert "`recall`" not in texts[-1]


def test_what_only_looks_like_a_tool_has_no_prefix():
    """Words and commands of the terminal are not tools."""
    said = "A recall of `palimp recall` and mcp.save_memory; capture what config.recall(1) says, healthy."
    assert with_tool_prefix(said, "our_") == said


def test_the_core_is_always_loaded():
    """Claude Code defers tools that are not marked."""
    marked = {tool.name for tool in tool_list(ALL) if (tool.meta or {}).get("anthropic/alwaysLoad")}

    assert marked == ALWAYS_LOADED == {"save_memory", "recall"}


def test_what_destroys_nothing_stays_in_its_own_world():
    """Codex refuses a call of another tool, where nobody can be asked."""
    hints = {tool.name: tool.annotations for tool in tool_list(ALL)}

    for name in ("save_memory", "recall", "add_doc"):
        annotations = hints[name]
        assert annotations
        assert (annotations.destructive_hint, annotations.open_world_hint) == (False, False)
    for name in ("config", "delete_doc"):
        annotations = hints[name]
        assert annotations
        assert annotations.open_world_hint is None


def test_no_tool_promises_structured_answers():
    """Claude Code would drop the text."""
    assert all(tool.output_schema is None for tool in tool_list(ALL))


def test_schemas_are_flat():
    """No references, no nulls, bounds and choices kept."""
    schema = input_schema(Recall)

    assert "$ref" not in str(schema)
    assert "null" not in str(schema)
    assert schema["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    assert schema["properties"]["detail"]["enum"] == ["compact", "full", "timeline"]
    assert input_schema(SaveMemory)["required"] == ["text"]


def test_groups_of_tools_can_be_left_out_and_named_otherwise():
    """What is left out is not there, and is told; names begin as is wished."""
    names = [tool.name for tool in tool_list(["memory"], "palimp_")]
    listed = listed_tools(["memory", "docs"], "")

    assert names == ["palimp_save_memory", "palimp_recall"]
    assert {tool.toolset for tool in listed.tools} == {"memory", "docs"}
    assert {"check_change", "health", "compact"} <= set(listed.left_out)
    assert listed.characters >= sum(tool.characters for tool in listed.tools)
