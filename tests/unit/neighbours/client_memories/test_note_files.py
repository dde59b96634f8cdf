"""What is read of Claude Code's notes: all that can be, without secrets, whatever stands in their folder."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from claude_notes import ClaudeHome, set_changed
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.redact import Redactor
from palimp_neighbours.client_memories.daemon import note_files
from palimp_neighbours.client_memories.daemon.note_files import (
    BYTES_MAX,
    ENTRIES_MAX,
    FILE_BYTES_MAX,
    FILES_MAX,
    FRONT_CHARACTERS_MAX,
    SUBFOLDERS_MAX,
    Note,
    read_notes,
)

SECRET = "AKIA" + "IOSFODNN7ABCDEFG"
NONE: Mapping[str, Note] = {}


def read(folder: Path, known: Mapping[str, Note] = NONE) -> dict[str, Note]:
    """Return what is read, by the names of files."""
    found = read_notes([folder], known, Redactor())
    assert not found.left_out
    return {str(Path(path).relative_to(folder)): note for path, note in found.notes.items()}


def note_of(folder: Path, data: bytes | str, name: str = "a.md") -> Note:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read(folder)[name]


# --- one note ------------------------------------------------------------------------------------


def test_a_note_is_read_as_claude_code_writes_it(claude: ClaudeHome, root: Path):
    claude.note(root, "deploys", "Never on Fridays.\n**Why:** support is away.", "when to deploy", "feedback")
    note = read(claude.memory(root))["deploys.md"]
    assert note.title == "deploys: when to deploy"
    assert note.content == "Never on Fridays.\n**Why:** support is away."
    assert list(note.tags) == ["feedback"]


def test_the_type_of_older_notes_stands_beside_their_name(tmp_path: Path):
    note = note_of(tmp_path, "---\nname: Who she is\ndescription: her role\ntype: user\n---\nA data scientist.\n")
    assert (note.title, note.content, list(note.tags)) == ("Who she is: her role", "A data scientist.", ["user"])


@pytest.mark.parametrize(
    ("text", "title", "content"),
    [
        ("Never deploy on Fridays. Ask Ada.", "Never deploy on Fridays", "Never deploy on Fridays. Ask Ada."),
        ("---\nname: a\n", "name: a", "---\nname: a"),
        ("---\nname: [a\ndescription: b: c: d\n---\nText", "a: b: c: d", "Text"),
        ("---\nname: a\n---\n", "", ""),
        ("---\ndescription: only this\n---\n", "only this", "only this"),
        ("---\n- a\n- b\n---\nText", "Text", "Text"),
        ("---\nname: {x: 1}\nmetadata: [type]\n---\nText", "Text", "Text"),
        ("---\nname: a\nmetadata:\n  type: two words\n---\nText", "a", "Text"),
        ("---\r\nname: a\r\n---\r\nOne\r\nTwo\rThree", "a", "One\nTwo\nThree"),
        ("\ufeff---\nname: a\n---\nText", "a", "Text"),
        ("---\nname: " + "x" * FRONT_CHARACTERS_MAX + "\n---\nText", None, None),
        ("---\n" + "[" * 3_000 + "\n---\nText", "Text", "Text"),
        ("---\na: &a [x]\nname: *b\n---\nText", "*b", "Text"),
        ("   \n\n", "", ""),
        ("", "", ""),
        (
            "決めた: 金曜日にはデプロイしない。",
            "決めた: 金曜日にはデプロイしない",
            "決めた: 金曜日にはデプロイしない。",
        ),
    ],
)
def test_a_note_is_read_as_far_as_it_can_be(tmp_path: Path, text: str, title: str | None, content: str | None):
    note = note_of(tmp_path, text)
    if title is None:
        assert note.content.startswith("---")
    else:
        assert (note.title, note.content) == (title, content)
    assert list(note.tags) == []


def test_the_title_is_one_clean_line(tmp_path: Path):
    note = note_of(tmp_path, '---\nname: "a\\nb\\e[31m\u202ec"\ndescription: |\n  two\n  lines\n---\nText')
    assert note.title == "a bc: two lines"


def test_secrets_and_what_is_private_are_left_out_of_all_of_it(tmp_path: Path):
    text = f"---\nname: a {SECRET}\ndescription: key {SECRET}\n---\nUse {SECRET}.\n<private>Her salary.</private>\n"
    note = note_of(tmp_path, text)
    assert SECRET not in str(note)
    assert "salary" not in str(note)
    assert note.content == "Use <redacted:aws-key>."


def test_of_a_long_note_the_beginning_is_read_and_no_half_of_a_secret(tmp_path: Path):
    words = "The queue is in Redis. " * (FILE_BYTES_MAX // 23)
    before = words[: FILE_BYTES_MAX - 10]
    note = note_of(tmp_path, f"{before}{SECRET} and more")
    assert note.content.endswith(" […]")
    assert SECRET[:10] not in note.content
    assert FILE_BYTES_MAX * 0.9 < len(note.content) < FILE_BYTES_MAX


def test_a_giant_file_takes_no_longer(tmp_path: Path):
    with (tmp_path / "a.md").open("wb") as file:
        file.write(b"A note that is very long. " * 4_000)
        file.truncate(2**40)
    assert read(tmp_path)["a.md"].content.startswith("A note that is very long.")


def test_what_is_no_utf_8_does_not_hide_the_rest(tmp_path: Path):
    note = note_of(tmp_path, b"---\nname: caf\xe9\n---\nThe caf\xe9 \x00opens at nine.\xf0\x9f")
    assert note.title == "caf\ufffd"
    assert note.content == "The caf\ufffd \ufffdopens at nine.\ufffd"


@given(st.binary(max_size=200))
def test_no_bytes_are_too_much(data: bytes):
    file = note_files.File("/x/MEMORY.md", note_files.FileState(0, 0))
    note = note_files.note_in(file, data.decode("utf-8", "replace"), Redactor())
    assert "\n" not in note.title


# --- the index -----------------------------------------------------------------------------------


def test_lines_of_the_index_are_left_out_since_the_notes_say_it(tmp_path: Path):
    index = "# Memory\n\n- [Deploys](deploys.md) — never on Fridays\n* [Team](team/ada.md) - Ada\n\n## More\n"
    index += "1. [Disks](disks.md): full\n- [[queue]] the mail's\n"
    assert note_of(tmp_path, index, "MEMORY.md").content == ""


def test_what_else_stands_in_the_index_is_a_note(tmp_path: Path):
    """As in versions that kept everything there."""
    index = (
        "# Notes\n- [Deploys](deploys.md) — on Fridays\n- Tests need Redis\n- [Site](https://a.example/b.md) is down\n"
    )
    content = note_of(tmp_path, index, "MEMORY.md").content
    assert "Fridays" not in content
    assert "- Tests need Redis" in content
    assert "Site" in content


def test_in_other_notes_such_lines_stay(tmp_path: Path):
    assert "Deploys" in note_of(tmp_path, "- [Deploys](deploys.md) — never", "links.md").content


# --- the folder ----------------------------------------------------------------------------------


def test_the_folder_of_a_team_is_read_and_nothing_deeper_or_hidden(tmp_path: Path):
    for name in ("a.md", "team/b.md", "team/deep/c.md", ".d.md", ".hidden/e.md", "f.txt", "logs/2026/g.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert sorted(read(tmp_path)) == ["a.md", "team/b.md"]


def test_links_pipes_and_devices_are_not_opened(tmp_path: Path):
    """A link may lead to another project's notes, and a pipe would be waited for."""
    secret, folder = tmp_path / "secret.md", tmp_path / "memory"
    secret.write_text("Another project's.")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "b.md").write_text("Another project's.")
    folder.mkdir()
    (folder / "link.md").symlink_to(secret)
    (folder / "gone.md").symlink_to("nowhere")
    (folder / "null.md").symlink_to("/dev/zero")
    (folder / "others").symlink_to(tmp_path / "others")
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    (folder / "good.md").write_text("Ours.")
    found = read_notes([folder], {}, Redactor())
    assert [note.content for note in found.notes.values()] == ["Ours."]
    assert len(found.left_out) == 4
    assert all("plain file" in each for each in found.left_out)


def test_a_file_that_becomes_a_link_meanwhile_is_not_followed(tmp_path: Path):
    (tmp_path / "secret").write_text("Another project's.")
    (tmp_path / "a.md").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic link"):
        note_files.read_note(note_files.File(str(tmp_path / "a.md"), note_files.FileState(0, 0)), Redactor())


def test_what_may_not_be_read_is_said_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("Text.")
    whole = note_files.open_plain

    def refuse(path: Path, **more):
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return whole(path, **more)

    monkeypatch.setattr(note_files, "open_plain", refuse)
    found = read_notes([tmp_path], {}, Redactor())
    assert [Path(path).name for path in found.notes] == ["b.md"]
    assert found.left_out == [f"'{tmp_path / 'a.md'}': Permission denied"]


def test_a_folder_that_is_gone_has_no_notes(tmp_path: Path):
    found = read_notes([tmp_path / "gone"], {}, Redactor())
    assert (found.notes, len(found.left_out)) == ({}, 1)


def test_a_name_that_is_no_text_is_read_all_the_same(tmp_path: Path):
    (tmp_path / os.fsdecode(b"caf\xe9\n.md")).write_text("Text.")
    assert [note.content for note in read(tmp_path).values()] == ["Text."]


# --- bounds --------------------------------------------------------------------------------------


def test_the_newest_notes_are_read_and_what_is_left_out_is_said(tmp_path: Path):
    for number in range(FILES_MAX + 3):
        (tmp_path / f"{number}.md").write_text(f"Note {number}.")
        set_changed(tmp_path / f"{number}.md", number)
    found = read_notes([tmp_path], {}, Redactor())
    assert [Path(path).stem for path in found.notes] == [str(number) for number in range(FILES_MAX)]
    assert found.left_out == [f"3 files beyond the newest {FILES_MAX}"]


def test_no_more_bytes_are_read_than_some(tmp_path: Path):
    count = BYTES_MAX // FILE_BYTES_MAX
    for number in range(count + 2):
        (tmp_path / f"{number}.md").write_bytes(b"a " * (FILE_BYTES_MAX // 2))
        set_changed(tmp_path / f"{number}.md", number)
    found = read_notes([tmp_path], {}, str)
    assert len(found.notes) == count
    assert found.left_out == [f"2 files beyond the newest {BYTES_MAX:,} bytes"]


def test_not_all_entries_and_folders_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert ENTRIES_MAX >= 10 * FILES_MAX
    for number in range(SUBFOLDERS_MAX + 2):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / "a.md").write_text("Text.")
    assert len(read(tmp_path)) == SUBFOLDERS_MAX
    monkeypatch.setattr(note_files, "ENTRIES_MAX", 5)
    found = read_notes([tmp_path], {}, Redactor())
    assert len(found.notes) <= 5
    assert "beyond 5 entries" in found.left_out[0]


def test_a_file_is_read_again_only_when_its_state_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("Text.")
    known = read_notes([tmp_path], {}, Redactor()).notes
    opened: list[str] = []
    whole = note_files.open_plain
    monkeypatch.setattr(note_files, "open_plain", lambda path, **more: opened.append(path.name) or whole(path, **more))
    assert read_notes([tmp_path], known, Redactor()).notes == known
    assert opened == []
    (tmp_path / "b.md").write_text("Another text.")
    assert len(read_notes([tmp_path], known, Redactor()).notes) == 2
    assert opened == ["b.md"]
