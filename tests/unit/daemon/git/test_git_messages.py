"""Git's commit messages, read from real repositories."""

import os
import subprocess
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repositories import ENVIRONMENT, Repository

from palimp_daemon.git import git_messages
from palimp_daemon.git.git_messages import (
    BODY_CHARACTERS_MAX,
    CUT,
    FILE_CHARACTERS_MAX,
    FILES_MAX,
    MESSAGE_BYTES_MAX,
    SUBJECT_CHARACTERS_MAX,
    TIME_MS_MAX,
    Commit,
    commits_in,
    first_parent_line,
    message_of,
    new_commits,
    unreachable,
)
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.git_command import GitError
from palimp_protocol.text import without_control

REDACT = Redactor()
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def commit_bytes(repository: Repository, message: bytes, **more: str) -> str:
    """Commit with a message of any bytes; *more* are variables of git's environment."""
    repository.git("add", "--all")
    command = [
        "git",
        "-C",
        str(repository.path),
        "commit",
        "--quiet",
        "--allow-empty",
        "--cleanup=verbatim",
        "--file=-",
    ]
    subprocess.run(command, input=message, check=True, capture_output=True, env={**ENVIRONMENT, **more})
    return repository.git("rev-parse", "HEAD")


def at(path: Path) -> Repository:
    """A repository that is there already."""
    repository = Repository.__new__(Repository)
    repository.path = path
    return repository


async def pages(repository: Repository | Path, known: set[str] | None = None) -> list[list[Commit]]:
    tree = repository.path if isinstance(repository, Repository) else repository
    async with aclosing(new_commits(tree, await first_parent_line(tree), known or set(), REDACT)) as found:
        return [page async for page in found]


async def read(repository: Repository | Path, known: set[str] | None = None) -> list[Commit]:
    return [commit for page in await pages(repository, known) for commit in page]


def subjects(commits: list[Commit]) -> list[str]:
    return [commit.subject for commit in commits]


async def test_a_commit_has_its_message_its_author_and_its_files(repository):
    repository.commit("Start")
    name = repository.commit(
        "Cap retries at 7\n\nMeasured: the 8th trips the limiter.\n\nKeep it.\n\nSigned-off-by: a <a@example.com>",
        a_py="x = 1\n",
        d__b_py="y = 2\n",
    )
    newest, first = await read(repository)
    assert newest == Commit(
        name,
        int(repository.git("log", "-1", "--format=%ct")) * 1000,
        "a",
        "Cap retries at 7",
        "Measured: the 8th trips the limiter.\n\nKeep it.",
        ("a.py", "d/b.py"),
        2,
    )
    assert (first.subject, first.body, first.files, first.files_total) == ("Start", "", (), 0)


async def test_a_merge_has_its_own_message_and_the_files_of_its_branch(repository):
    repository.commit("first", a_py="a\n")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit("on the branch", b_py="b\n")
    repository.git("checkout", "--quiet", "main")
    repository.commit("meanwhile", c_py="c\n")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge topic\n\nIt was measured.", "topic")
    commits = await read(repository)
    assert subjects(commits) == ["Merge topic", "meanwhile", "first"]
    assert (commits[0].body, commits[0].files) == ("It was measured.", ("b.py",))


async def test_only_what_is_new_is_read(repository):
    names = [repository.commit(f"commit {n}", a_py=f"{n}\n") for n in range(4)]
    assert [each.hash for each in await read(repository, set(names[:2]))] == [names[3], names[2]]
    assert await pages(repository, set(names)) == []


async def test_pages_follow_one_another(repository, monkeypatch):
    names = [repository.commit(f"commit {n}", a_py=f"{n}\n") for n in range(5)]
    monkeypatch.setattr(git_messages, "PAGE_COMMITS", 2)
    found = await pages(repository)
    assert [[each.hash for each in page] for page in found] == [names[:2:-1], names[2:0:-1], names[:1]]


async def test_what_is_beyond_the_bound_is_left_out(repository, monkeypatch):
    names = [repository.commit(f"commit {n}") for n in range(5)]
    monkeypatch.setattr(git_messages, "COMMITS_MAX", 3)
    assert [each.hash for each in await read(repository)] == names[:1:-1]


async def test_messages_that_are_too_long_for_one_answer_are_read_in_smaller_ones(repository, monkeypatch):
    names = [commit_bytes(repository, b"subject\n\n" + b"word " * 2_000) for _ in range(4)]
    endless = commit_bytes(repository, b"endless " * 5_000)
    huge = commit_bytes(repository, b"huge\n\n" + b"huge " * 5_000)
    run = git_messages.run_git
    monkeypatch.setattr(git_messages, "run_git", lambda *given, **named: run(*given, **{**named, "bytes_max": 22_000}))
    commits = await read(repository)
    assert [each.hash for each in commits] == [huge, endless, *names[::-1]]
    assert [(each.subject, each.body) for each in commits[:2]] == [("huge", ""), ("", "")]
    assert commits[2].body.startswith("word word")


async def test_of_many_files_the_first_are_named_and_all_are_counted(repository):
    for number in range(FILES_MAX + 5):
        repository.write(f"f{number:03}.py", "x\n")
    repository.commit("many")
    (commit,) = await read(repository)
    assert commit.files == tuple(f"f{number:03}.py" for number in range(FILES_MAX))
    assert commit.files_total == FILES_MAX + 5


async def test_files_with_any_name_are_one_file_each(repository):
    names = [b"\nleading", b"a\nb", b"tab\t", b"\xff\xfe", "ü.py".encode(), b"-o", b'"q"']
    for name in names:
        repository.write(os.fsdecode(name), "x")
    repository.commit("odd")
    repository.commit("more", z_py="x\n")
    newest, first = await read(repository)
    assert (first.files_total, newest.files) == (len(names), ("z.py",))
    assert set(first.files) == {"\\nleading", "a\\nb", "tab\\t", "\\xff\\xfe", "ü.py", "-o", '"q"'}


async def test_paths_are_kept_without_secrets_on_one_line_and_with_nothing_hidden(repository):
    names = [
        f"a/{TOKEN}/x.py".encode(),
        f"b/{TOKEN[:9]}\u200b{TOKEN[9:]}.py".encode(),
        "c\u202egnp\n.exe".encode(),
        b"d\xff\x1b[31m",
    ]
    for name in names:
        repository.write(os.fsdecode(name), "x")
    repository.commit("odd")
    (commit,) = await read(repository)
    assert commit.files == (
        "a/<redacted:github-token>/x.py",
        "b/<redacted:github-token>.py",
        "c\\u{202e}gnp\\n.exe",
        "d\\xff\\u{1b}[31m",
    )


@given(st.integers(0, len(TOKEN)))
def test_a_secret_in_a_path_is_redacted_before_the_path_is_cut(shift):
    path = f"{TOKEN}/{'d/' * ((FILE_CHARACTERS_MAX - shift) // 2)}"
    (commit,) = commits_in(b"\0\0%040x\0000\0me\0one\0\0\n%s\0" % (1, path.encode()), REDACT)
    assert len(commit.files[0]) <= FILE_CHARACTERS_MAX
    assert TOKEN[-8:] not in commit.files[0]


# --- histories that are rewritten, cut, or none --------------------------------------------------


async def test_after_a_rebase_the_new_commits_are_read_and_the_former_ones_are_gone(repository):
    base = repository.commit("base", a_py="1\n")
    repository.git("checkout", "--quiet", "-b", "topic")
    old = [repository.commit(f"topic {n}", b_py=f"{n}\n") for n in range(3)]
    known = {each.hash for each in await read(repository)}
    repository.git("checkout", "--quiet", "main")
    upstream = repository.commit("upstream", c_py="1\n")
    repository.git("checkout", "--quiet", "topic")
    repository.git("rebase", "--quiet", "main")
    line = await first_parent_line(repository.path)
    new = set(line.hashes) - known
    assert len(new) == 4
    assert upstream in new
    missing = known - set(line.hashes)
    assert missing == set(old)
    assert set(await unreachable(repository.path, missing)) == set(old)
    assert await unreachable(repository.path, [base, upstream]) == []


async def test_another_branch_takes_nothing_away_and_a_reset_does(repository):
    repository.commit("base", a_py="1\n")
    repository.git("checkout", "--quiet", "-b", "topic")
    topic = repository.commit("topic", b_py="1\n")
    repository.git("tag", "kept")
    reset = repository.commit("to be reset", b_py="2\n")
    repository.git("checkout", "--quiet", "main")
    assert await unreachable(repository.path, [topic, reset]) == []
    repository.git("branch", "-D", "topic")
    assert await unreachable(repository.path, [topic, reset]) == [reset]


async def test_what_git_has_forgotten_or_no_hash_is_gone(repository):
    here = repository.commit("here")
    asked = ["a" * 40, here, "--all", "", "HEAD"]
    assert await unreachable(repository.path, asked) == ["a" * 40, "--all", "", "HEAD"]


async def test_many_hashes_are_asked_for_in_parts(repository, monkeypatch):
    names = [repository.commit(f"commit {n}") for n in range(5)]
    repository.git("reset", "--quiet", "--hard", names[1])
    monkeypatch.setattr(git_messages, "CHECKED_AT_ONCE", 2)
    assert await unreachable(repository.path, names) == names[2:]


async def test_rewriting_that_keeps_the_former_history_aside_has_taken_it_away(repository):
    repository.commit("base")
    old = repository.commit("old")
    repository.git("update-ref", "refs/original/refs/heads/main", old)
    repository.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "new")
    assert await unreachable(repository.path, [old]) == [old]


async def test_a_head_of_another_worktree_keeps_its_commits(repository, tmp_path):
    repository.commit("base")
    repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    linked = at(tmp_path / "linked")
    there = linked.commit("only there")
    assert subjects(await read(linked)) == ["only there", "base"], "a detached HEAD is a HEAD"
    assert await unreachable(repository.path, [there]) == []


async def test_a_shallow_clone_says_so_and_reads_the_rest_once_it_has_it(repository, tmp_path):
    for number in range(4):
        repository.commit(f"commit {number}", a_py=f"{number}\n", b_py=f"{number // 3}\n")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=2", f"file://{repository.path}", str(clone))
    assert (await first_parent_line(clone)).is_shallow
    (page,) = await pages(clone)
    assert subjects(page) == ["commit 3", "commit 2"]
    assert page[0].files == ("a.py", "b.py")
    assert (page[1].files, page[1].files_total) == ((), 0), "it only seems to add every file"
    at(clone).git("fetch", "--quiet", "--unshallow")
    assert not (await first_parent_line(clone)).is_shallow
    assert subjects(await read(clone, {each.hash for each in page})) == ["commit 1", "commit 0"]


async def test_where_there_is_nothing_to_read_there_is_no_page(repository, tmp_path):
    folder = tmp_path / "none"
    folder.mkdir()
    bare = tmp_path / "bare.git"
    repository.git("init", "--quiet", "--bare", str(bare))
    for tree in (folder, bare, repository.path, tmp_path / "missing"):
        assert await pages(tree) == []
    assert await unreachable(folder, ["a" * 40]) == [], "who cannot ask takes nothing away"


@pytest.fixture
def of_sha256(tmp_path: Path) -> Repository:
    tree = tmp_path / "new"
    tree.mkdir()
    at(tree).git("init", "--quiet", "--object-format=sha256")
    return Repository(tree)


async def test_a_repository_of_sha256(of_sha256):
    repository, tree = of_sha256, of_sha256.path
    first = repository.commit("first", a_py="1\n")
    second = repository.commit("second", a_py="2\n")
    assert [each.hash for each in await read(repository)] == [second, first]
    repository.git("reset", "--quiet", "--hard", first)
    assert await unreachable(tree, [first, second]) == [second]


async def test_replaced_commits_say_what_replaces_them_and_keep_their_names(repository):
    first = repository.commit("first", a_py="1\n")
    second = repository.commit("second", a_py="2\n")
    other = repository.git("commit-tree", "HEAD^{tree}", "-p", first, "-m", "second, in other words")
    repository.git("replace", second, other)
    commits = await read(repository)
    assert [(each.hash, each.subject) for each in commits] == [(second, "second, in other words"), (first, "first")]


async def test_odd_encodings_leave_texts_readable(repository):
    repository.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repository.git("config", "i18n.logOutputEncoding", "UTF-16")
    commit_bytes(repository, "Straße".encode("latin-1"))
    repository.git("config", "i18n.commitEncoding", "no-such-encoding")
    commit_bytes(repository, b"plain \xff")
    commits = await read(repository)
    assert subjects(commits) == ["plain \ufffd", "Straße"]


async def test_a_partial_clone_without_trees_has_the_messages(repository, tmp_path):
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.commit("first", a_py="1\n")
    repository.commit("second", a_py="2\n")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--no-local", "--filter=tree:0", f"file://{repository.path}", str(clone))
    assert subjects(await read(clone)) == ["second", "first"]


async def test_a_damaged_history_is_read_as_far_as_it_goes_and_said_to_be(repository):
    repository.commit("first", a_py="1\n")
    lost = repository.commit("second", a_py="2\n")
    repository.commit("third", a_py="3\n")
    repository.commit("fourth", a_py="4\n")
    os.unlink(f"{repository.path}/.git/objects/{lost[:2]}/{lost[2:]}")  # noqa: PTH108  pathlib is not for async tests
    async with aclosing(
        new_commits(repository.path, await first_parent_line(repository.path), set(), REDACT)
    ) as all_pages:
        page = await anext(all_pages)
        assert subjects(page) == ["fourth"], "git names a commit when it has read its parent"
        with pytest.raises(GitError, match="git fsck"):
            await anext(all_pages)


# --- messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "subject", "body"),
    [
        (b"", "", ""),
        (b"\n\n  one  \n", "one", ""),
        (b"one\r\n\r\ntwo\r\nthree\r\n", "one", "two\nthree"),
        (b"one\rtwo", "one", "two"),
        (b"one\ntwo", "one", "two"),
        (b"\x1b[31mred\x1b[0m \x07bell\n\n\xe2\x80\xaeturned", "red bell", "turned"),
        (b"\xff\xfe\n\n\x80", "\ufffd\ufffd", "\ufffd"),
        (b"one\n\nbody\n\nCo-authored-by: B <b@example.org>\nSigned-off-by: C <c@example.org>\n", "one", "body"),
        (b"one\n\nbody\nReviewed-by: B <b@example.org>", "one", "body"),
        (b"one\n\nbody\n\nFixes: #12\nChange-Id: I123\nLink: https://example.org/1", "one", "body\n\nFixes: #12\nLink: https://example.org/1"),
        (b"one\n\nbody\n\nCc: B\n <b@example.org>\n\nTested-by: C\n\n", "one", "body"),
        (b"one\n\nSigned-off-by: in the middle <b@example.org>\n\nmore", "one", "Signed-off-by: in the middle\n\nmore"),
        (b"Reviewed-by: all there is", "Reviewed-by: all there is", ""),
        (b"one\n\nbody\n\n\xf0\x9f\xa4\x96 Generated with Claude\n\nCo-Authored-By: C <c@x.org>", "one", "body"),
        (b"one\n\nNote: this stays.", "one", "Note: this stays."),
        (b"one\n\nAsk b.o+b@mail.x.org or <x@y>, lodash@4.17.21, @types/a", "one", "Ask  or, lodash@4.17.21, @types/a"),
        (b"one\n\nkept <private>not this</private> kept", "one", "kept  kept"),
        (b"one\n\nkept\n<private>\nnot this", "one", "kept"),
        (b"<private>all</private>", "", ""),
    ],
)  # fmt: skip
def test_what_a_message_becomes(message, subject, body):
    assert message_of(message, REDACT) == (subject, body)


def test_secrets_are_redacted_though_hidden_characters_or_a_bound_cut_them():
    hidden = TOKEN[:10] + "\u200b" + TOKEN[10:]
    subject, body = message_of(f"Use {TOKEN}\n\nand {hidden}".encode(), REDACT)
    assert TOKEN not in subject + body
    assert subject.startswith("Use <redacted:")
    for shift in range(0, 50, 7):
        at = BODY_CHARACTERS_MAX - 20 - shift
        _, body = message_of(f"one\n\n{'x ' * (at // 2)}{TOKEN}\n{'y ' * 500}".encode(), REDACT)
        assert TOKEN[:12] not in body


@given(st.integers(0, len(TOKEN) + 8), st.sampled_from(["\n", " " * (MESSAGE_BYTES_MAX // 2) + "\n"]))
def test_of_a_message_that_is_cut_no_line_is_kept_in_part(shift, line):
    lines = line * ((MESSAGE_BYTES_MAX - shift) // len(line))
    subject, body = message_of(f"{lines}use {TOKEN} here\nmore{line}".encode(), REDACT)
    assert TOKEN[:4] not in subject + body


def test_long_messages_are_cut_and_marked():
    subject, body = message_of(b"one\n\n" + b"word " * 400_000, REDACT)
    assert subject == "one"
    assert len(body) <= BODY_CHARACTERS_MAX
    assert body.endswith(CUT)
    subject, body = message_of(b"word " * 100, REDACT)
    assert len(subject) == SUBJECT_CHARACTERS_MAX
    assert body == ("word " * 100).strip(), "of a long first line nothing is lost"
    assert message_of(b"one\n\n" + b" " * MESSAGE_BYTES_MAX + b"@", REDACT)[1] in (CUT, CUT.strip())


async def test_authors_have_names_and_no_addresses(repository):
    commit_bytes(repository, b"one", GIT_AUTHOR_NAME="bob@example.org")
    commit_bytes(repository, b"two", GIT_AUTHOR_NAME="Bob \x1b[31mÜ.")
    too_long = b"\0\0%040x\0000\0%s\0one\0\0" % (1, b" " * (MESSAGE_BYTES_MAX - 9) + TOKEN.encode())
    assert commits_in(too_long, REDACT)[0].author == ""
    commits = await read(repository)
    assert [each.author for each in commits] == ["Bob Ü", ""]
    assert "example" not in repr(commits)


async def test_times_that_no_calendar_has_are_bounded(repository):
    commit_bytes(repository, b"one", GIT_COMMITTER_DATE="@99999999999999 +0000")
    commit_bytes(repository, b"two", GIT_COMMITTER_DATE="@0 +0000")
    assert [each.at_ms for each in await read(repository)] == [0, TIME_MS_MAX]


# --- the parser ----------------------------------------------------------------------------------

FIELD = st.binary(max_size=20).map(lambda data: data.replace(b"\0", b""))
RECORDS = st.lists(st.tuples(st.integers(0, 2**32), FIELD, FIELD, st.lists(FIELD.filter(bool), max_size=3)), max_size=4)


@given(RECORDS)
def test_whatever_names_messages_and_paths_hold_each_commit_is_one(records):
    output = b""
    for number, (time, author, message, files) in enumerate(records):
        output += b"\0\0%040x\0%d\0%s\0%s\0\0" % (number, time, author, message)
        output += b"".join(b"\n" * (not place) + file + b"\0" for place, file in enumerate(files))
    commits = commits_in(output, REDACT)
    assert [int(each.hash, 16) for each in commits] == list(range(len(records)))
    assert [each.at_ms for each in commits] == [time * 1000 for time, *_ in records]
    assert [each.files_total for each in commits] == [len(files) for *_, files in records]
    for path in (path for each in commits for path in each.files):
        assert without_control(path) == path
        assert not set("\n\t") & set(path)


@given(st.binary(max_size=200))
def test_whatever_git_prints_is_no_error(output):
    assert commits_in(output, REDACT) == [] or b"\0" in output


@given(st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_messages_become_plain_text(message):
    subject, body = message_of(message, REDACT)
    assert "\n" not in subject
    assert body == body.strip()
    assert "\x1b" not in subject + body
