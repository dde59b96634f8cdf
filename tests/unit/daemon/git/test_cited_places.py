"""What became of what a text cites, in real repositories of all kinds."""

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import repositories
from git_traps import Traps
from repositories import Repository

from palimp_daemon.git import tree_history
from palimp_daemon.git.cited_places import CitedMemory, Finding, LookupResult, look_up, missing_paths
from palimp_daemon.git.head_state import reflog_of
from palimp_daemon.git.past_files import Past
from palimp_daemon.git.tree_history import line_of
from palimp_daemon.text.citations import citations_of
from palimp_daemon.text.named_subjects import Subjects, subjects_of

START_S = 1_760_000_000
DAY_S = 86_400

EVICT = "def evict(entry):\n    return entry.age > 60\n"
KEEP = "\n\ndef keep(entry):\n    return not evict(entry)\n"


class Dated(Repository):
    """A repository in which each commit is a day after the one before."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(path)
        self._monkeypatch = monkeypatch
        self.days = 0

    def commit(self, message: str, **files: str | bytes | None) -> str:
        self.days += 1
        for name in ("GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"):
            self._monkeypatch.setitem(repositories.ENVIRONMENT, name, f"{START_S + self.days * DAY_S} +0000")
        return super().commit(message, **files)


def day(number: int) -> int:
    """Return when the commit of a day was made, Unix milliseconds."""
    return (START_S + number * DAY_S) * 1000


def look(tree: Path, *texts: str, at: int = day(1) + 5_000) -> list[LookupResult]:
    past = Past(line_of(tree), reflog_of(str(tree)))
    return look_up(tree, past, [CitedMemory(citations_of(text, subjects_of(text)), at) for text in texts])


def found(tree: Path, text: str, at: int = day(1) + 5_000) -> Finding | None:
    return look(tree, text, at=at)[0].finding


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dated:
    made = Dated(tmp_path / "repository", monkeypatch)
    made.commit("first", cart__ttl_py=EVICT + KEEP, other_py="def unused_one():\n    return 1\n")
    return made


PHRASES = (
    "`evict` in `cart/ttl.py` rounds.",
    "The function evict of cart/ttl.py rounds.",
    "`evict` in `ttl.py` rounds.",
    "cart/ttl.py:2 rounds.",
    "`cart/ttl.py::evict` rounds.",
    "`evict` rounds.",
)


@pytest.mark.parametrize("text", PHRASES)
def test_it_is_told_when_the_cited_lines_changed_and_not_when_others_did(repository: Dated, text: str):
    assert found(repository.path, text) is None
    repository.commit("beside", cart__ttl_py="import time\n\n\n" + EVICT + KEEP.replace("not ", ""))
    assert found(repository.path, text) is None
    repository.commit("there", cart__ttl_py="import time\n\n\n" + EVICT.replace("60", "90") + KEEP)
    repository.commit("again", cart__ttl_py="import time\n\n\n" + EVICT.replace("60", "80") + KEEP)
    finding = found(repository.path, text)
    assert finding is not None
    assert (finding.state, finding.at, finding.commits) == ("changed", day(4), 2)
    assert found(repository.path, text, at=day(5)) is None
    repository.commit("back", cart__ttl_py=EVICT + KEEP)
    assert found(repository.path, text) is None


def test_a_renamed_file_is_followed(repository: Dated):
    (repository.path / "store").mkdir()
    repository.git("mv", "cart/ttl.py", "store/age.py")
    repository.commit("moved")
    assert found(repository.path, PHRASES[0]) == Finding("cart/ttl.py", "moved", to="store/age.py")
    repository.git("mv", "store/age.py", "store/years.py")
    repository.commit("moved again", store__years_py=EVICT.replace("60", "90") + KEEP)
    finding = found(repository.path, PHRASES[0])
    assert finding == Finding("evict", "changed", day(3), 1)
    assert found(repository.path, "cart/ttl.py rounds.") == Finding("cart/ttl.py", "moved", to="store/years.py")


def test_what_is_gone_is_told_with_its_day(repository: Dated):
    repository.commit("beside")
    repository.commit("gone", cart__ttl_py=KEEP, other_py=None)
    assert found(repository.path, PHRASES[0]) == Finding("evict", "gone", day(3))
    assert found(repository.path, "other.py is slow.") == Finding("other.py", "gone", day(3))
    assert found(repository.path, "`unused_one` is slow.") == Finding("unused_one", "gone", day(3))
    assert found(repository.path, "`unused_one` is slow.", at=day(4)) is None


def test_a_name_that_moved_is_told_with_its_file(repository: Dated):
    repository.commit("moved", cart__ttl_py=KEEP, store__age_py=EVICT)
    assert found(repository.path, PHRASES[0]) == Finding("evict", "moved", day(2), to="store/age.py")
    assert found(repository.path, "`evict` rounds.") == Finding("evict", "moved", day(2), to="store/age.py")


def test_a_name_that_many_files_define_is_told_by_its_class_or_module(repository: Dated):
    classes = {f"{n}__cart_py": f"class Cart{n}:\n    def evict_all(self):\n        return {n}\n" for n in range(4)}
    repository.commit("many", **classes)
    at = day(2) + 5_000
    repository.commit("there", **{"2__cart_py": classes["2__cart_py"].replace("return 2", "return 7")})
    assert found(repository.path, "`evict_all` rounds.", at) is None
    assert found(repository.path, "`Cart1.evict_all` rounds.", at) is None
    assert found(repository.path, "`Cart2.evict_all` rounds.", at) == Finding("evict_all", "changed", day(3), 1)
    repository.commit("of modules", a_py="def load_it():\n    return 1\n", b_py="def load_it():\n    return 2\n")
    repository.commit("there", a_py="def load_it():\n    return 3\n")
    assert found(repository.path, "`b.load_it` rounds.", day(4) + 5_000) is None
    assert found(repository.path, "`a.load_it` rounds.", day(4) + 5_000) == Finding("load_it", "changed", day(5), 1)


def test_what_is_not_committed_is_told_so(repository: Dated):
    file = repository.write("cart/ttl.py", EVICT.replace("60", "90") + KEEP)
    assert found(repository.path, PHRASES[0]) == Finding("evict", "changed")
    assert found(repository.path, PHRASES[3]) == Finding("cart/ttl.py:2", "changed")
    file.unlink()
    assert found(repository.path, PHRASES[0]) == Finding("cart/ttl.py", "gone")


def test_what_another_branch_has_otherwise_is_no_change(repository: Dated):
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP, new_py="def fresh_one(): ...\n")
    texts = ("`evict` in `cart/ttl.py` rounds.", "`fresh_one` in new.py", "`fresh_one` rounds.")
    at = day(2) + 5_000
    assert [each.finding for each in look(repository.path, *texts, at=at)] == [None, None, None]
    repository.git("checkout", "--quiet", "main")
    assert [each.finding for each in look(repository.path, *texts, at=at)] == [None, None, None]


def test_what_was_committed_only_after_it_was_written_about_is_what_was_meant(repository: Dated):
    repository.commit("it comes", new_py="def fresh_one():\n    return 1\n")
    text = "`fresh_one` in new.py waits."
    assert found(repository.path, text) is None
    repository.commit("it changes", new_py="def fresh_one():\n    return 2\n")
    assert found(repository.path, text) == Finding("fresh_one", "changed", day(3), 1)


@pytest.mark.parametrize("text", PHRASES)
def test_what_was_written_before_and_committed_after_is_what_was_meant(repository: Dated, text: str):
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP)
    file = repository.path / "cart/ttl.py"
    at = day(1) + 5_000
    os.utime(file, (at / 1000 - 60, at / 1000 - 60))
    assert found(repository.path, text, at) is None
    os.utime(file, (at / 1000 + 60, at / 1000 + 60))
    finding = found(repository.path, text, at)
    assert finding is not None
    assert finding.state == "changed"


def test_commits_that_are_taken_back_or_rebased_away_are_told(repository: Dated):
    kept = repository.commit("kept", a_py="1\n")
    reverted = repository.commit("reverted", b_py="1\n")
    again = repository.commit("back again", c_py="1\n")
    rebased = repository.commit("rebased", d_py="1\n")
    repository.git("reset", "--quiet", "--hard", "HEAD^")
    repository.commit(f"Revert\n\nThis reverts commit {reverted}.", b_py=None)
    back = repository.commit(f"Revert\n\nThis reverts commit {again}.", c_py=None)
    repository.commit(f"Revert\n\nThis reverts commit {back}.", c_py="1\n")
    at = day(5) + 5_000
    assert found(repository.path, f"It came with commit {kept}.", at) is None
    assert found(repository.path, f"It came with commit {reverted[:9]}.", at) == Finding(
        reverted[:9], "reverted", day(6)
    )
    assert found(repository.path, f"It came with commit {again}.", at) is None
    assert found(repository.path, f"It came with commit {rebased}.", at) == Finding(rebased, "unreachable")
    assert found(repository.path, f"It came with commit {'ab12' * 10}.", at) is None
    assert found(repository.path, f"We reverted commit {reverted}.", day(6) + 5_000) is None


def test_a_file_alone_is_told_when_nearly_all_of_it_was_rewritten(repository: Dated):
    lines = "".join(f"value_{n} = compute({n})\n" for n in range(40))
    repository.commit("long", long_py=lines)
    repository.commit("half", long_py=lines[: len(lines) // 2] + "x = another(1)\n")
    at = day(2) + 5_000
    assert found(repository.path, "long.py is generated.", at) is None
    repository.commit("all", long_py="".join(f"other_{n} = compute({n})\n" for n in range(40)))
    assert found(repository.path, "long.py is generated.", at) == Finding("long.py", "rewritten", day(4), 2)


@pytest.mark.parametrize(
    "text",
    [
        "never/was.py would be better.",
        "`never_was` would be better.",
        "/etc/cart/ttl.py on another machine.",
        "../cart/ttl.py elsewhere.",
        "`json.dumps` is slow.",
        "Nothing is cited.",
        "cart/ttl.py:999 is beyond its end.",
        "`__init__` is everywhere.",
    ],
)
def test_what_was_never_there_is_passed_over(repository: Dated, text: str):
    repository.commit("changed", cart__ttl_py=EVICT.replace("60", "90"))
    assert found(repository.path, text) is None


def test_paths_of_the_tree_are_understood_in_full_and_folders_too(repository: Dated):
    repository.commit("gone", cart__ttl_py=None)
    (repository.path / "cart").rmdir()
    subjects = Subjects(paths=(f"{repository.path}/cart/ttl.py", "/elsewhere/cart/ttl.py"))
    past = Past(line_of(repository.path))
    looked = look_up(repository.path, past, [CitedMemory(citations_of("", subjects), day(1))])
    assert looked[0].finding == Finding("cart/ttl.py", "gone", day(2))
    assert found(repository.path, "The folder `cart/` rounds.") == Finding("cart", "gone", day(2))


@pytest.mark.parametrize("at", [0, 5_000, -day(1), 10**18])
def test_a_memory_of_an_impossible_time_takes_nothing_from_the_others(repository: Dated, at: int):
    """Imported memories have any."""
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP)
    past = Past(line_of(repository.path))
    cited = citations_of(PHRASES[0], subjects_of(PHRASES[0]))
    other, usual = look_up(repository.path, past, [CitedMemory(cited, at), CitedMemory(cited, day(1) + 5_000)])
    assert other.finding is None
    assert usual.finding == Finding("evict", "changed", day(2), 1)


def test_where_an_answer_of_git_would_be_too_long_the_rest_is_told(repository: Dated, monkeypatch: pytest.MonkeyPatch):
    repository.commit("many", **{f"many__{n:040}_py": "x = 1\n" for n in range(100)})
    shutil.move(repository.path / "many", repository.path / "much")
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP)
    monkeypatch.setattr(tree_history, "ask", partial(tree_history.ask, bytes_max=4_000))
    texts = (PHRASES[0], "The folder `many/` rounds.", f"many/{0:040}.py rounds.", "`nowhere` in `nowhere.py` rounds.")
    states = [each.finding and each.finding.state for each in look(repository.path, *texts, at=day(2) + 5_000)]
    assert states == ["changed", None, "gone", None]


# --- kinds of repositories -----------------------------------------------------------------------


def test_a_path_from_a_folder_below_is_understood(repository: Dated):
    repository.commit("below", services__cart__src__ttl_py=EVICT)
    repository.commit("there", services__cart__src__ttl_py=EVICT.replace("60", "90"))
    finding = found(repository.path, "`evict` in `src/ttl.py` rounds.", day(2) + 5_000)
    assert finding == Finding("evict", "changed", day(3), 1)


def test_odd_names_and_bytes_are_no_trouble(repository: Dated):
    names = [b"cart/\xff.py", "cart/größe.py".encode(), b"cart/a b.py", b"cart/x\ny.py", b":(top)a.py", b"-a.py"]
    for name in names:
        file = Path(os.fsdecode(os.fsencode(repository.path) + b"/" + name))
        file.write_text(EVICT.replace("evict", "odd_one"))
    repository.commit("odd")
    for name in names:
        Path(os.fsdecode(os.fsencode(repository.path) + b"/" + name)).write_bytes(b"\xff\xfe\r\n\0")
    repository.commit("binary")
    texts = [f"`{os.fsdecode(name)}` is odd." for name in names if b"\xff" not in name]
    states = [each.finding.state if each.finding else "" for each in look(repository.path, *texts, at=day(2) + 5_000)]
    assert set(states) <= {"", "changed"}
    repository.git("rm", "--quiet", "-r", "--", "cart/größe.py")
    repository.commit("gone")
    assert found(repository.path, "`cart/größe.py` rounds.", day(2) + 5_000) == Finding("cart/größe.py", "gone", day(4))


def test_sha256_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = Dated(tmp_path / "sha256", monkeypatch)
    shutil.rmtree(made.path / ".git")
    made.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    made.commit("first", cart__ttl_py=EVICT + KEEP)
    made.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP)
    assert found(made.path, PHRASES[0]) == Finding("evict", "changed", day(2), 1)


def test_a_shallow_clone_says_what_it_knows(repository: Dated, tmp_path: Path):
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP)
    repository.commit("beside", other_py="1\n")
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", f"file://{repository.path}", str(tmp_path / "shallow")], check=True
    )
    finding = found(tmp_path / "shallow", PHRASES[0])
    assert finding is None or finding.state != "gone"
    assert found(tmp_path / "shallow", "cart/ttl.py rounds.") is None


def test_a_partial_clone_fetches_nothing(repository: Dated, tmp_path: Path):
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP, other_py=None)
    clone = tmp_path / "partial"
    subprocess.run(
        ["git", "clone", "--quiet", "--filter=blob:none", f"file://{repository.path}", str(clone)], check=True
    )
    objects = sorted(path.name for path in (clone / ".git/objects").rglob("*"))
    assert found(clone, "other.py is slow.") == Finding("other.py", "gone", day(2))
    assert found(clone, PHRASES[0]) is None  # what it was is not here
    assert sorted(path.name for path in (clone / ".git/objects").rglob("*")) == objects


def test_a_sparse_checkout_leaves_files_out_that_are_not_gone(repository: Dated):
    repository.git("sparse-checkout", "set", "--no-cone", "/other.py")
    assert not (repository.path / "cart").exists()
    assert found(repository.path, "cart/ttl.py rounds.") is None
    assert found(repository.path, PHRASES[0]) is None


def test_a_linked_worktree_is_looked_at_for_itself(repository: Dated, tmp_path: Path):
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "--quiet", "-b", "feature", str(linked))
    (linked / "cart/ttl.py").write_text(EVICT.replace("60", "90") + KEEP)
    assert found(linked, PHRASES[0]) == Finding("evict", "changed")
    assert found(repository.path, PHRASES[0]) is None


def test_an_empty_repository_has_no_past(tmp_path: Path):
    made = Repository(tmp_path / "empty")
    made.write("cart/ttl.py", EVICT)
    assert found(made.path, PHRASES[0]) is None


def test_without_a_repository_only_existence_is_looked_at(tmp_path: Path):
    (tmp_path / "cart").mkdir()
    (tmp_path / "cart/ttl.py").write_text(EVICT)
    ask: Callable[[str], LookupResult] = lambda text: missing_paths(  # noqa: E731
        tmp_path, [CitedMemory(citations_of(text, subjects_of(text)), day(1))]
    )[0]
    assert ask("`evict` in cart/ttl.py rounds.") == LookupResult(None, ("cart/ttl.py",))
    assert ask("cart/old.py rounds.") == LookupResult(Finding("cart/old.py", "missing"), ("cart/old.py",))
    assert ask("old.py rounds.").finding is None


def test_nothing_of_a_repository_is_run(repository: Dated, tmp_path: Path):
    repository.commit("there", cart__ttl_py=EVICT.replace("60", "90") + KEEP, other_py=None)
    traps = Traps(tmp_path / "traps")
    traps.lay(repository.path / ".git")
    repository.write(".gitattributes", "* filter=trap diff=trap merge=trap\n")
    repository.write("cart/ttl.py", EVICT.replace("60", "91") + KEEP)
    texts = [*PHRASES, "other.py is slow.", "`unused_one` is slow.", f"commit {repository.git('rev-parse', 'HEAD^')}"]
    traps_run_by_us = traps.run()
    looked = look(repository.path, *texts)
    assert [each.finding.state for each in looked if each.finding][:8] == ["changed"] * 6 + ["gone"] * 2
    assert traps.run() == traps_run_by_us
