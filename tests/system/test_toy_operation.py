"""One operation is one row: a toy added to a copy of palimp is a tool, a command and a request over HTTP.

It costs four files: its row, with its request and reply beside it; its binding in a feature; its command; and the line
that lists the command. Whoever makes a fifth necessary has put a table somewhere that the others can be made of.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_clients import HttpClient
from mcp_clients import BareClient
from palimp_copy import PalimpCopy, changed_copy

FILES_MAX = 4

ROW = (
    "protocol/palimp_protocol/operations/memory_operations.py",
    "MEMORY_OPERATIONS: Final = (\n",
    '''class Toy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for a text, the other way round."""

    text: str


class Toyed(Struct, frozen=True, kw_only=True):
    """A text, the other way round, and how many memories there are."""

    text: str
    memories: int


MEMORY_OPERATIONS: Final = (
    Operation(
        name="toy",
        title="Turn a text round",
        request=Toy,
        reply=Toyed,
        access=lambda _: Access.READ,
        read_only=True,
        description="Turn a text round.",
    ),
''',
)
IMPORT_OF_ROW = (
    "protocol/palimp_protocol/operations/memory_operations.py",
    "from typing import Final\n",
    "from typing import Final\n\nfrom msgspec import Struct\n",
)
BINDING = (
    "daemon/palimp_daemon/features/memories/memory_bindings.py",
    '        "tags": Binding',
    """        "toy": Binding(StoreHandler(jobs, StoreWork(_toy)), lambda reply, _: f"{reply.text} ({reply.memories})"),
        "tags": Binding""",
)
HANDLER = (
    "daemon/palimp_daemon/features/memories/memory_bindings.py",
    "def bindings(",
    """def _toy(context: RequestContext, request: Any) -> Any:
    from palimp_protocol.operations.memory_operations import Toyed

    [(memories,)] = context.store.connection.execute("SELECT count(*) FROM memories")
    return Toyed(text=request.text[::-1], memories=memories)


def bindings(""",
)
LISTED = (
    "shim/palimp_shim/cli/commands.py",
    '    "stop": "stop the daemon",\n',
    '    "stop": "stop the daemon",\n    "toy": "turn a text round",\n',
)
COMMAND = (
    "shim/palimp_shim/cli/toy.py",
    "",
    '''"""`palimp toy`: turn a text round."""

from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line


@command("toy", "Turn a text round.", argument("text"), asks=("toy",), example="palimp toy abc")
def run(typed: Invocation) -> int:
    reply = typed.answer()
    if not typed.is_json:
        print_line(reply.text)
    return 0
''',
)
CHANGES = (ROW, IMPORT_OF_ROW, BINDING, HANDLER, LISTED, COMMAND)


def add_the_toy(home: Path) -> None:
    """Add the toy to the copy in *home*."""
    for name, found, put in CHANGES:
        file = home / name
        before = file.read_text() if found else ""
        assert before.count(found) == 1 or not found, f"{name} has no such place"
        file.write_text(before.replace(found, put) if found else put)


@pytest.fixture(scope="module")
def copy() -> Iterator[PalimpCopy]:
    with changed_copy(add_the_toy) as changed:
        yield changed


def test_it_takes_four_files():
    assert len({name for name, _, _ in CHANGES}) <= FILES_MAX


def test_it_is_a_tool(copy: PalimpCopy):
    client = BareClient(copy.env, copy.home)
    client.initialize()
    client.request(1, "tools/list")
    assert "toy" in {tool["name"] for tool in client.answer(1)["result"]["tools"]}
    assert client.ask(2, "toy", text="abc") == "cba (0)"
    assert client.close() == 0


def test_it_is_a_command_with_help_and_an_error_in_its_words(copy: PalimpCopy):
    assert copy.palimp("toy", "abc") == "cba\n"
    assert json.loads(copy.palimp("toy", "abc", "--json")) == {"text": "cba", "memories": 0}
    assert "turn a text round" in copy.palimp("--help")


def test_it_is_served_over_http(copy: PalimpCopy):
    status = json.loads(copy.palimp("http", "enable", "--port", "0", "--json"))
    assert HttpClient(status["url"], status["token"], copy.home).ask("toy", text="abc") == "cba (0)"
