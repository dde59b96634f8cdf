"""A neighbour is one folder and one name in a list: a toy has an operation, a command, a table, a source and a task."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_clients import BareClient
from palimp_copy import PalimpCopy, changed_copy

from palimp_daemon.store.sqlite_connection import migrations

LIST = Path("protocol/palimp_protocol/neighbours.py")
FOLDER = Path("daemon/palimp_neighbours/toy")

FILES = {
    "__init__.py": '''"""A toy: words that are kept."""

COMMANDS = {"toy": "keep a word"}
''',
    "toy_operations.py": '''"""The toy's operation."""

from msgspec import Struct

from palimp_protocol.operations.operation import Operation, writes


class Toy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep a word."""

    word: str


class Toyed(Struct, frozen=True, kw_only=True):
    """The words."""

    words: list[str]


OPERATIONS = (Operation("toy", "Keep a word", Toy, Toyed, "Keep a word.", access=writes),)
''',
    "cli/__init__.py": '"""Commands of the toy."""\n',
    "cli/toy.py": '''"""`palimp toy`: keep a word."""

from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line


@command("toy", "Keep a word.", argument("word"), example="palimp toy abc")
def run(typed: Invocation) -> None:
    """Keep it and print all."""
    reply = typed.answer()
    if not typed.is_json:
        print_line(" ".join(reply.words))
''',
    "daemon.py": '''"""The toy in the daemon."""

import trio

from palimp_daemon.features.handler import Binding, StoreHandler, StoreWork
from palimp_daemon.features.neighbour import Background, Neighbour
from palimp_daemon.store.worker.group_commit import Job
from palimp_neighbours.toy.toy_operations import Toyed
from palimp_protocol.messages.memory_messages import Memory, Recalled


def words(store):
    return [word for (word,) in store.rows("SELECT word FROM toys ORDER BY at")]


def put(store, word):
    store.connection.execute("INSERT INTO toys (word) VALUES (?)", (word,))
    return Toyed(words=words(store))


class ToySource:
    is_for_doubt = False

    def __init__(self, jobs):
        self.jobs = jobs

    def is_asked(self, request):
        return False

    def ids_in(self, request):
        return []

    def may_answer(self, request, caller):
        return bool(request.query)

    def begin_search(self, call):
        return self

    async def find(self):
        self.found = await self.jobs.actor.ask(Job(words, is_write=False, deadline_s=60))

    async def added_to(self, reply):
        rows = [Memory(id=f"toy{i}", title=word, kind="note", created_at=1) for i, word in enumerate(self.found)]
        return Recalled(query=reply.query, memories=[*reply.memories, *rows], total=reply.total + len(rows))


def build(base):
    async def run(task_status=trio.TASK_STATUS_IGNORED):
        await base.jobs.actor.ask(Job(lambda store: put(store, "by-itself"), is_write=True))
        task_status.started()

    work = StoreWork(lambda context, request: put(context.store, request.word))
    return Neighbour(
        bindings={"toy": Binding(StoreHandler(base.jobs, work), lambda reply, _: " ".join(reply.words))},
        beside=[ToySource(base.jobs)],
        background=Background(before_serving=[run]),
    )
''',
    f"migrations/{migrations()[-1].number + 1:04}_toys.sql": (
        "CREATE TABLE toys (at INTEGER PRIMARY KEY, word TEXT NOT NULL) STRICT;\n"
    ),
}


def add_the_toy(home: Path) -> None:
    """Write its folder, and its name into the list."""
    for name, text in FILES.items():
        file = home / FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    listed, count = re.subn(r"(NEIGHBOURS: .*\()", r'\1"toy", ', (home / LIST).read_text())
    assert count == 1
    (home / LIST).write_text(listed)


@pytest.fixture(scope="module")
def copy() -> Iterator[PalimpCopy]:
    with changed_copy(add_the_toy) as changed:
        yield changed


def test_its_command_keeps_words_in_its_table_behind_what_its_task_kept(copy: PalimpCopy):
    assert copy.palimp("toy", "abc") == "by-itself abc\n"
    assert json.loads(copy.palimp("toy", "def", "--json")) == {"words": ["by-itself", "abc", "def"]}
    assert "keep a word" in copy.palimp("--help")


def test_its_source_answers_a_search_beside_the_memories(copy: PalimpCopy):
    copy.palimp("add", "The cache is warmed at noon")
    found = copy.palimp("search", "when is the cache warmed")
    assert "noon" in found
    assert "by-itself" in found


def test_it_is_a_tool_of_agents(copy: PalimpCopy):
    client = BareClient(copy.env, copy.home)
    client.initialize()
    assert client.ask(1, "toy", word="ghi").startswith("by-itself ")
    assert client.close() == 0
