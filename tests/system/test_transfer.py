"""Moving memories: out and in again unchanged, from other programs' files once, and whole copies."""

import json
import re
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from running_daemon import RunningDaemon, palimp_environment, temporary_home

from palimp_protocol.env.paths import database_path
from palimp_protocol.env.project_slugs import slug_of
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs a command in the project."""

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done

    return run


def fill(env: dict[str, str], project: Path) -> None:
    """Save memories of all sorts in two projects and outside of all."""
    client, here = Client(env), Caller(ProjectRef(str(project), project.name))
    texts = [
        "Deploys need the VPN.",
        "Deploys need the VPN, started with the client.",
        'Quotes " and \\ and\nlines',
        "日本語 🎉",
    ]
    ids = [client.call(OPERATIONS["save_memory"], SaveMemory(text=text, tags=["a b", "c"]), here).id for text in texts]
    client.call(OPERATIONS["recall"], Recall(ids=ids[2:3], action="purge"), here)
    client.call(OPERATIONS["compact"], OPERATIONS["compact"].request(apply=True), here)
    other = Caller(ProjectRef("/elsewhere/other", "other"))
    client.call(OPERATIONS["save_memory"], SaveMemory(text="Of another project.", kind="decision", title="T"), other)
    client.call(OPERATIONS["save_memory"], SaveMemory(text="Of no project."), Caller())


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def test_an_export_read_into_an_empty_database_gives_the_same_export(palimp, env, project: Path, tmp_path: Path):
    """Ids, projects, times, tags, what is purged and what supersedes what; a second time changes nothing."""
    fill(env, project)
    palimp("export", "--all", str(tmp_path / "one.jsonl"))
    exported = lines(tmp_path / "one.jsonl")
    assert len(exported) == 6
    assert [bool(line.get("purged_at")) for line in exported] == [False, False, True, False, False, False]
    assert [line.get("supersedes", []) for line in exported][:2] == [[], [exported[0]["id"]]]
    palimp("export", "--all", str(tmp_path / "one.jsonl"), code=2)  # which exists
    assert palimp("export", "--all").stdout == (tmp_path / "one.jsonl").read_text()  # into a pipe
    assert "Name the folder" in palimp("export", "--markdown", code=2).stderr

    with temporary_home() as home:
        fresh = palimp_environment(home)
        daemon = RunningDaemon(fresh, is_forked=True)
        daemon.start()

        def run(*arguments: str) -> str:
            return subprocess.run(
                [*PALIMP, *arguments], env=fresh, cwd=home, capture_output=True, text=True, check=True
            ).stdout

        assert "6 memories would be imported" in run("import", str(tmp_path / "one.jsonl"), "--dry-run")
        assert "6 memories imported, 0 known" in run("import", str(tmp_path / "one.jsonl"))
        assert "0 memories imported, 6 known" in run("import", str(tmp_path / "one.jsonl"))
        run("export", "--all", str(tmp_path / "two.jsonl"))
        found = run("search", "vpn client", "--project", str(project))
        daemon.stop()

    assert lines(tmp_path / "two.jsonl") == exported
    assert "Deploys need the VPN, started" in found


def test_secrets_and_other_people_s_ids_do_not_come_in(palimp, env, project: Path, tmp_path: Path):
    """A file that was edited by hand is redacted like everything else; an id that is taken is told."""
    fill(env, project)
    palimp("export", str(tmp_path / "one.jsonl"))
    first, *_ = lines(tmp_path / "one.jsonl")
    secret = "ghp_" + "a1B2" * 9
    changed = [
        first | {"content": "Something else."},
        first | {"id": "m0000000001", "content": "wrong id"},
        first | {"id": "m00000000zzz", "content": f"The token is {secret}."},
        {"no": "memory"},
    ]
    text = "\n".join(['{"palimp_export":1}', *map(json.dumps, changed), "{", ""])
    (tmp_path / "two.jsonl").write_text(text)

    done = palimp("import", str(tmp_path / "two.jsonl"))
    assert "1 memory imported" in done.stdout
    assert "another memory here has this id" in done.stderr
    assert "is no id of a memory" in done.stderr
    assert done.stderr.count("skipped: byte") == 3
    assert secret not in palimp("export", "-").stdout


def test_what_no_export_of_ours_could_hold_is_told_and_the_rest_comes_in(palimp, env, project: Path, tmp_path: Path):
    """A line of somebody's making stops neither its neighbours nor a later search."""
    fill(env, project)
    palimp("export", str(tmp_path / "one.jsonl"))
    first, *_ = lines(tmp_path / "one.jsonl")
    odd = [
        {"created_at": 10**17},
        {"created_at": 10**25},
        {"purged_at": -1},
        {"title": "t" * 5_000},
        {"tags": ["t" * 500] * 50},
        {"session": "s" * 5_000},
        {"project": "relative"},
        {"content": " "},
    ]
    changed = [first | {"id": f"m0000000000{n}", "content": f"Odd {n}."} | each for n, each in enumerate(odd)]
    changed.append(first | {"id": "m00000000zzz", "content": "Unlike the others."})
    (tmp_path / "two.jsonl").write_text("\n".join(['{"palimp_export":1}', *map(json.dumps, changed), ""]))

    done = palimp("import", str(tmp_path / "two.jsonl"))

    assert "1 memory imported" in done.stdout
    assert done.stderr.count("skipped: byte") == len(odd)
    assert "a time of m00000000000 is not of the years" in done.stderr
    assert "Unlike the others." in palimp("search", "unlike").stdout


def test_a_folder_of_markdown_goes_out_and_comes_in(palimp, env, project: Path, tmp_path: Path):
    """One file each, without what is purged; what was replaced is told as such; long notes become several.

    Odd files are told.
    """
    fill(env, project)
    palimp("export", "--markdown", str(tmp_path / "notes"))
    names = sorted(path.name for path in (tmp_path / "notes").iterdir())
    assert len(names) == 3
    assert all(name.endswith(".md") for name in names)
    known = palimp("import", str(tmp_path / "notes")).stdout
    assert "0 memories imported, 2 known" in known
    assert re.search(r"left +1 +replaced there by another one", known)

    folder = tmp_path / "vault"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.md").write_text("---\ntitle: Given\ntags: [x, y]\nkind: decision\n---\nWe chose it.\n")
    (folder / "b.md").write_text("# Long\n" + "".join(f"\n## Part {n}\n\n{'word ' * 900}\n" for n in range(5)))
    (folder / "c.md").write_bytes(b"\xff\xfe")
    (folder / "d.md").write_text("\n")
    (folder / "e.txt").write_text("no markdown")
    done = palimp("import", str(folder))
    assert "4 memories imported, 0 known already (markdown)" in done.stdout
    assert "c.md: it is no UTF-8 text" in done.stderr
    assert "d.md: it is empty" in done.stderr
    assert "0 memories imported, 4 known" in palimp("import", str(folder)).stdout
    listed = json.loads(palimp("list", "--kind", "decision", "--json").stdout)["memories"]
    assert [(memory["title"], memory["tags"]) for memory in listed] == [("Given", ["x", "y"])]


@pytest.mark.parametrize("config", ["", "elsewhere/claude"])
def test_claude_code_s_own_memory_of_the_project_is_found(palimp, env, project: Path, config: str):
    """Where that client keeps it, and where it was told to keep it."""
    if config:
        env["CLAUDE_CONFIG_DIR"] = str(Path(env["HOME"]) / config)
    folder = Path(env["HOME"]) / (config or ".claude") / "projects" / slug_of(str(project)) / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- The user likes short answers.\n")

    assert "1 memory imported" in palimp("import", "--from", "claude-code").stdout
    assert "likes" in palimp("search", "short", "answers").stdout


def test_the_reference_server_s_graph_becomes_memories(palimp, tmp_path: Path):
    """An entity each, with its relations; lines that are neither are told."""
    graph = [
        {
            "type": "entity",
            "name": "Billing",
            "entityType": "service",
            "observations": ["Runs on Go.", "Owned by Ada."],
        },
        {"type": "relation", "from": "Billing", "to": "Ledger", "relationType": "writes to"},
        {"type": "entity", "name": "Empty", "entityType": "x", "observations": []},
        {"type": "mystery"},
    ]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, graph)))

    done = palimp("import", str(tmp_path / "memory.jsonl"))
    assert "1 memory imported, 0 known already (reference-server)" in done.stdout
    assert "line 4" in done.stderr
    assert "Empty: it has no observations" in done.stderr
    (shown,) = json.loads(palimp("search", "billing", "--detail", "full", "--json").stdout)["memories"]
    assert shown["content"] == "Runs on Go.\nOwned by Ada.\nBilling writes to Ledger"
    assert "0 memories imported, 1 known" in palimp("import", str(tmp_path / "memory.jsonl")).stdout


def claude_mem(path: Path) -> None:
    """Make a database with the columns of claude-mem that are read; the real program makes one in real_client.sh."""
    db = apsw.Connection(str(path))
    db.execute(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id, project, text, type, title, subtitle,"
        " facts, narrative, concepts, files_modified, created_at_epoch);"
        "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id, project, request, investigated,"
        " learned, completed, next_steps, notes, created_at_epoch)"
    )
    db.execute(
        "INSERT INTO observations VALUES (1, 's', 'project', NULL, 'bugfix', 'Fixed the race', 'In the fixture',"
        " '[\"The lock was missing\"]', 'It was flaky.', '[\"testing\"]', '[\"a.py\"]', 1763726400000),"
        " (2, 's', 'other', NULL, 'decision', 'Use Go', NULL, NULL, 'It is fast.', NULL, NULL, 1763726400000),"
        " (3, 's', 'project', NULL, 'change', NULL, NULL, NULL, NULL, NULL, NULL, 1763726400000)"
    )
    db.execute(
        "INSERT INTO session_summaries VALUES"
        " (1, 's', 'project', 'Fix it', NULL, 'Locks', 'Done', NULL, NULL, 1763726400)"
    )
    db.close()


def test_claude_mem_s_database_is_read(palimp, tmp_path: Path):
    """Observations and summaries of this project with their kinds and times; others only when asked for."""
    claude_mem(tmp_path / "claude-mem.db")

    done = palimp("import", str(tmp_path / "claude-mem.db"))
    assert "2 memories imported, 0 known already (claude-mem)" in done.stdout
    assert "observation 3: it has no text" in done.stderr
    assert "1  of the project 'other'" in done.stdout
    fix, summary = json.loads(palimp("list", "--detail", "full", "--json").stdout)["memories"][::-1]
    assert (fix["kind"], fix["title"], fix["created_at"]) == ("fix", "Fixed the race", 1763726400000)
    assert fix["content"] == "In the fixture\nIt was flaky.\n- The lock was missing\nFiles: a.py"
    assert (summary["kind"], summary["created_at"]) == ("summary", 1763726400000)
    assert "1 memory imported, 2 known" in palimp("import", str(tmp_path / "claude-mem.db"), "--here").stdout


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.db", b"SQLite format 3\0" + b"x" * 100), ("a.jsonl", b"{}"), ("a.bin", b"\0\1\2"), ("empty", b"")],
)
def test_what_is_nothing_known_is_refused(palimp, tmp_path: Path, name: str, data: bytes):
    """With what it is not; nothing was imported."""
    (tmp_path / name).write_bytes(data)

    done = palimp("import", str(tmp_path / name), code=2)
    assert "Nothing of it was imported" in done.stderr
    assert "does not exist" in palimp("import", str(tmp_path / "nothing"), code=2).stderr


def test_a_backup_is_a_database_that_opens(palimp, env, project: Path, tmp_path: Path):
    """Made while others write; one file, for its owner only; nothing is overwritten."""
    fill(env, project)
    path = tmp_path / "copy.db"

    assert "6 memories; opened and checked" in palimp("backup", str(path)).stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("copy")] == ["copy.db"]
    assert "exists" in palimp("backup", str(path), code=2).stderr
    assert "cannot be written" in palimp("backup", str(path / "copy.db"), code=2).stderr
    nowhere = palimp("backup", "/proc/palimp.db", code=2).stderr
    assert "/proc/palimp.db cannot be written: " in nowhere
    assert "Errno" not in nowhere
    palimp("backup", str(tmp_path / "new" / "copy.db"))  # the folder is made
    with temporary_home() as home:
        fresh = palimp_environment(home)
        Path(database_path(fresh)).parent.mkdir(parents=True)
        path.rename(Path(database_path(fresh)))
        found = subprocess.run(
            [*PALIMP, "search", "vpn", "--project", str(project)],
            env=fresh,
            cwd=home,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert "Deploys need the VPN" in found


def test_a_changed_note_takes_the_place_of_what_it_was(palimp, tmp_path: Path):
    """An unchanged one is known; a shorter one leaves no piece behind; one that was deleted here stays deleted."""
    folder = tmp_path / "vault"
    folder.mkdir()
    long = "# Long\n" + "".join(f"\n## Part {n}\n\n{f'word{n} ' * 900}\n" for n in range(3))
    for name, text in (("a", "First text."), ("b", "Stays as it is."), ("c", long), ("d", "Deleted here.")):
        (folder / f"{name}.md").write_text(text)
    assert "6 memories imported, 0 known" in palimp("import", str(folder)).stdout
    listed = json.loads(palimp("list", "--json", "--detail", "full").stdout)["memories"]
    [deleted] = [each["id"] for each in listed if each["content"] == "Deleted here."]
    palimp("delete", deleted)

    (folder / "a.md").write_text("Second text.")
    (folder / "c.md").write_text("# Long\n\nShort now.\n")
    (folder / "d.md").write_text("Deleted here, and changed there.")
    planned = palimp("import", str(folder), "--dry-run").stdout
    done = palimp("import", str(folder))
    assert planned == done.stdout.replace("memories imported", "memories would be imported")
    assert "0 memories imported, 2 updated, 1 known already (markdown)." in done.stdout
    assert re.search(r"left +1 +it was deleted here, and has changed there", done.stdout)
    texts = [each["content"] for each in json.loads(palimp("list", "--json", "--detail", "full").stdout)["memories"]]
    assert sorted(texts) == ["# Long\n\nShort now.", "Second text.", "Stays as it is."]
    assert "0 memories imported, 3 known" in palimp("import", str(folder)).stdout


def test_what_is_taken_left_and_why_is_a_table(palimp, tmp_path: Path):
    """In words and as JSON, over all pages; a dry run says the same and stores nothing."""
    records = [{"id": str(n), "content": f"Number {n}.", "state": "active"} for n in range(450)]
    records += [{"id": f"x{n}", "content": "Old.", "state": ["archived", "deleted"][n % 2]} for n in range(5)]
    (tmp_path / "backup").write_text(json.dumps({"memories": records}))

    for option in (["--dry-run"], []):
        page = json.loads(palimp("import", str(tmp_path / "backup"), "--json", *option).stdout)
        assert (page["format"], page["imported"]) == ("openmemory", 450)
        assert page["kinds"] == [{"kind": "note", "count": 450}]
        assert page["left"] == [{"reason": "archived there", "count": 3}, {"reason": "deleted there", "count": 2}]
    done = palimp("import", str(tmp_path / "backup"))
    assert "0 memories imported, 450 known already (openmemory)." in done.stdout
    assert re.search(r"left +3 +archived there", done.stdout)


def test_a_format_can_be_forced_and_an_unknown_one_names_those_there_are(palimp, tmp_path: Path):
    (tmp_path / "x.json").write_text(json.dumps({"memories": [{"content": "Bare."}]}))
    assert "mem0" in palimp("import", str(tmp_path / "x.json"), code=2).stderr
    assert "1 memory imported" in palimp("import", "--from", "mcp-memory-service", str(tmp_path / "x.json")).stdout
    assert "basic-memory" in palimp("import", "--from", "nothing", str(tmp_path / "x.json"), code=2).stderr
