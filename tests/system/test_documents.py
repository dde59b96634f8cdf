"""Documents through the real daemon, the real shim and the real command line."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import trio
from mcp_clients import text_of
from running_daemon import end_daemon, wait_until
from sdk_sessions import sdk_session

from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import DOC_LINES_COUNTED_MAX
from palimp_protocol.messages import documents as messages
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

PALIMP = [sys.executable, "-m", "palimp_shim.cli.main"]
SESSIONS = 8
ROOT = Path(__file__).parents[2]

GUIDE = "# Guide\n\nIntro.\n\n## Rate limits\n\nTen requests per second are allowed.\n"


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs the command line in a project."""

    def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PALIMP, "docs", *arguments], env=env, cwd=project, capture_output=True, text=True, check=False, input=text
        )

    return run


async def test_an_agent_adds_reads_searches_edits_and_deletes(daemon, env, project: Path):
    """Through the tools, in both eras; errors say what to do."""
    file = project / ".palimp" / "docs" / "guide.md"
    for mode in ("auto", "legacy"):
        async with sdk_session(env, project, mode=mode) as session:

            async def call(tool: str, session=session, **arguments) -> str:
                return text_of(await session.call_tool(tool, arguments))

            assert "no documents yet" in await call("list_docs")
            assert str(file) in await call("add_doc", slug="guide", title="Guide", content=GUIDE)
            assert file.read_text() == GUIDE
            assert "exists already" in await call("add_doc", slug="guide", title="Guide", content="Other.")
            assert "lower-case letters" in await call("add_doc", slug="../guide", title="x", content="x")
            assert "blank" in await call("add_doc", slug="blank", title="x", content=" \n")
            assert "guide · Guide" in await call("read_doc", slug="guide")
            assert "lineNumber 5" in await call("search_docs", pattern="RATE LIMIT")
            assert "Rate limits" in await call("search_docs", pattern="how many requests are allowed", ranked=True)
            assert "no document" in (await call("search_docs", pattern="x", slug="other")).lower()
            assert "No document matches" in await call("search_docs", pattern="zebra")
            found = await call("recall", query="requests allowed", kind="doc")
            assert "Guide › Rate limits · doc" in found
            assert "Edited guide" in await call("edit_doc", slug="guide", content="# New\n", title="New guide")
            assert "New guide" in await call("list_docs")
            assert "Deleted guide" in await call("delete_doc", slug="guide")
            assert "No document has the slug" in await call("delete_doc", slug="guide")
            assert not file.exists()


async def test_a_document_tells_that_a_memory_which_it_names_was_replaced(daemon, env, project: Path, palimp):
    """In each row, on the page, and to who writes it, in the terminal, too."""
    async with sdk_session(env, project) as session:

        async def call(tool: str, **arguments) -> str:
            return text_of(await session.call_tool(tool, arguments))

        async def saved(text: str, **more) -> str:
            return re.findall(r"\((m\w+)\)", await call("save_memory", text=text, **more))[0]

        old = await saved("Retries are three.")
        assert old not in await call("add_doc", slug="limits", title="Limits", content=f"# Retries\n\nSee {old}.\n")
        new = await saved("Retries are nine, since the gateway is slow.", replaces=[old])

        told = re.compile(rf"{old} held until \d{{4}}-\d\d-\d\d, now {new}: Retries are nine")
        for tool, arguments in (
            ("read_doc", {"slug": "limits"}),
            ("search_docs", {"pattern": "See m"}),
            ("search_docs", {"pattern": "retries", "ranked": True}),
            ("recall", {"query": "retries", "kind": "doc"}),
            ("edit_doc", {"slug": "limits", "content": f"# Retries\n\nThey are told in {old}.\n"}),
        ):
            assert told.search(await call(tool, **arguments)), tool
    for arguments in (("read", "limits"), ("search", "told"), ("search", "--ranked", "retries"), ("restore", "limits")):
        done = palimp(*arguments)
        assert told.search(done.stdout + done.stderr), arguments
    (version, *_) = json.loads(palimp("history", "limits", "--json").stdout)["versions"]
    assert f"kept as version {version['version']}." in done.stderr
    assert palimp("edit", "limits", "-", text=f"See {new}.\n").stderr.count("\n") == 1


HOSTILE_SLUGS = (
    "",
    "A",
    "../x",
    "a/b",
    "/etc/passwd",
    "a.md",
    "..",
    "a" * 81,
    "a" * 9_999,
    "ä",
    "a\0b",
    "-a",
    "a\n",
    "%2e%2e",
)
BOMBS = ("(a+)+$", "(a|a)*b", "(.*)*zq", "(x+x+)+y", "a{500}{500}", "(?=x)", r"(a)\1", "[", "x" * 1_001)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_hostile_slugs_and_patterns_are_answered(daemon, env, project: Path):
    """Each with an error or a result; no file is made, and the next honest request is answered."""
    async with sdk_session(env, project) as session:
        await session.call_tool(
            "add_doc", {"slug": "one", "title": "One", "content": "a" * 50_000 + "!\n" + "x\n" * 500}
        )
        for slug in HOSTILE_SLUGS:
            for tool in ("read_doc", "delete_doc", "add_doc", "edit_doc"):
                arguments = {"slug": slug, "content": "x", "title": "x"}
                wanted = arguments if tool in ("add_doc", "edit_doc") else {"slug": slug}
                answer = await session.call_tool(tool, wanted)
                assert answer.is_error, (tool, slug)
                assert "slug" in text_of(answer) or "NUL" in text_of(answer)
        for pattern in BOMBS:
            answer = text_of(await session.call_tool("search_docs", {"pattern": pattern, "is_regex": True}))
            assert "pattern" in answer or "one" in answer or "No document matches" in answer, pattern
        assert "one" in text_of(await session.call_tool("list_docs", {}))

    assert names_in(project / ".palimp" / "docs") == ["index.json", "one.md"]
    assert names_in(project) == [".palimp"]


async def test_a_long_document_comes_in_pages(daemon, env, project: Path):
    """Each says how to get the next."""
    text = "".join(f"# Part {number}\n{'word ' * 900}\n" for number in range(9))
    async with sdk_session(env, project) as session:
        await session.call_tool("add_doc", {"slug": "long", "title": "Long", "content": text})
        seen, page = "", 0
        while True:
            page += 1
            shown = text_of(await session.call_tool("read_doc", {"slug": "long", "page": page}))
            assert len(shown) <= 16_000
            seen += shown
            if f'read_doc(slug="long", page={page + 1})' not in shown:
                break

    assert page > 1
    assert all(f"# Part {number}\n" in seen for number in range(9))


async def test_eight_sessions_write_at_once(daemon, env, project: Path):
    """Each adds, edits and deletes its own documents; every one that was kept is in the index, with its last text."""
    kept: dict[str, str] = {}

    async def work(number: int) -> None:
        async with sdk_session(env, project, mode="auto" if number % 2 else "legacy") as session:
            for turn in range(6):
                slug = f"doc-{number}-{turn}"
                for tool, content in (("add_doc", "first"), ("edit_doc", f"second of {slug}")):
                    arguments = {"slug": slug, "content": content}
                    arguments |= {"title": slug} if tool == "add_doc" else {}
                    answer = text_of(await session.call_tool(tool, arguments))
                    assert answer.startswith(("Added", "Edited")), answer
                if turn % 3 == 2:
                    assert "Deleted" in text_of(await session.call_tool("delete_doc", {"slug": slug}))
                else:
                    kept[slug] = f"second of {slug}"

    async with trio.open_nursery() as nursery:
        for number in range(SESSIONS):
            nursery.start_soon(work, number)

    folder = project / ".palimp" / "docs"
    index = json.loads((folder / "index.json").read_text())
    assert {row["slug"] for row in index["docs"]} == kept.keys()
    assert {path.stem: path.read_text() for path in folder.glob("*.md")} == kept


class Writer(threading.Thread):
    """Adds and edits documents until told to stop, and remembers what was acknowledged."""

    def __init__(self, env: dict[str, str], caller: Caller, number: int, stop: threading.Event) -> None:
        super().__init__()
        self.env, self.caller, self.number, self.stop = env, caller, number, stop
        self.clients: list[Client] = []
        self.acknowledged = 0
        self.kept: dict[str, str] = {}
        self.cut_off: set[str] = set()
        self.surprises: list[str] = []

    def run(self) -> None:
        turn = 0
        while not self.stop.is_set():
            turn += 1
            # A command each time, as people run them: one that had started daemon after daemon would rest.
            client = Client(self.env)
            self.clients.append(client)
            slug = f"doc-{self.number}-{turn}"
            add = messages.AddDoc(slug=slug, title=slug, content=f"a {slug}")
            edit = messages.EditDoc(slug=slug, content=f"b {slug}")
            try:
                client.call(OPERATIONS["add_doc"], add, self.caller)
                self.kept[slug] = f"a {slug}"
                self.acknowledged += 1
                client.call(OPERATIONS["edit_doc"], edit, self.caller)
                self.kept[slug] = f"b {slug}"
            except PalimpError as error:
                # Cut off between file and index, and sent again: said, and mended by repair.
                self.cut_off.add(slug)
                if "does not know" not in error.text and "exists already" not in error.text:
                    self.surprises.append(error.text)


def test_kills_in_the_middle_of_writes_lose_nothing(daemon, env, project: Path):
    """The daemon is killed again and again; what was acknowledged is there, and repair mends the rest."""
    caller = Caller(ProjectRef(str(project), "project", str(project)))
    stop = threading.Event()
    writers = [Writer(env, caller, number, stop) for number in range(4)]
    for writer in writers:
        writer.start()
    for goal in range(3, 18, 3):
        # Counted, not timed: a slow machine kills as often in the middle of writes as a fast one.
        wait_until(lambda goal=goal: sum(writer.acknowledged for writer in writers) >= goal, 60)
        end_daemon(env)  # the next request of a writer starts another
    stop.set()
    for writer in writers:
        writer.join()

    client = Client(env)
    client.call(OPERATIONS["repair_docs"], messages.RepairDocs(), caller)
    listing: messages.DocList = client.call(OPERATIONS["list_docs"], messages.ListDocs(), caller)
    texts = {path.stem: path.read_text() for path in (project / ".palimp" / "docs").glob("*.md")}
    kept = {slug: text for writer in writers for slug, text in writer.kept.items()}
    cut_off = set[str]().union(*(writer.cut_off for writer in writers))
    assert [surprise for writer in writers for surprise in writer.surprises] == []
    assert listing.notes == []
    assert {doc.slug for doc in listing.docs} == texts.keys()
    assert len(kept) > 8
    assert [slug for slug in kept.keys() - cut_off if texts.get(slug) != kept[slug]] == []
    assert all(texts[slug] in (f"a {slug}", f"b {slug}") for slug in texts)
    end_daemon(env)
    for each in (client, *(started for writer in writers for started in writer.clients)):
        for child in each._dialer._children:
            child.wait()  # the daemons that they started, and that were killed


def test_a_request_that_is_sent_again_is_not_applied_again(daemon, env, project: Path):
    """It is answered with what was done."""
    caller = Caller(ProjectRef(str(project), "project"))
    client = Client(env)
    client._ids = iter([b"same-id"] * 4)
    add = messages.AddDoc(slug="one", title="One", content="Text.")

    first = client.call(OPERATIONS["add_doc"], add, caller)

    assert client.call(OPERATIONS["add_doc"], add, caller) == first


async def test_of_two_agents_the_later_one_is_told_what_changed_meanwhile(daemon, env, project: Path, palimp):
    palimp("add", "guide", "-", "--title", "Guide", text="# Guide\n\nPort 80.\n")
    async with sdk_session(env, project) as session:

        async def call(tool: str, **arguments) -> str:
            return text_of(await session.call_tool(tool, arguments))

        version = re.findall(r"\[version (\w+)\]", await call("read_doc", slug="guide"))[0]
        palimp("edit", "guide", "-", text="# Guide\n\nPort 443.\n")
        refused = await call("edit_doc", slug="guide", content="Mine.", version=version)
        assert "was changed since it was read" in refused
        assert "1 line gone: 'Port 80.'. 1 line new: 'Port 443.'" in refused
        assert "was changed" in await call("delete_doc", slug="guide", version=version)
        assert palimp("read", "guide").stdout == "# Guide\n\nPort 443.\n"
        (project / ".palimp" / "docs" / "guide.md").write_text("# Guide\n\nBy hand.\n")
        now = re.findall(r"\[version (\w+)\]", await call("read_doc", slug="guide"))[0]
        edited = await call("edit_doc", slug="guide", content="Mine.", version=now)
        mine = re.findall(r"\[version (\w+)\]", edited)[0]
        assert "Edited" in await call("edit_doc", slug="guide", content="Mine again.", version=mine)
        assert "Edited" in await call("edit_doc", slug="guide", content="Without a version, as before.")
    assert "was changed" in palimp("delete", "guide", "--version", "0" * 10).stderr


def test_history_and_restore(palimp, project: Path):
    """Every former text can be brought back."""
    palimp("add", "guide", "-", "--title", "Guide", text="First.\n")
    palimp("edit", "guide", "-", text="Second.\n")
    palimp("delete", "guide")

    versions = json.loads(palimp("history", "guide", "--json").stdout)["versions"]
    assert [version["done"] for version in versions] == ["deleted", "edited"]
    assert "Restored guide" in palimp("restore", "guide").stdout
    assert palimp("read", "guide").stdout == "Second.\n"
    palimp("restore", "guide", "--version", str(versions[1]["version"]))
    assert palimp("read", "guide").stdout == "First.\n"
    assert palimp("restore", "other").returncode == 1


def test_many_matches_are_cut_and_said(palimp):
    """Fifty lines, and how many there are."""
    palimp("add", "long", "-", "--title", "Long", text="The needle.\n" * 60)

    found = palimp("search", "needle")

    assert len(found.stdout.splitlines()) == 50
    assert "50 of 60 shown" in found.stderr
    none = palimp("search", "pin")
    assert (none.returncode, none.stdout) == (1, "No document matches 'pin'.\n")


def test_a_file_that_a_person_changed_is_found_at_the_next_search(palimp, project: Path):
    """By its lines and by its sections, without a restart; also one that git brought or took."""
    palimp("add", "guide", "-", "--title", "Guide", text=GUIDE)
    assert "Rate" in palimp("search", "requests", "--ranked").stdout
    file = project / ".palimp" / "docs" / "guide.md"

    file.write_text("# Guide\n\n## Otters\n\nThey hold hands.\n")

    assert palimp("search", "otters", "--ranked").stdout.startswith("guide:3\t")
    assert palimp("search", "hold hands").stdout.startswith("guide:5\t")
    assert palimp("search", "requests", "--ranked").returncode == 1
    file.unlink()
    gone = palimp("search", "otters", "--ranked")
    assert gone.returncode == 1
    assert "palimp docs repair" in gone.stderr


def test_adopting_a_folder_moves_nothing(palimp, project: Path):
    """Nested folders become slugs, collisions are listed, twice changes nothing."""
    handbook = project / "handbook"
    (handbook / "api").mkdir(parents=True)
    (handbook / "api" / "Limits.md").write_text("---\ntitle: API limits\n---\nTen per second.\n")
    (handbook / "api-limits.md").write_text("# The same name\n")
    (handbook / "start.md").write_text("No heading.\n")

    would = palimp("adopt", "handbook", "--dry-run")
    done = palimp("adopt", "handbook")

    assert would.returncode == 2
    assert done.stdout.splitlines() == ["api-limits\tThe same name", "start\tstart"]
    assert "its slug api-limits is that of" in done.stderr
    assert palimp("adopt", "handbook").stdout == ""
    assert sorted(path.name for path in handbook.rglob("*.md")) == ["Limits.md", "api-limits.md", "start.md"]


def test_a_real_documentation_tree_is_searched_like_grep(palimp, project: Path):
    """The markdown files of the installed packages: the same lines as grep, for texts and for patterns."""
    handbook = project / "handbook"
    sources = [ROOT / ".cache" / "node" / "node_modules", Path(sys.prefix) / "lib"]
    files = [path for source in sources if source.is_dir() for path in sorted(source.rglob("*.md"))][:400]
    for number, path in enumerate(files):
        target = handbook / f"part-{number % 7}" / f"{number}-{path.stem}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    assert len(files) > 20
    adopted = palimp("adopt", "handbook")
    assert adopted.returncode == 0, adopted.stderr

    for pattern, flags in (("license", "-F"), ("deprecat", "-F"), (r"^#+ install", "-E"), (r"v[0-9]+\.[0-9]+", "-E")):
        grep = subprocess.run(
            ["grep", "-rcia", flags, "--include=*.md", pattern, str(handbook)],
            capture_output=True,
            text=True,
            check=False,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
        lines = sum(int(line.rsplit(":", 1)[1]) for line in grep.stdout.splitlines())
        regex = ["--regex"] if flags == "-E" else []
        found = palimp("search", pattern, "--json", *regex)
        assert json.loads(found.stdout)["total"] == min(lines, DOC_LINES_COUNTED_MAX), pattern
    assert palimp("search", "--ranked", "how do I install it?").returncode == 0
