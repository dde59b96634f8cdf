"""Each source is known by what is in its file, and everything in it is taken or left out with a reason."""

import gzip
import io
import json
import zipfile
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.text.front_matter import parts_of, text_of
from palimp_neighbours.transfer.daemon import importer, markdown_notes
from palimp_neighbours.transfer.daemon import record as module
from palimp_neighbours.transfer.daemon.file_reading import forget
from palimp_neighbours.transfer.daemon.formats import SOURCES, UNKNOWN, batch_of, format_of
from palimp_neighbours.transfer.daemon.markdown_notes import tags_of
from palimp_neighbours.transfer.daemon.record import Incoming, LeftOut, in_words, pieces_of, time_of
from palimp_protocol.surrogates import mend_surrogates

AT = "2026-03-01T10:00:00+00:00"
AT_MS = 1_772_359_200_000


def as_json(value) -> bytes:
    return json.dumps(value).encode()


def as_lines(*values) -> bytes:
    return b"\n".join(as_json(value) for value in values) + b"\n"


def as_database(*statements: str) -> bytes:
    connection = apsw.Connection(":memory:")
    for statement in statements:
        connection.execute(statement)
    return connection.serialize("main")


def as_archive(**members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return data.getvalue()


OPEN_MEMORY = {
    "user": {"id": "u", "user_id": "me"},
    "categories": [{"id": "c1", "name": "tools"}],
    "memories": [
        {"id": "1", "content": "Use pnpm.", "state": "active", "created_at": AT, "category_ids": ["c1"]},
        {"id": "2", "content": "Old.", "state": "archived"},
        {"id": "3", "content": "Gone.", "state": "deleted"},
        {"id": "4", "content": "Held.", "state": "paused"},
    ],
}
MEM0 = {
    "results": [
        {
            "id": "a",
            "memory": "Prefers tabs.",
            "metadata": {"category": "preference"},
            "created_at": AT,
            "user_id": "u",
        },
        {"id": "b", "memory": "", "created_at": AT},
    ],
    "relations": [{"source": "me", "relationship": "likes", "target": "tabs"}],
}
SERVICE = {
    "export_metadata": {"total_memories": 1},
    "memories": [
        {"content": "Freeze on Friday.", "content_hash": "x", "tags": "ops, ci", "created_at": AT_MS / 1000,
         "memory_type": "decision"}
    ],
}  # fmt: skip
ENGRAM = {
    "version": "0.1.0",
    "exported_at": AT,
    "sessions": [{"id": "s1", "project": "", "started_at": AT, "summary": "Fixed the race."}],
    "observations": [
        {"id": 1, "sync_id": "o1", "session_id": "s1", "type": "bugfix", "title": "Race", "content": "A lock.",
         "scope": "project", "created_at": "2026-03-01 10:00:00"},
        {"id": 2, "sync_id": "o2", "session_id": "s1", "type": "decision", "title": "T", "content": "C",
         "created_at": AT, "deleted_at": AT},
    ],
    "prompts": [{"id": 1, "content": "do it"}],
}  # fmt: skip
BEADS = (
    {"id": "bd-1", "title": "Flaky test", "description": "It sleeps.", "status": "open", "priority": 1,
     "issue_type": "bug", "created_at": AT},
    {"id": "bd-2", "title": "Race", "status": "closed", "priority": 1, "issue_type": "bug", "created_at": AT,
     "closed_at": AT, "close_reason": "a lock", "labels": ["core"]},
    {"id": "bd-3", "title": "Gone", "status": "tombstone", "priority": 1},
)  # fmt: skip
AGENTMEMORY = {
    "version": "0.9.0",
    "exportedAt": AT,
    "sessions": [],
    "memories": [
        {"id": "m1", "createdAt": AT, "type": "preference", "title": "Style", "content": "Tabs.", "concepts": ["go"],
         "files": ["a.go"], "sessionIds": ["s"], "strength": 1, "version": 2, "isLatest": True},
        {"id": "m0", "createdAt": AT, "type": "preference", "title": "Style", "content": "Spaces.", "isLatest": False},
    ],
    "observations": {"s": [{"id": "o", "sessionId": "s", "type": "file_read", "title": "Read", "narrative": "n"}]},
    "summaries": [{"sessionId": "s", "project": "/w/x", "createdAt": AT, "title": "Sum", "narrative": "Did it."}],
}  # fmt: skip
CLAUDE_MEM = {
    "exportedAt": AT,
    "observations": [{"id": 1, "title": "T", "narrative": "N", "type": "discovery", "facts": ["f"]}],
    "summaries": [{"id": 2, "request": "Fix it", "learned": "Locks"}],
}
GRAPH = (
    {"type": "entity", "name": "Ledger", "entityType": "Service", "observations": [{"text": "Go.", "createdAt": AT}]},
    {"type": "relation", "from": "Cart", "to": "Ledger", "relationType": "calls"},
)

FILES = {
    "mem0: get_all": ("mem0", as_json(MEM0), 1, {"it has no text": 1, "a relation of its graph": 1}),
    "mem0: a list": ("mem0", as_json(MEM0["results"]), 1, {"it has no text": 1}),
    "mem0: lines": ("mem0", as_lines(*MEM0["results"]), 1, {"it has no text": 1}),
    "openmemory: memories.json": (
        "openmemory", as_json(OPEN_MEMORY), 1, {"archived there": 1, "deleted there": 1, "paused there": 1}
    ),
    "openmemory: archive": (
        "openmemory", as_archive(memories__json=as_json(OPEN_MEMORY)), 1,
        {"archived there": 1, "deleted there": 1, "paused there": 1},
    ),
    "openmemory: lines": (
        "openmemory", as_lines({"id": "1", "content": "x", "state": "active", "app": "a", "categories": ["c"]}), 1, {}
    ),
    "openmemory: items": ("openmemory", as_json({"items": [{"id": "1", "content": "x", "app_name": "a"}]}), 1, {}),
    "mcp-memory-service: export": ("mcp-memory-service", as_json(SERVICE), 1, {}),
    "mcp-memory-service: database": (
        "mcp-memory-service",
        as_database(
            "CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT, content TEXT, tags TEXT,"
            " memory_type TEXT, metadata TEXT, created_at REAL, deleted_at REAL)",
            f"INSERT INTO memories VALUES (1, 'x', 'Freeze.', 'ops', 'decision', '{{}}', {AT_MS / 1000}, NULL),"
            " (2, 'y', 'Gone.', '', 'note', '{}', 1, 2), (3, 'z', CAST(x'ff61' AS TEXT), '', '', '{', 1, NULL)",
        ),
        2,
        {"deleted there": 1},
    ),
    "engram: export": ("engram", as_json(ENGRAM), 2, {"deleted there": 1, "it is a prompt, no memory": 1}),
    "engram: database": (
        "engram",
        as_database(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, sync_id TEXT, session_id TEXT, type TEXT, title TEXT,"
            " content TEXT, project TEXT, topic_key TEXT, created_at TEXT, deleted_at TEXT)",
            "INSERT INTO observations VALUES (1, 'a', 's', 'decision', 'T', 'C', '', NULL, '2026-03-01', NULL)",
        ),
        1,
        {},
    ),
    "beads": ("beads", as_lines(*BEADS), 2, {"deleted there": 1}),
    "beads: bd list --json": ("beads", as_json(list(BEADS)), 2, {"deleted there": 1}),
    "agentmemory": (
        "agentmemory", as_json(AGENTMEMORY), 2, {"an older version": 1, "an observation of what a tool did": 1}
    ),
    "claude-mem: export": ("claude-mem", as_json(CLAUDE_MEM), 2, {}),
    "claude-mem: an old database": (
        "claude-mem",
        as_database(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT, text, type,"
            " created_at TEXT, created_at_epoch INTEGER)",
            "INSERT INTO observations VALUES (1, 's', '', 'Use Go.', 'decision', '', 1772359200)",
        ),
        1,
        {},
    ),
    "reference-server": ("reference-server", as_lines(*GRAPH), 2, {}),
    "reference-server: read_graph": (
        "reference-server", as_json({"entities": [GRAPH[0]], "relations": [GRAPH[1]]}), 2, {}
    ),
}  # fmt: skip


def imported(path: Path, page: int = 100) -> tuple[str, list[Incoming], list[LeftOut]]:
    """Return what an import would read of *path*, page by page."""
    name = format_of(path)
    records: list[Incoming] = []
    left: list[LeftOut] = []
    place: int | None = 0
    while place is not None:
        batch = SOURCES[name].batch_of(path, place, page)
        records += batch.records
        left += batch.left
        place = batch.next
    forget()
    return name, records, left


def counted(left: list[LeftOut]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in left:
        counts[each.reason] = counts.get(each.reason, 0) + each.number
    return counts


@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize("page", [1, 100])
def test_a_file_is_known_by_its_content_and_all_of_it_is_taken_or_left_with_a_reason(tmp_path, case: str, page: int):
    """Whatever it is called, in pages of one record and at once."""
    source, data, taken, left = FILES[case]
    path = tmp_path / "whatever.bin"
    path.write_bytes(data)
    name, records, left_out = imported(path, page)
    assert (name, len(records), counted(left_out)) == (source, taken, left)
    assert len({record.origin for record in records}) == taken
    assert all(record.content.strip() and mend_surrogates(record.content) == record.content for record in records)


JSON_FILES = [case for case in FILES if FILES[case][1][:1] in b"[{"]
FORMS = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines before": lambda data: b"\n\n" + data,
    "indented": lambda data: json.dumps(json.loads(data), indent=2).encode() if b"\n" not in data.strip() else data,
}


@pytest.mark.parametrize("case", JSON_FILES)
@pytest.mark.parametrize("form", FORMS)
def test_how_a_file_is_written_does_not_matter(tmp_path, case: str, form: str):
    path, other = tmp_path / "one", tmp_path / "two"
    path.write_bytes(FILES[case][1])
    other.write_bytes(FORMS[form](FILES[case][1]))
    name, records, left = imported(path)
    other_name, other_records, other_left = imported(other)
    assert (other_name, other_records, counted(other_left)) == (name, records, counted(left))


@pytest.mark.parametrize(
    "case", [case for case in JSON_FILES if "lines" in case or case in ("beads", "reference-server")]
)
def test_a_first_line_that_is_long_or_broken_hides_nothing(tmp_path, case: str):
    """The format is that of the records that are there; the broken line is told."""
    source, data, taken, _ = FILES[case]
    path = tmp_path / "lines"
    path.write_bytes(b'{"cut": "' + b"x" * 100_000 + b"\n" + data)
    name, records, left = imported(path)
    assert (name, len(records)) == (source, taken)
    assert left[0] == LeftOut("line 1", "it is no JSON")


odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
RECORDS = {
    "mem0": (MEM0["results"][0], lambda records: as_lines(*records)),
    "openmemory": (OPEN_MEMORY["memories"][0], lambda records: as_json({"memories": records})),
    "mcp-memory-service": (
        SERVICE["memories"][0],
        lambda records: as_json({"export_metadata": {}, "memories": records}),
    ),
    "engram": (ENGRAM["observations"][0], lambda records: as_json({"exported_at": AT, "observations": records})),
    "beads": (BEADS[0], lambda records: as_lines(*records)),
    "agentmemory": (AGENTMEMORY["memories"][0], lambda records: as_json({"memories": records, "observations": {}})),
    "claude-mem": (CLAUDE_MEM["observations"][0], lambda records: as_json({"observations": records})),
    "reference-server": (GRAPH[0], lambda records: as_lines(*records)),
}


@pytest.mark.parametrize("source", RECORDS)
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_bad_record_is_left_out_and_its_neighbours_come_in(tmp_path, source: str, data):
    """Values of any type in any field, records that are no objects, halves of characters."""
    record, written = RECORDS[source]
    changes = data.draw(st.dictionaries(st.sampled_from(sorted(record)), odd_values, max_size=4))
    odd = data.draw(st.sampled_from([record | changes, record | changes, 5, [], "x", None]))
    (tmp_path / "export").write_bytes(written([record, odd, record | {"id": "last", "name": "Last"}]))
    name, records, left = imported(tmp_path / "export")
    assert name == source
    assert {records[0].origin, records[-1].origin} <= {each.origin for each in records}
    assert any(each.title == records[0].title and each.content for each in records)
    for each in records:
        json.dumps(each.content, ensure_ascii=False).encode()
        assert "\0" not in each.content + each.title + "".join(each.tags)
    assert len(records) + len(left) >= 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(b"{}", mtime=0), "unpack it first"),
        (as_archive(other__txt=b"x"), "unpack it first"),
        (b"PK\x03\x04broken", "the archive cannot be read"),
        (b"", "it is empty"),
        (b"{}", UNKNOWN),
        (b"[]", UNKNOWN),
        (b"\0\1\2", UNKNOWN),
        (as_json({"memories": "x"}), UNKNOWN),
        (as_database("CREATE TABLE t (x)"), UNKNOWN),
        (b"SQLite format 3\0" + b"x" * 100, "the database cannot be"),
    ],
)
def test_what_is_nothing_known_is_refused_with_what_there_is(tmp_path, data: bytes, said: str):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(ValueError, match=" ") as refused:
        format_of(tmp_path / "file")
    assert said in str(refused.value)
    assert all(name in UNKNOWN for name in SOURCES)


OF_ANOTHER_PACKAGE = """
from palimp_neighbours.transfer.daemon.importer import Records
from palimp_neighbours.transfer.daemon.record import Note

IMPORTER = Records("diary", lambda look: "diary" in look.fields, lambda fields: Note("", "", fields["diary"]))
"""


def test_another_package_adds_its_importer(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """It is asked before ours, by content and by name; one that cannot be loaded is named."""
    (tmp_path / "diaries.py").write_text(OF_ANOTHER_PACKAGE)
    (tmp_path / "diaries-1.dist-info").mkdir()
    (tmp_path / "diaries-1.dist-info" / "METADATA").write_text("Name: diaries\nVersion: 1\n")
    points = tmp_path / "diaries-1.dist-info" / "entry_points.txt"
    points.write_text("[palimp.importers]\ndiary = diaries:IMPORTER\n")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "file").write_bytes(as_json({"diary": "It rained."}))
    assert format_of(tmp_path / "file") == "diary"
    [record] = batch_of(tmp_path / "file", "diary", 0, 10).records
    assert (record.content, record.source) == ("It rained.", "diary")
    points.write_text("[palimp.importers]\ndiary = diaries:NOTHING\n")
    with pytest.raises(ValueError, match=r"'diary' .diaries:NOTHING. cannot be loaded"):
        format_of(tmp_path / "file")


def test_a_format_that_nobody_reads_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(ValueError, match=r"no format is called 'papyrus'; there are: palimp, .*markdown"):
        batch_of(tmp_path, "papyrus", 0, 10)


def test_kinds_tags_and_times_are_carried_over(tmp_path):
    found = {}
    for case in ("mem0: get_all", "openmemory: archive", "mcp-memory-service: export", "engram: export", "beads"):
        (tmp_path / "file").write_bytes(FILES[case][1])
        found[case] = imported(tmp_path / "file")[1]
    assert [(each.kind, each.tags, each.created_at) for each in found["mem0: get_all"]] == [
        ("preference", ("preference",), AT_MS)
    ]
    assert [(each.tags, each.created_at) for each in found["openmemory: archive"]] == [(("tools",), AT_MS)]
    assert [(each.kind, each.tags, each.created_at) for each in found["mcp-memory-service: export"]] == [
        ("decision", ("ops", "ci"), AT_MS)
    ]
    assert [(each.kind, each.created_at) for each in found["engram: export"]] == [("fix", AT_MS), ("summary", AT_MS)]
    flaky, race = found["beads"]
    assert (flaky.kind, flaky.tags, race.kind, race.tags) == (
        "finding",
        ("bug", "open"),
        "fix",
        ("core", "bug", "closed"),
    )
    assert flaky.content == "Flaky test\nIt sleeps.\nStatus: open"
    assert race.content.endswith("Status: closed on 2026-03-01 (a lock)")


# --- folders of notes -------------------------------------------------------------------------------


def vault(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(path.suffix or ".md").write_text(text)
    return folder


def test_an_obsidian_vault_is_read(tmp_path):
    """With tags in the text, links as words; without settings, trash, templates, drawings and attachments."""
    folder = vault(
        tmp_path,
        **{
            ".obsidian__templates.json": '{"folder": "Meta/Tpl"}',
            ".trash__gone": "Gone.",
            "Meta__Tpl__daily": "{{date}}",
            "sketch": "---\nexcalidraw-plugin: parsed\n---\nx",
            "image.png": "x",
            "note": "---\ntags:\n  - api\n  - 'a # b'\naliases: [N]\n---\nUse [[Ledger|the ledger]] and [[Cart]]."
            " #ops/ci\n\n# Heading\n\n`#no` https://x.org/#no\n",
        },
    )
    name, [note], left = imported(folder)
    assert (name, note.tags) == ("obsidian", ("api", "a # b", "ops/ci"))
    assert note.content.startswith("Use the ledger and Cart.")
    assert counted(left) == {"it is a template": 1, "it is a drawing or a board": 1, "of another kind (.png)": 1}


def test_basic_memory_s_notes_are_read(tmp_path):
    """The kind is that of the observations; a note that was moved is the same note."""
    text = (
        "---\ntitle: Storage\ntype: note\npermalink: main/storage\ntags:\n- db\n---\n\n# Storage\n\n## Observations\n"
        "- [decision] We use WAL #sqlite (since 2026)\n\n## Relations\n- part_of [[System]]\n"
    )
    folder = vault(tmp_path / "one", storage=text)
    name, [note], _ = imported(folder)
    assert (name, note.title, note.kind) == ("basic-memory", "Storage", "decision")
    assert note.tags == ("db", "sqlite", "decision")
    assert "part_of System" in note.content
    [moved] = imported(vault(tmp_path / "two", deep__storage=text))[1]
    assert moved.origin == note.origin


def test_a_folder_with_very_many_files_is_no_folder_of_notes(tmp_path, monkeypatch):
    """Somebody named a whole disk."""
    monkeypatch.setattr(markdown_notes, "IMPORT_ENTRIES_MAX", 3)
    assert len(imported(vault(tmp_path / "few", one="One is so.", two="Two is so."))[1]) == 2
    (tmp_path / "few" / "a.png").touch()
    (tmp_path / "few" / "b.png").touch()
    with pytest.raises(ValueError, match="more than 3 files"):
        imported(tmp_path / "few")


def test_a_folder_of_beads_is_known(tmp_path):
    (tmp_path / "issues.jsonl").write_bytes(FILES["beads"][1])
    assert imported(tmp_path)[0] == "beads"


file_names = st.binary(min_size=1, max_size=12).filter(
    lambda name: not set(name) & {0, 0x2F} and not name.startswith(b".") and name.strip(b". ")
)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(names=st.sets(file_names, min_size=1, max_size=4))
def test_a_vault_s_files_may_be_called_anything(tmp_path_factory, names):
    """Bytes that are no UTF-8 among them; each is a note of its own."""
    folder = tmp_path_factory.mktemp("vault")
    for name in names:
        (Path(str(folder)) / (name + b".md").decode("utf-8", "surrogateescape")).write_text(f"About {len(name)}.")
    name, records, _ = imported(folder)
    assert (name, len({record.origin for record in records})) == ("markdown", len(names))
    for record in records:
        (record.origin + record.title).encode()


@pytest.mark.parametrize(
    ("matter", "tags"),
    [
        ("tags: [a, b]", ("a", "b")),
        ("tags:\n  - a\n  - 'b'", ("a", "b")),
        ('tags:\n- a # a comment\n- "b"', ("a", "b")),
        ("tags: a, b", ("a", "b")),
        ("tags: '#a #b'", ("a", "b")),
        ("Tags: a b", ("a", "b")),
        ("title: 'no: end\ntags: a", ("a",)),
        ("x: &x [1]\ntags: [a, *x]", ("a", "1")),
        ("x: !!python/object/apply:os.system ['true']\ntags: a", ("a",)),
    ],
)
def test_front_matter_is_yaml(matter: str, tags):
    assert tags_of(parts_of(f"---\n{matter}\n---\nBody\n").facts, "tags") == tags
    assert parts_of(f"---\n{matter}\n---\nBody\n").body == "Body\n"


def test_values_of_front_matter_stay_texts():
    facts = parts_of('---\ntitle: "C# # notes: all"\ncreated: 2026-03-01\nyes: no\n---\n').facts
    assert (text_of(facts, "title"), text_of(facts, "created"), facts["yes"]) == ("C# # notes: all", "2026-03-01", "no")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_front_matter_is_survived_and_nothing_else_is_lost(text: str):
    assert parts_of(text).body == text or text.startswith("---")
    parts = parts_of(f"---\n{text}\n---\nBody\n")
    assert parts.body.endswith("Body\n")


@given(odd_values)
def test_values_are_told_in_words(value):
    """Never as Python writes them."""
    text, given_ = in_words(value), json.dumps(value, ensure_ascii=False)
    for mark in ("{'", "['", "None", "True", "False"):
        assert mark not in text or mark in given_


@given(odd_values)
def test_any_value_is_a_time_or_none(value):
    found = time_of(value)
    assert found is None or isinstance(found, int)


@given(st.text(st.sampled_from("a\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e "), min_size=1, max_size=9))
def test_only_line_feeds_end_the_lines_of_a_file(tmp_path_factory, text: str):
    """JSON holds the other characters at which Python splits lines as they are."""
    path = tmp_path_factory.mktemp("lines") / "graph"
    entity = {"type": "entity", "name": "N", "entityType": "T", "observations": [f"x{text}y"]}
    escaped = json.dumps([entity, entity | {"name": "M"}], ensure_ascii=False)[1:-1].replace("}, {", "}\n{")
    path.write_text(escaped)
    _, records, left = imported(path)
    assert [record.content for record in records] == [f"x{text}y"] * 2
    assert left == []


def test_claude_code_s_own_notes_come_in_with_their_description_and_without_the_index(tmp_path):
    front = "---\nname: freeze\ndescription: Issue 800, the gateway freeze\nmetadata:\n  type: feedback\n---\n"
    files = {"freeze.md": f"{front}\nOn Tuesday only.\n", "MEMORY.md": "# Memory\n- [A](freeze.md) — on Tuesday.\n"}
    folder = vault(tmp_path / "memory", **files)
    _, records, left = imported(folder)
    assert [(each.title, each.content, each.kind) for each in records] == [
        ("Issue 800, the gateway freeze", "Issue 800, the gateway freeze\n\nOn Tuesday only.", "preference")
    ]
    assert [(each.place, each.reason) for each in left] == [("MEMORY.md", "it only names the other notes")]


@pytest.mark.parametrize(
    "index",
    [
        "# Index\n\n| file | what |\n|---|:--|\n| [a](a.md) | tokens |\n| x | [b](b/c.md) |\n",
        "## Feedback\n- **[A](a.md)** — x\n1. [[a]] y\n\n## Project\n",
        "\n* [A](<a b>.md)\n| a | b |\n|--|--|\n| [A](a.md) | |\n",
    ],
)
def test_an_index_of_another_form_is_no_note_either(tmp_path, index: str):
    folder = vault(tmp_path / "memory", **{"MEMORY.md": index, "a.md": "A."})
    assert [each.content for each in imported(folder)[1]] == ["A."]


def test_a_table_that_says_more_than_where_notes_are_comes_in(tmp_path):
    table = "| host | what |\n|---|---|\n| [a](a.md) | note |\n| db1 | primary |\n"
    folder = vault(tmp_path / "memory", **{"MEMORY.md": table, "a.md": "A."})
    assert any("db1" in each.content and "a.md" not in each.content for each in imported(folder)[1])


def test_what_else_an_index_says_comes_in(tmp_path):
    folder = vault(tmp_path / "memory", **{"MEMORY.md": "# Memory\n- [A](a.md) — x\n\nWe use pnpm.\n", "a.md": "A."})
    assert any("We use pnpm." in each.content and "a.md" not in each.content for each in imported(folder)[1])


def test_what_a_file_holds_is_taken_apart_once_however_many_pages_it_has(tmp_path, monkeypatch):
    taken_apart = 0

    def counted(*arguments):
        nonlocal taken_apart
        taken_apart += 1
        return pieces_of(*arguments)

    monkeypatch.setattr(module, "pieces_of", counted)
    memories = [{"id": str(number), "memory": f"Memory number {number}."} for number in range(60)]
    (tmp_path / "mem0.json").write_bytes(as_json({"results": memories}))

    _, records, _ = imported(tmp_path / "mem0.json", page=7)

    assert [each.content for each in records] == [each["memory"] for each in memories]
    assert taken_apart == len(memories)


def test_a_file_that_is_changed_between_two_imports_is_read_anew(tmp_path):
    for text in ("First.", "Second, longer."):
        (tmp_path / "mem0.json").write_bytes(as_json([{"id": "1", "memory": text}]))
        batch = SOURCES["mem0"].batch_of(tmp_path / "mem0.json", 0, 10)
        assert [each.content for each in batch.records] == [text]


LONG = "word " * 15_000
"""Several memories long."""


def as_notes(*texts: str) -> dict[str, bytes]:
    rows = [f"({number}, '{text}')" for number, text in enumerate(texts)]
    table = "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id, project, narrative, type, title)"
    return {
        "notes.json": as_json({"results": [{"id": str(n), "memory": text} for n, text in enumerate(texts)]}),
        "notes.db": as_database(
            table,
            f"INSERT INTO observations (id, narrative) VALUES {', '.join(rows)}",
            "CREATE TABLE sdk_sessions (id)",
        ),
    }


def test_a_page_ends_behind_as_much_as_one_note_may_hold_and_a_longer_note_is_left_out(tmp_path, monkeypatch):
    """So that what other programs wrote, however much in one piece, keeps nobody waiting."""
    for importing in (module, markdown_notes, importer):
        monkeypatch.setattr(importing, "IMPORT_NOTE_CHARACTERS_MAX", len(LONG) + 10)
    texts = [LONG, "short", LONG, LONG + "beyond the bound", "last"]
    for name, data in as_notes(*texts).items():
        (tmp_path / name).write_bytes(data)
    for number, text in enumerate(texts):
        (tmp_path / "folder").mkdir(exist_ok=True)
        (tmp_path / "folder" / f"{number}.md").write_text(text, encoding="utf-8")
    for name in ("notes.json", "notes.db", "folder"):
        path, place, kept, left, sizes = tmp_path / name, 0, [], [], []
        while place is not None:
            batch = batch_of(path, format_of(path), place, 100)
            kept += batch.records
            left += batch.left
            sizes.append(sum(len(each.content) for each in batch.records))
            place = batch.next
        assert max(sizes) < 2 * len(LONG), name
        assert len(sizes) > 1, name
        whole = "".join(each.content for each in kept)
        assert ("short" in whole, "last" in whole, "beyond" in whole) == (True, True, False), name
        assert [each.reason.startswith("it has more than") for each in left] == [True], name
