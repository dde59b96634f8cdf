"""Which commit had added lines that are gone: asked of real repositories."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repositories import ENVIRONMENT, Repository
from retry_helper import KEEP, RETRY

from palimp_daemon.git import line_origin
from palimp_daemon.git.git_log import MESSAGE_CHARACTERS_MAX
from palimp_daemon.git.line_origin import Gone, Origin, count_blamed, find_lines, origins_of, reverted_by
from palimp_protocol.env.git_command import GitError

LINES = tuple(line for line in RETRY.splitlines() if line)
WHY = "Retry lost connections\n\nThe proxy drops one in fifty.\n\nSigned-off-by: a <a@example.com>"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "repo")
    repository.commit("first", a_py=KEEP)
    return repository


def gone(commit: str, path: str = "a.py", line: int = 6, lines=LINES, at: int = 4_000_000_000_000, reason: str = ""):
    return Gone(path, line, tuple(lines), commit, at, reason)


def all_answers(repository: Repository, what: Gone) -> list[tuple[Origin, ...]]:
    answers: list[tuple[Origin, ...]] = []
    origins_of(repository.path, what, answers.append)
    return answers


def origins(repository: Repository, what: Gone) -> tuple[Origin, ...]:
    answers = all_answers(repository, what)
    return answers[-1] if answers else ()


def names(found: tuple[Origin, ...]) -> list[str]:
    return [each.commit for each in found]


def test_the_commit_that_had_added_the_lines_is_found_with_what_it_says(repository):
    added = repository.commit(WHY, a_py=KEEP + RETRY)
    repository.commit("noise", b_py="x = 1\n")
    removed = repository.commit("simplify", a_py=KEEP)
    (found,) = origins(repository, gone(removed))
    assert (found.commit, found.lines, found.of, found.is_elsewhere) == (added, 8, 8, False)
    assert found.message.startswith("Retry lost connections\n\nThe proxy drops one in fifty.")
    assert found.at > 1_600_000_000_000


def test_of_several_commits_the_one_with_most_lines_comes_first_and_the_newest_of_the_others_second(
    repository, monkeypatch
):
    most = repository.commit("most", a_py=KEEP + RETRY)
    repository.commit("older", a_py=KEEP + RETRY.replace("attempts=5", "attempts=9"))
    monkeypatch.setitem(ENVIRONMENT, "GIT_COMMITTER_DATE", "@3000000000 +0000")
    newer = repository.commit(
        "newer", a_py=KEEP + RETRY.replace("attempts=5", "attempts=9").replace("delay *= 2", "delay *= 4")
    )
    removed = repository.commit("simplify", a_py=KEEP)
    lines = [line.replace("attempts=5", "attempts=9").replace("delay *= 2", "delay *= 4") for line in LINES]
    found = origins(repository, gone(removed, lines=lines))
    assert names(found) == [most, newer]
    assert [each.lines for each in found] == [6, 1]


def test_layout_aside(repository):
    added = repository.commit("add", a_py=KEEP + RETRY)
    repository.commit("indent", a_py=KEEP + "if True:\n" + RETRY.replace("\n", "\n    "))
    removed = repository.commit("simplify", a_py=KEEP)
    assert names(origins(repository, gone(removed))) == [added]


def test_a_file_that_was_renamed_is_followed_before_the_removal_and_in_it(repository):
    kept = KEEP + "".join(f"constant_{number} = {number}\n" for number in range(40))
    added = repository.commit("add", a_py=kept + RETRY)
    repository.git("mv", "a.py", "b.py")
    repository.commit("rename")
    repository.git("mv", "b.py", "c.py")
    removed = repository.commit("rename and remove", c_py=kept)
    assert names(origins(repository, gone(removed, path="c.py"))) == [added]


def test_lines_that_came_from_another_file_have_two_reasons(repository):
    first = repository.commit("add", a_py=KEEP + RETRY)
    moved = repository.commit("move", a_py=KEEP, b_py="import time\n" + RETRY)
    removed = repository.commit("remove", b_py="import time\n")
    answers = all_answers(repository, gone(removed, path="b.py"))
    assert [names(each) for each in answers] == [[moved], [moved, first]]
    assert [each.is_elsewhere for each in answers[-1]] == [False, True]


@pytest.mark.parametrize("is_moved", [False, True])
def test_what_a_commit_says_is_asked_only_where_it_is_told(repository, monkeypatch, is_moved):
    repository.commit("add", a_py=KEEP + RETRY)
    if is_moved:
        repository.commit("move", a_py=KEEP, b_py="import time\n" + RETRY)
    removed = repository.commit("remove", a_py=KEEP, b_py="import time\n")
    asked: list[str] = []
    ask = line_origin.ask
    monkeypatch.setattr(
        line_origin, "ask", lambda tree, *words, **more: (asked.append(words[0]), ask(tree, *words, **more))[1]
    )
    found = origins(repository, gone(removed, path="b.py" if is_moved else "a.py"))
    assert asked.count("log") == len(found) == 1 + is_moved


def test_a_file_that_was_deleted(repository):
    added = repository.commit("add", d__c_py=RETRY)
    removed = repository.commit("delete", d__c_py=None)
    assert names(origins(repository, gone(removed, path="d/c.py", line=1))) == [added]


def test_what_a_merge_removed_was_added_on_the_line_or_on_a_branch(repository):
    added = repository.commit("add", a_py=KEEP + RETRY)
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit("remove", a_py=KEEP)
    repository.git("checkout", "--quiet", "main")
    repository.commit("meanwhile", b_py="x = 1\n")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge topic", "topic")
    merge = repository.git("rev-parse", "HEAD")
    assert names(origins(repository, gone(merge))) == [added]
    repository.git("checkout", "--quiet", "-b", "other")
    again = repository.commit("add on a branch", a_py=KEEP + RETRY)
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge other", "other")
    removed = repository.commit("remove again", a_py=KEEP)
    assert names(origins(repository, gone(removed))) == [again]


# --- reverts -------------------------------------------------------------------------------------


def test_a_commit_that_only_takes_a_removal_back_leads_to_what_had_added_the_lines(repository):
    added = repository.commit(WHY, a_py=KEEP + RETRY)
    first = repository.commit("simplify", a_py=KEEP)
    repository.git("revert", "--no-edit", first)
    second = repository.git("rev-parse", "HEAD")
    repository.git("revert", "--no-edit", second)
    repository.git("revert", "--no-edit", "HEAD")
    removed = repository.commit("simplify again", a_py=KEEP)
    assert names(origins(repository, gone(removed))) == [added]


def test_trailers_of_any_kind_are_no_reason_for_a_revert(repository):
    added = repository.commit(WHY, a_py=KEEP + RETRY)
    first = repository.commit("simplify", a_py=KEEP)
    trailers = "Reported-by: c <c@example.com>\n\n(cherry picked from commit 1234567)\nReviewed-on: https://x.org/1"
    repository.commit(f'Revert "simplify"\n\nThis reverts commit {first}.\n\n{trailers}', a_py=KEEP + RETRY)
    removed = repository.commit("simplify again", a_py=KEEP)
    assert names(origins(repository, gone(removed))) == [added]


def test_a_commit_that_takes_a_removal_back_and_says_why_is_the_origin(repository):
    repository.commit(WHY, a_py=KEEP + RETRY)
    first = repository.commit("simplify", a_py=KEEP)
    again = repository.commit(
        f'Revert "simplify"\n\nThis reverts commit {first}.\n\nOutages came back.', a_py=KEEP + RETRY
    )
    removed = repository.commit("simplify again", a_py=KEEP)
    assert names(origins(repository, gone(removed))) == [again]


def test_what_a_revert_took_out_was_added_by_what_it_reverts_though_the_lines_are_not_found(repository):
    added = repository.commit(WHY, a_py=KEEP + RETRY)
    removed = repository.commit("simplify", a_py=KEEP)
    reason = f'Revert "Retry". This reverts commit {added[:12]}.'
    (found,) = origins(repository, gone(removed, lines=("password = <redacted:password>",), reason=reason))
    assert (found.commit, found.message.splitlines()[0]) == (added, "Retry lost connections")


def test_a_revert_of_a_commit_that_is_not_there_leads_nowhere(repository):
    repository.commit(f'Revert "x"\n\nThis reverts commit {"a" * 40}.', a_py=KEEP + RETRY)
    last = repository.git("rev-parse", "HEAD")
    removed = repository.commit("simplify", a_py=KEEP)
    assert names(origins(repository, gone(removed))) == [last]
    reason = f"This reverts commit {'b' * 40}."
    assert origins(repository, gone(removed, path="none.py", reason=reason)) == ()


@pytest.mark.parametrize(
    ("message", "commit"),
    [
        ("Revert x\n\nThis reverts commit 1234567.", "1234567"),
        (f"This reverts commit {'a' * 64}, reversing\nchanges made to {'b' * 64}.", "a" * 64),
        ("This reverts commit message policy.", ""),
        ("", ""),
    ],
)
def test_what_a_message_says_is_reverted(message, commit):
    assert reverted_by(message) == commit


# --- edits of sessions ---------------------------------------------------------------------------


def test_what_an_edit_took_out_is_looked_up_in_the_commit_before_it(repository):
    added = repository.commit(WHY, a_py=KEEP + RETRY)
    at = int(repository.git("log", "-1", "--format=%ct")) * 1000 + 900
    assert names(origins(repository, gone("", at=at))) == [added]
    repository.commit("what the agent did", a_py=KEEP)  # within the same second, or the next
    assert names(origins(repository, gone("", at=at))) == [added]


def test_what_was_never_committed_has_no_origin(repository):
    (repository.path / "a.py").write_text(KEEP + RETRY)
    assert origins(repository, gone("")) == ()
    assert origins(repository, gone("", path="new.py")) == ()
    assert origins(repository, gone("", at=1_000_000_000_000)) == (), "before the first commit"


# --- where git cannot tell -----------------------------------------------------------------------


def test_nothing_is_said_where_there_is_no_repository_or_no_commit(tmp_path):
    folder = tmp_path / "none"
    folder.mkdir()
    assert origins_of(folder, gone("a" * 40), pytest.fail) is None
    assert origins_of(Repository(tmp_path / "unborn").path, gone(""), pytest.fail) is None


def test_nothing_is_said_of_a_commit_that_is_not_there(repository):
    assert origins(repository, gone("a" * 40)) == ()


def test_a_shallow_clone_does_not_blame_the_commit_where_it_was_cut(repository, tmp_path):
    repository.commit("add", a_py=KEEP + RETRY)
    repository.commit("noise", b_py="x = 1\n")
    repository.commit("noise", b_py="x = 2\n")
    removed = repository.commit("simplify", a_py=KEEP)
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=3", f"file://{repository.path}", str(clone))
    what = gone(removed)
    answers: list[tuple[Origin, ...]] = []
    origins_of(clone, what, answers.append)
    assert [each for each in answers if each] == []


def test_a_first_commit_is_an_origin(repository):
    removed = repository.commit("remove", a_py="import time\n")
    (found,) = origins(repository, gone(removed, line=4, lines=KEEP.splitlines()[3:]))
    assert found.message.strip() == "first"


def test_where_blame_refuses_the_longest_line_tells(repository):
    """As it does where the user's `blame.ignoreRevsFile` names a file that is not there."""
    added = repository.commit("add", a_py=KEEP + RETRY)
    repository.commit("change another line", a_py=KEEP + RETRY.replace("delay *= 2", "delay *= 3"))
    removed = repository.commit("remove", a_py=KEEP)
    repository.git("config", "blame.ignoreRevsFile", "no-such-file")
    assert names(origins(repository, gone(removed))) == [added]


def test_a_repository_of_sha256_and_odd_names(tmp_path):
    tree = tmp_path / "new"
    tree.mkdir()
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256"], cwd=tree, check=True, env=ENVIRONMENT)
    repository = Repository(tree)
    name = "-o d:d\tname ü.py"
    repository.write(name, RETRY)
    added = repository.commit("add")
    repository.write(name, KEEP)
    removed = repository.commit("remove")
    assert len(added) == 64
    assert names(origins(repository, gone(removed, path=name, line=1))) == [added]


def test_texts_that_are_not_utf8_and_messages_with_anything(repository):
    repository.write("a.py", KEEP.encode() + b"# \xff\xfe\r\n" + RETRY.encode())
    repository.git("add", "--all")
    odd = b"Retry \x1b[31m \xff\n\nbecause\r\n"
    subprocess.run(
        ["git", "-C", str(repository.path), "commit", "--quiet", "--cleanup=verbatim", "--file=-"],
        input=odd, check=True, capture_output=True, env=ENVIRONMENT,
    )  # fmt: skip
    added = repository.git("rev-parse", "HEAD")
    removed = repository.commit("remove", a_py=KEEP)
    (found,) = origins(repository, gone(removed))
    assert (found.commit, found.message.split()) == (added, ["Retry", "ÿ", "because"])


def test_of_a_message_that_is_cut_no_line_is_kept_in_part(repository):
    repository.commit(
        "Retry\n\n" + "x\n" * (MESSAGE_CHARACTERS_MAX // 2 - 10) + "secret: " + "a" * 50, a_py=KEEP + RETRY
    )
    removed = repository.commit("remove", a_py=KEEP)
    (found,) = origins(repository, gone(removed))
    assert found.message.startswith("Retry")
    assert "secret" not in found.message


def test_a_file_that_is_too_large_has_no_origin_and_says_so(repository):
    repository.commit("add", a_py=RETRY + "x = 1\n" * 200_000)
    removed = repository.commit("remove", a_py=KEEP)
    with pytest.raises(GitError, match="longer than"):
        origins(repository, gone(removed))


# --- where lines stand ---------------------------------------------------------------------------


def test_lines_are_found_where_they_stand_together():
    lines = ["x", "return value + one", "", "a = compute_first(x)", "moved = 1", "return value + one", "}", "y", "}"]
    assert find_lines(["a = compute_first(x)", "return value + one", "}"], lines, 1) == [4, 6, 7]
    assert find_lines(["return value + one"], lines, 5) == [6]
    assert find_lines(["return value + one"], lines, 1) == [2]
    assert find_lines(["nowhere = 1"], lines, 1) == []
    assert find_lines([], lines, 1) == find_lines(["", " "], lines, 1) == []


LINE = st.sampled_from(["alpha = 1", "beta = 2", "gamma()", "", "}", "delta: x"])


@given(st.lists(LINE, max_size=12), st.lists(LINE, max_size=20), st.integers(0, 30))
def test_numbers_are_those_of_wanted_lines_in_order(wanted, lines, near):
    found = find_lines(wanted, lines, near)
    assert found == sorted(set(found))
    assert all(lines[number - 1] in wanted and lines[number - 1] for number in found)
    assert bool(found) == bool({line for line in wanted if line} & set(lines))


@given(st.lists(LINE, min_size=1, max_size=10).filter(any), st.lists(st.just("other = 3"), max_size=5))
def test_a_whole_hunk_is_found_whole(hunk, before):
    found = find_lines(hunk, [*before, *hunk, "other = 3"], len(before) + 1)
    assert len(found) == len([line for line in hunk if line])


@given(st.binary(max_size=300))
def test_whatever_blame_prints_is_read(output):
    counts, ends = count_blamed(output, frozenset({1, 2}))
    assert all(count > 0 for count in counts.values())
    assert isinstance(ends, set)
