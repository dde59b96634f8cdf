"""Every command of the README, the tutorial and the how-tos does what its page says, in a home of its own."""

import json
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from claude_hooks import Agent
from documented_commands import Command, blocks_of, commands_of, forgetful, ids_in
from repositories import ENVIRONMENT, Repository
from terminals import on_terminal
from written_sessions import AT as WRITTEN_AT
from written_sessions import KEYS, write_session

from palimp_protocol.env.project_slugs import slug_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted((DOCS / "tutorial").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]

NOT_RUN = {
    "make ": "one is a test of its own, the other runs this",
    "uv tool install": "`make packages` installs the wheel",
    "pip uninstall": "it would remove what is tested",
    "palimp install --systemd": "a container has no systemd of a user; test_start_and_stop brings one",
    "systemctl": "the same",
    "palimp page": "it opens a browser; test_page asks it",
    "palimp team join": "it is for a second machine, which test_team has",
    "palimp team create postgresql://": "it needs a server, which test_team has",
    **dict.fromkeys(
        [f"palimp team {each}" for each in ("invite", "members", "patterns", "trust", "distrust", "revoke")], "the same"
    ),
}
"""Commands that are not run here, by what they begin with, and why."""

NOT_COMPARED: dict[str, str] = {}
"""Commands whose output is not compared, by what they begin with, and why."""

ENDS_WITH = {"palimp search what did we decide last week": 1}  # nothing was: all of it was saved just now
"""Exit codes other than 0, by what a command begins with."""

ASKS: dict[str, list[tuple[str, str]]] = {
    "palimp delete --hard": [("go on: ", "yes\n")],
    "palimp edit": [],
    "palimp uninstall --purge-data": [("yes", "yes\n")],
}
"""Commands that are run on a terminal, by what they begin with: what they ask, and what is typed."""

PROPOSED = (
    "User: We decided to keep money in integer cents, because floats lost a cent in March.\nAssistant: Noted.\n"
    "User: Please always use tabs for indentation in this repository, never spaces.\nAssistant: Fine.\n"
    "User: From now on we always deploy from the main branch, never from a laptop.\nAssistant: Right.\n"
)
"""A conversation of which three things are proposed."""

NAMED_ANEW = ("correct-a-memory",)
"""Pages of which each block begins with memories of its own: they are deleted and replaced in between."""

SESSION = "5b1f7c1e-0000-4000-8000-000000000001"
SAID_ON = "2026-10-12"

SAID = [
    ("user", "Why does the import of supplier prices take so long at night?"),
    (
        "assistant",
        "The import updates the supplier prices row by row, and the index on prices.supplier_id is missing, so that"
        " each update reads the whole table. With the index the nightly run takes four minutes instead of two hours.",
    ),
    (
        "user",
        "Good. Add the index, but concurrently: the table must not be locked while the shop is open. The database is"
        " postgres://shop:hunter2hunter2@db.example.com/shop",
    ),
    (
        "assistant",
        "Done: the migration creates the index with CREATE INDEX CONCURRENTLY, outside of a transaction.",
    ),
]
"""A session of before palimp was installed, as the pages have it."""


@dataclass
class Place:
    """A home with a project in it, and the names that a page gives to what is there."""

    home: Path
    env: dict[str, str]
    names: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def project(self) -> Path:
        """The project that the pages speak of."""
        return self.home / "src" / "shop"

    def named(self, line: str) -> str:
        """Return a command line of a page with the names of what is here."""
        for name, known in self.names.items():
            line = line.replace(name, known)
        return line

    def run(self, line: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command line of a page in *folder*, the project unless said otherwise."""
        command, where = ["bash", "-c", self.named(line)], folder or self.project
        return subprocess.run(
            command, cwd=where, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    def add(self, name: str, text: str, *options: str) -> None:
        """Save a memory; *name* is what the page calls it."""
        palimp = [sys.executable, "-m", "palimp_shim.__main__", "add", text, *options, "--json"]
        done = subprocess.run(palimp, cwd=self.project, env=self.env, check=True, capture_output=True, text=True)
        if name:
            self.names[name] = json.loads(done.stdout)["id"]

    def add_named(self, number: int) -> None:
        """Save the memories that pages name, the *number*th time."""
        self.add("m1rv7je2", f"Client {number} may send sixty requests a minute.", "--kind", "decision")
        self.add("m1rv9abc", f"Client {number} may send ninety requests a minute since the contract was renewed.")
        self.add("m1rvb0de", f"Staging {number} is deployed by hand.")


def _readme(place: Place) -> None:
    Agent(place.env, place.project).start()


def _claude_memory(place: Place) -> None:
    _write_notes(place)
    place.add("", "Releases are tagged by CI, never by hand.", "--kind", "decision")
    notes = json.loads(place.run("palimp search releases --kind claude-memory --json").stdout)["memories"]
    place.names["nth1mr97"] = notes[0]["id"]


def _correct(place: Place) -> None:
    Agent(place.env, place.project, "3f8b523d-0000-4000-8000-000000000001").start()
    place.add("OLD", "Backups are kept for seven days.")
    place.add("NEW", "Backups of the archive are kept for a year.")
    place.add("", "Invoices are numbered without gaps.")
    place.names["act12"] = json.loads(place.run("palimp undo --list --json").stdout)["acts"][0]["name"]


def _conversations(place: Place) -> None:
    place.add("", "The nightly price import runs at two, because the supplier publishes at one.", "--kind", "decision")
    place.run("palimp changes import")


def _import(place: Place) -> None:
    _write_notes(place)
    place.names["FILE_OR_FOLDER"] = "handbook"


def _removed_code(place: Place) -> None:
    place.run("palimp changes import")
    (place.project / ".git" / "hooks").mkdir()
    place.names["h12"] = "h1"


def _documents(place: Place) -> None:
    place.add("m1rx2c7h", "Retries are nine.", "--kind", "decision", "--replaces", place.names["m1rv7je2"])
    limits = f"# Limits\n\nThe rate limit and the retries: see {place.names['m1rv7je2']}.\n"
    (place.project / "handbook" / "limits.md").write_text(limits, encoding="utf-8")


def _write_notes(place: Place) -> None:
    """Write notes of Claude Code's on the project."""
    folder = place.home / ".claude" / "projects" / slug_of(str(place.project)) / "memory"
    folder.mkdir(parents=True)
    note = "---\nname: deploy-window\ndescription: releases go out on Tuesdays and Wednesdays\ntype: project\n---\n\n"
    (folder / "deploy-window.md").write_text(f"{note}Deploy on Tuesdays and Wednesdays only, never before a holiday.\n")
    (folder / "MEMORY.md").write_text("- [Deploy window](deploy-window.md): releases go out on Tuesdays\n")


def _review(place: Place) -> None:
    place.run(f"printf '%s' {shlex.quote(PROPOSED)} | palimp capture -")
    proposals = json.loads(place.run("palimp review --json").stdout)["proposals"]
    place.names |= dict(zip(("m1rv7je2", "m1rv9abc", "m1rvb0de"), (each["id"] for each in proposals), strict=True))


def _names(place: Place) -> None:
    for text in ("In cart/ttl.py `getUserById` is cached, for SHOP-12.", "Ask Alice Meyer about taxes."):
        place.add("", text)


def _with_models(place: Place) -> None:
    del place.env["PALIMP_SEARCH_SEMANTIC"]


def _all_projects(place: Place) -> None:
    """Two memories that wait to count for all projects, and one of this project."""
    place.add("", "Retries are five, with a pause.")
    said = "\n".join(f"User: In all my projects, always use {tool}." for tool in ("pnpm", "ruff"))
    place.run(f"printf '%s' {shlex.quote(said)} | palimp capture -")
    proposals = json.loads(place.run("palimp review --json").stdout)["proposals"]
    place.names |= dict(zip(("m1rv7je2", "m1rv9abc"), (each["id"] for each in proposals), strict=True))


def _hand_over(place: Place) -> None:
    """A session that decided something."""
    key = "3f8b523d-0000-4000-8000-000000000001"
    Agent(place.env, place.project, key).start()
    place.run(f"CLAUDE_CODE_SESSION_ID={key} palimp add 'Exports are CSV.' --kind decision")


def _browser(place: Place) -> None:
    place.names["8430"] = _free_port()


def _free_port() -> str:
    """Return a port that nobody has: others may run these tests on this machine, too."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def _back_up(place: Place) -> None:
    place.run("palimp install --no-history")
    place.run("palimp conversations --read")
    place.names["palimp-2026-11-20.db"] = place.run("echo palimp-$(date +%F).db").stdout.strip()


def _keep_a_rule(place: Place) -> None:
    saved = place.run("palimp rules add 'Use yarn, never bower.' --command bower --json")
    place.names["m1rv7je2"] = json.loads(saved.stdout)["rules"][0]["id"]


def _http(place: Place) -> None:
    place.names["8427"] = _free_port()


BEFORE: dict[str, Callable[[Place], None]] = {
    "README": _readme,
    "all-projects": _all_projects,
    "hand-over": _hand_over,
    "look-in-the-browser": _browser,
    "back-up-and-repair": _back_up,
    "claude-code-memory": _claude_memory,
    "conversations": _conversations,
    "correct-a-memory": _correct,
    "guard-removed-code": _removed_code,
    "http": _http,
    "keep-a-rule": _keep_a_rule,
    "share-documents": _documents,
    "import": _import,
    "look-up-a-name": _names,
    "review-proposals": _review,
    "semantic-ranking": _with_models,
}
"""What is done before the commands of a page, by its name."""


@pytest.fixture
def place(home: Path, env: dict[str, str]) -> Iterator[Place]:
    """A project with some history, documents, notes of Claude Code's, a former session, and memories."""
    own = {name: value for name, value in env.items() if name != "PALIMP_HOME"}  # the pages say where files are
    own |= {"PATH": f"{Path(sys.executable).parent}:{env['PATH']}", "XDG_RUNTIME_DIR": str(home / "run")}
    made = Place(home, {**own, "EDITOR": "sed -i s/sixty/seventy/", "COLUMNS": "120"})
    (home / "run").mkdir(mode=0o700)
    _write_repository(made.project)
    (home / "src" / "secret-project").mkdir()
    (home / "src" / "flask").symlink_to(made.project)
    _write_session(home, made.project)
    yield made
    made.run("palimp stop")


def _write_repository(folder: Path) -> None:
    repository = Repository(folder)
    helper = (
        "def retry(fn):\n    for attempt in range(5):\n        try:\n            return fn()\n        except OSError:\n"
    )
    said = "Cap retries at three\n\nThe payment API bans a key for an hour after the fourth attempt."
    _commit(repository, f"{helper}            pause()\n", said, "2026-09-14T10:00:00Z")
    said = "Keep sessions in PostgreSQL\n\nRedis lost them at every restart of the machine."
    _commit(repository, "def fetch():\n    return session.get()\n", said, "2026-09-21T10:00:00Z")
    repository.write("handbook/limits.md", "# Limits\n\nWe allow sixty requests a minute.\n")
    repository.write("guide.md", "# Guide\n\nHow to call the service: at most sixty requests are allowed.\n")


def _commit(repository: Repository, text: str, message: str, at: str) -> None:
    repository.write("src/client.py", text)
    repository.git("add", ".")
    dated = {**ENVIRONMENT, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    subprocess.run(["git", "commit", "--quiet", "-m", message], cwd=repository.path, env=dated, check=True)


def _write_session(home: Path, folder: Path) -> None:
    """Write a session of Claude Code's with the id and the date that the pages show."""
    write_session("claude-code", home, folder, SAID)
    [written] = home.glob(".claude/projects/*/*.jsonl")
    text = written.read_text(encoding="utf-8").replace(KEYS["claude-code"], SESSION).replace(WRITTEN_AT[:10], SAID_ON)
    written.unlink()
    own = written.parent.with_name(slug_of(str(folder))) / f"{SESSION}.jsonl"
    own.parent.mkdir()
    own.write_text(text, encoding="utf-8")


OUTPUT_ONLY = {
    "Sessions that clients keep on this machine:": "what `palimp install` asks, as in test_install",
    "From conversations and commit messages, not saved as memories:": "as in test_conversations",
    "An earlier session (2026-10-13) settled": "what an agent is told with a prompt; test_session_pointer reads it",
    "From agents' own memories, in files that palimp only reads:": "as in test_claude_memory",
    "m1rv7je2 Use pnpm, never npm.": "what an agent is told; test_rules runs the hook",
    "claude     2 files of": "one line of `palimp health`; test_claude_memory reads it",
    "palimp: this reintroduces code that was removed from": "what the demo shows; test_demo runs it",
    "CREATE ROLE boss": "SQL for an administrator; test_postgres_members runs its like",
    "ssh -L 8430": "it needs another machine; test_page opens the page by a port that is named",
    '"statusLine":': "a setting of Claude Code's; test_status_line runs the command",
    '"permissions":': "as `palimp install` prints it",
}
"""Blocks of the pages that hold no command, by what they begin with, and what looks at them."""


def test_each_block_holds_commands_or_is_known_to_hold_none():
    """So that nothing is printed on a page that no test looks at."""
    for page in PAGES:
        for lines, commands in zip(blocks_of(page), commands_of(page), strict=True):
            assert commands or lines[0].startswith(tuple(OUTPUT_ONLY)), f"{page.name}: {lines[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_command_does_what_its_page_says(place: Place, page: Path):
    """One after the other, as a reader runs them."""
    place.add_named(0)
    before = BEFORE.get(page.stem)
    if before:
        before(place)
    folder = place.project
    for number, block in enumerate(commands_of(page)):
        if page.stem in NAMED_ANEW and number:
            place.add_named(number)
        for command in block:
            if command.bare.startswith("cd "):
                folder = Path(place.run(f"{command.bare} && pwd", folder).stdout.strip())
            elif not command.bare.startswith(tuple(NOT_RUN)):
                _check(place, command, folder)


def _check(place: Place, command: Command, folder: Path) -> None:
    keys = next((keys for start, keys in ASKS.items() if command.bare.startswith(start)), None)
    if keys is None:
        done = place.run(command.line, folder)
        printed, code = done.stdout + done.stderr, done.returncode
    else:
        printed, code = on_terminal([], place.env, folder, 120, ["bash", "-c", place.named(command.line)], keys)
    expected = next((code for start, code in ENDS_WITH.items() if command.bare.startswith(start)), 0)

    assert code == expected, f"{command.bare}: ends with {code}\n{printed}"
    assert "Traceback" not in printed
    if command.output is not None and not command.bare.startswith(tuple(NOT_COMPARED)):
        assert forgetful(printed) == forgetful(command.output), command.bare
        place.names |= dict(zip(ids_in(command.output), ids_in(printed), strict=False))
