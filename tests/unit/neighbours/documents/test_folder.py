"""The folder of documents: files and index agree, whatever happens, and nothing leads out of it."""

import contextlib
import errno
import json
import os
import resource
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_neighbours.documents.daemon.folder import INDEX, Entry, Folder, folder_of
from palimp_neighbours.documents.daemon.folder_adoption import adoptable, markdown_below
from palimp_neighbours.documents.daemon.slug import checked_slug, slug_of_path
from palimp_protocol.errors import ErrorCode, PalimpError


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "docs")


def index(folder: Folder) -> dict:
    return json.loads((folder.path / "index.json").read_text())


@pytest.mark.parametrize("slug", ["a", "api-guide", "v2", "a" * 80, "a--b"])
def test_slugs_that_are_allowed(slug: str):
    """Letters, digits, inner hyphens."""
    assert checked_slug(slug) == slug


@pytest.mark.parametrize(
    "slug",
    ["", "A", "a_b", "-a", "a-", "a/b", "../x", "a.md", "a" * 81, "ä", "a b", "a\n", "．．", "con\0", "१"],
)
def test_hostile_slugs_are_refused_with_the_rule(slug: str):
    """Before a path is built."""
    with pytest.raises(PalimpError) as caught:
        checked_slug(slug)

    assert "lower-case letters" in caught.value.hint


@pytest.mark.parametrize(
    ("path", "slug"),
    [("README.md", "readme"), ("guides/Über uns.md", "guides-uber-uns"), ("a/b/c_d.md", "a-b-c-d"), ("日本.md", "")],
)
def test_nested_folders_become_hyphenated_slugs(path: str, slug: str):
    """Accents go, what is no letter becomes a hyphen."""
    assert slug_of_path(path) == slug


def test_a_document_is_added_read_edited_and_deleted(folder: Folder):
    """File and index together."""
    folder.add("one", "One", "First.\n")
    assert folder.text(folder.entry("one")) == "First.\n"
    assert index(folder) == {"schemaVersion": 1, "docs": [{"slug": "one", "title": "One"}]}

    assert folder.edit("one", "Second.", "New").title == "New"
    assert (folder.path / "one.md").read_text() == "Second."
    assert index(folder)["docs"] == [{"slug": "one", "title": "New"}]

    assert folder.delete("one")
    assert not (folder.path / "one.md").exists()
    assert index(folder)["docs"] == []


def test_a_slug_in_the_index_is_taken(folder: Folder):
    """It is edited, not added."""
    folder.add("one", "One", "First.")

    with pytest.raises(PalimpError, match="exists already"):
        folder.add("one", "Other", "Second.")


def test_a_file_outside_the_index_is_not_overwritten(folder: Folder):
    """Somebody put it there."""
    folder.path.mkdir()
    (folder.path / "one.md").write_text("Theirs.")

    with pytest.raises(PalimpError, match="the index does not know"):
        folder.add("one", "One", "Mine.")
    assert (folder.path / "one.md").read_text() == "Theirs."


def test_a_missing_file_is_not_an_error_of_delete(folder: Folder):
    """It says so."""
    folder.add("one", "One", "First.")
    (folder.path / "one.md").unlink()

    assert not folder.delete("one")


def test_a_document_whose_file_cannot_be_removed_stays_listed(folder: Folder, monkeypatch):
    """And the error says so; where not even that is possible, it says what is left and what to do."""
    folder.add("one", "One", "First.")
    before = (folder.path / INDEX).read_text()

    def refuse(path: Path, missing_ok: bool = False) -> None:  # noqa: FBT002  as pathlib has it
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(PalimpError, match=r"one.md' cannot be removed: Permission denied") as refused:
            folder.delete("one")
    assert refused.value.hint == "The document is listed as before."
    assert (folder.path / INDEX).read_text() == before
    assert folder.text(folder.entry("one")) == "First."

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        patched.setattr(folder, "_write_index", failing_after(folder._write_index, 1))
        with pytest.raises(PalimpError) as refused:
            folder.delete("one")
    assert "`palimp docs repair`" in refused.value.hint
    assert folder.repair()
    assert list(folder.entries()) == ["one"]


def test_what_cannot_be_listed_is_not_left_behind(folder: Folder, monkeypatch):
    monkeypatch.setattr(folder, "_write_index", failing_after(folder._write_index, 0))
    with pytest.raises(PalimpError, match="No space"):
        folder.add("one", "One", "First.")
    assert not (folder.path / "one.md").exists()


def test_an_edit_whose_title_cannot_be_written_says_that_the_text_was(folder: Folder, monkeypatch):
    folder.add("one", "One", "First.")
    monkeypatch.setattr(folder, "_write_index", failing_after(folder._write_index, 0))
    with pytest.raises(PalimpError) as refused:
        folder.edit("one", "Second.", "Two")
    assert "The new text was written" in refused.value.hint
    assert (folder.path / "one.md").read_text() == "Second."


def failing_after(write, calls: int):
    """Return *write*, which fails after so many *calls*."""
    left = iter(range(calls))

    def write_or_fail(index) -> None:
        if next(left, None) is None:
            raise PalimpError(ErrorCode.STORE_UNAVAILABLE, "No space is left.", "Nothing was changed.")
        write(index)

    return write_or_fail


def test_an_unknown_slug_is_an_error_that_names_the_known_ones(folder: Folder):
    """For edit and delete as for read."""
    folder.add("known", "One", "First.")

    for act in (lambda: folder.edit("other", "x", None), lambda: folder.delete("other"), lambda: folder.entry("other")):
        with pytest.raises(PalimpError) as caught:
            act()
        assert "known" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"schemaVersion": 1,\n "docs": [}', "line 2"),
        ("[]", "not an object"),
        ('{"docs": {}}', "not a list"),
        ('{"schemaVersion": 2, "docs": []}', "schemaVersion is 2"),
        ("\xff", "broken"),
    ],
)
def test_a_broken_index_is_named_and_never_overwritten(folder: Folder, text: str, why: str):
    """Not even by add."""
    folder.path.mkdir()
    (folder.path / "index.json").write_bytes(text.encode("latin-1"))

    for act in (folder.entries, lambda: folder.add("one", "One", "x"), folder.repair):
        with pytest.raises(PalimpError, match=why):
            act()
    assert (folder.path / "index.json").read_bytes() == text.encode("latin-1")


def test_unknown_keys_of_the_index_are_kept(folder: Folder):
    """Other programs may have put them there."""
    folder.path.mkdir()
    row = {"slug": "one", "title": "One", "owner": "ann"}
    (folder.path / "one.md").write_text("x")
    (folder.path / "index.json").write_text(json.dumps({"schemaVersion": 1, "site": {"a": 1}, "docs": [row]}))

    folder.add("two", "Two", "y")
    folder.edit("one", "z", "Uno")

    assert index(folder)["site"] == {"a": 1}
    assert index(folder)["docs"][0] == row | {"title": "Uno"}


def test_symbolic_links_out_of_the_folder_are_refused(folder: Folder, tmp_path: Path):
    """To read and to write."""
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    folder.add("one", "One", "First.")
    (folder.path / "one.md").unlink()
    (folder.path / "one.md").symlink_to(secret)

    for act in (
        lambda: folder.text(folder.entry("one")),
        lambda: folder.edit("one", "x", None),
        lambda: folder.delete("one"),
    ):
        with pytest.raises(PalimpError, match="leads out"):
            act()
    assert secret.read_text() == "secret"
    (folder.path / "two.md").symlink_to(tmp_path / "new.md")
    with pytest.raises(PalimpError, match="does not know"):
        folder.add("two", "Two", "x")


def test_a_file_of_the_index_cannot_lead_out(folder: Folder, tmp_path: Path):
    """Whoever wrote it there."""
    (tmp_path / "secret.md").write_text("secret")
    folder.path.mkdir()
    rows = [{"slug": "one", "title": "One", "file": "../secret.md"}]
    (folder.path / "index.json").write_text(json.dumps({"schemaVersion": 1, "docs": rows}))

    with pytest.raises(PalimpError, match="leads out"):
        folder.text(folder.entry("one"))


@pytest.mark.parametrize("step", range(1, 7))
def test_a_crash_at_any_step_of_a_write_is_reported_and_mended(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, step: int
):
    """After it, the text is the old one or the new one, and repair makes index and folder agree."""
    folder.add("old", "Old", "Old text.")
    steps = iter(range(1, 100))

    def crashing(original):
        def act(*arguments, **named):
            if next(steps) == step:
                raise KeyboardInterrupt
            return original(*arguments, **named)

        return act

    monkeypatch.setattr(os, "fsync", crashing(os.fsync))
    monkeypatch.setattr(Path, "replace", crashing(Path.replace))
    with contextlib.suppress(KeyboardInterrupt):
        folder.add("new", "New", "New text.")
    monkeypatch.undo()

    notes = folder.disagreements()
    done = folder.repair()

    assert folder.disagreements() == []
    assert bool([line for line in done if "unfinished" not in line]) == bool(notes)
    assert folder.text(folder.entry("old")) == "Old text."
    assert {"old"} <= folder.entries().keys() <= {"old", "new"}
    if "new" in folder.entries():
        assert folder.text(folder.entry("new")) == "New text."
    assert not list(folder.path.glob(".palimp-*"))


def test_repair_drops_what_is_missing(folder: Folder):
    """And says so."""
    folder.add("one", "One", "First.")
    (folder.path / "one.md").unlink()

    assert folder.disagreements() == ["The file of one is missing; palimp docs repair mends it."]
    assert folder.repair() == ["Took one out of the index: its file is missing."]


def test_adopted_files_keep_their_places(folder: Folder):
    """The index names the file where the slug does not."""
    (folder.path / "guides").mkdir(parents=True)
    (folder.path / "guides" / "Start.md").write_text("# Start here")
    folder.take_in([Entry("guides-start", "Start here", "guides/Start.md")])

    assert folder.text(folder.entry("guides-start")) == "# Start here"
    assert index(folder)["docs"][0]["file"] == "guides/Start.md"


@pytest.mark.parametrize("value", ["../out", "/etc", "."])
def test_a_project_cannot_put_its_documents_outside(tmp_path: Path, value: str):
    """Nor anywhere but in a folder of its own."""
    with pytest.raises(PalimpError, match=r"docs\.dir"):
        folder_of(tmp_path, value)


def test_the_folder_of_a_project(tmp_path: Path):
    """What its settings say."""
    assert folder_of(tmp_path, "handbook").path == tmp_path / "handbook"


@pytest.mark.parametrize("row", [5, None, ["x"], {}, {"slug": 7}, {"slug": "../x"}, {"slug": "x", "title": 3}])
def test_an_entry_that_is_none_is_named_and_the_others_are_served(folder: Folder, row: object):
    """And it stays in the index, as whoever wrote it left it."""
    folder.add("one", "One", "First.")
    (folder.path / "index.json").write_text(json.dumps({"docs": [row, {"slug": "one", "title": "One"}]}))

    assert list(folder.entries()) == ["one"]
    assert [note.split(" is skipped")[0] for note in folder.disagreements()] == ["Entry 1 of index.json"]
    folder.add("two", "Two", "x")
    folder.edit("one", "y", "Uno")
    folder.delete("two")
    assert index(folder)["docs"] == [row, {"slug": "one", "title": "Uno"}]


@pytest.mark.parametrize("file", ["{}", "../{}", "link/{}", "a/../../{}", "sub/../link/{}"])
def test_nothing_tells_whether_a_file_elsewhere_is_there(folder: Folder, tmp_path: Path, file: str):
    """The answers are the same for one that is there, one that is not, a folder, and one that is not to be read."""
    (tmp_path / "there.md").write_text("secret")
    (tmp_path / "subtree.md").mkdir()
    (folder.path / "sub").mkdir(parents=True)
    (folder.path / "link").symlink_to(tmp_path)
    answers: set[str] = set()
    for name in ("there", "gone", "subtree"):
        place = f"{tmp_path}/{name}.md" if file == "{}" else file.format(f"{name}.md")
        rows = [{"slug": "one", "title": "One", "file": place}]
        (folder.path / "index.json").write_text(json.dumps({"docs": rows}))
        (folder.path / "two.md").unlink(missing_ok=True)
        (folder.path / "two.md").symlink_to(tmp_path / f"{name}.md")
        with pytest.raises(PalimpError) as refused:
            folder.text(folder.entry("one"))
        found = [*folder.disagreements(), refused.value.text, *adoptable(folder, [place, "two.md"])[1]]
        answers.add("\n".join(found).replace(name, "NAME"))

    assert len(answers) == 1


@pytest.mark.parametrize(
    "named",
    [
        *("", ".", "..", "/etc", "docs/..", "docs/../..", "\0", "loop", "out", "to-git"),
        *(
            ".git",
            ".GIT",
            ".git/hooks",
            "sub/.git",
            ".git.",
            ".git ",
            ".g\u200cit",
            "．git",
            "GIT~1",
            ".hg",
            ".Svn",
            ".jj/x",
        ),
        *(".palimp", ".PALIMP", ".palimp/config.toml", "docs/../.git", "./.palimp/"),
    ],
)
def test_a_documents_folder_that_is_none_is_refused(tmp_path: Path, named: str):
    """Outside of the project, the project itself, and what belongs to version control or to palimp."""
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "out").symlink_to("/")
    (tmp_path / "to-git").symlink_to(".git/hooks")

    with pytest.raises(PalimpError, match=r"docs\.dir is"):
        folder_of(tmp_path, named)


@pytest.mark.parametrize("named", ["docs", ".palimp/docs", ".github", "git", "a/b/c", "docs.git", ".gitlab/x", "文档"])
def test_other_documents_folders_are_taken(tmp_path: Path, named: str):
    """Hidden ones too, and those that are not there yet."""
    assert folder_of(tmp_path, named).path == tmp_path / named


def test_a_document_that_is_too_large_or_no_file_is_not_read(folder: Folder, tmp_path: Path):
    """A sparse file takes no room on the disk, and a pipe waits for ever."""
    for slug in ("sparse", "pipe", "folder", "good"):
        folder.add(slug, slug, "# Words\n")
        (folder.path / f"{slug}.md").unlink()
    with (folder.path / "sparse.md").open("wb") as file:
        file.truncate(1 << 34)
    os.mkfifo(folder.path / "pipe.md")
    (folder.path / "folder.md").mkdir()
    (folder.path / "good.md").write_text("good")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for slug, why in (("sparse", "has more than"), ("pipe", "no plain file"), ("folder", "cannot be read")):
        with pytest.raises(PalimpError, match=why):
            folder.data(folder.entry(slug))

    assert folder.text(folder.entry("good")) == "good"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@given(st.binary(min_size=1, max_size=40).filter(lambda name: b"/" not in name and b"\0" not in name))
def test_a_file_of_any_name_is_listed_and_mended_around(name: bytes):
    """Names are bytes; those that cannot be sent are shown with these written out."""
    with tempfile.TemporaryDirectory() as place:
        folder = Folder(Path(place))
        folder.add("one", "One", "First.")
        Path(place, os.fsdecode(name) + ".md").write_text("words")

        notes = folder.disagreements()
        found = adoptable(folder, markdown_below(folder.path))
        done = folder.repair()

        for text in (*notes, *found[1], *done, *(entry.title for entry in found[0])):
            text.encode()
            assert len(text.splitlines()) <= 1
        assert "one" in folder.entries()
        json.loads((folder.path / "index.json").read_text())
