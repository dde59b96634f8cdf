"""An action is the files that it touches and the commands that it runs, from the root on, however it is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.sessions.actions import PARTS_MAX, Touched, action_of

ROOTS = ["/work/one"]


def touched(tool: str, **tool_input: object) -> list[Touched]:
    action = action_of(tool, tool_input, ROOTS)
    return [*action.touched] if action else []


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/work/one/a/b.py", ("a", "b.py")),
        ("/work/one/a/../b.py", ("b.py",)),
        ("/work/one-more/b.py", ("/", "work", "one-more", "b.py")),
        ("/work/one/モデル/税.rb", ("モデル", "税.rb")),
        ("a/b.py", ("a", "b.py")),
    ],
)
def test_a_file_is_known_by_its_path_from_the_root(path: str, parts: tuple[str, ...]):
    assert touched("Read", file_path=path) == [Touched(parts, is_changed=False)]
    assert touched("NotebookEdit", notebook_path=path) == [Touched(parts, is_changed=True)]


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("cat a/b.py", [Touched(("a", "b.py"), is_changed=False)]),
        ("sed -i s/a/b/ a/b.py", [Touched(("a", "b.py"), is_changed=True)]),
        ("cd a && rm b.py", [Touched(("a", "b.py"), is_changed=True)]),
        ("git add a/b.py", [Touched(("a", "b.py"), is_changed=True)]),
        ("sort x > a/out.txt 2> /dev/null", [Touched(("a", "out.txt"), is_changed=True)]),
        ("ls a/b.py; grep x a/b.py; git log -- a/b.py; wc a/b.py", []),
        ("cat <<'X'\nrm a/b.py\nX", []),
    ],
)
def test_a_line_touches_what_it_reads_or_writes_and_not_what_it_looks_at(line: str, files: list[Touched]):
    assert touched("Bash", command=line) == files


def test_a_file_that_is_changed_is_also_asked_for_by_its_folders():
    change = action_of("Edit", {"file_path": "/work/one/a/b/c.py"}, ROOTS)
    read = action_of("Read", {"file_path": "/work/one/a/b/c.py"}, ROOTS)
    assert change
    assert read
    assert change.names == ["/b/c.py", "/c.py", "/a/b", "/b", "/a", "/*.py"]
    assert read.names == ["/b/c.py", "/c.py"]


def test_a_new_file_among_migrations_is_one():
    action = action_of("Write", {"file_path": "/work/one/db/migrations/1.sql", "content": ""}, ROOTS)
    assert action
    assert action.kinds == ("migrate",)


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Bash", {}),
        ("Bash", {"command": 3}),
        ("Bash", {"command": " "}),
        ("Edit", {"file_path": ["x"]}),
        ("Read", {"file_path": "/work/one/\0"}),
        ("Read", {"file_path": "x" * 2_000}),
        ("WebFetch", {"url": "https://example.com"}),
    ],
)
def test_what_is_not_understood_is_no_action(tool: str, tool_input: dict[str, object]):
    assert action_of(tool, tool_input, ROOTS) is None


def test_of_a_deep_path_the_innermost_folders_count():
    [deep] = touched("Edit", file_path="/work/one/" + "x/" * 100 + "a.py")
    assert len(deep.parts) == PARTS_MAX


@given(st.text(), st.sampled_from(["Bash", "Read", "Edit"]))
def test_no_input_is_too_odd(text: str, tool: str):
    action = action_of(tool, {"command": text, "file_path": text}, ROOTS)
    assert action is None or len(action.names) < 200
