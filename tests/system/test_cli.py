"""The command line as people and scripts use it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

PALIMP = [sys.executable, "-m", "palimp_shim.cli.main"]


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs the command line in a project."""

    def run(*arguments: str, text: str = "", folder: Path = project) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, text=True, check=False, input=text
        )

    return run


def saved_id(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout.rsplit("(", 1)[1].rstrip(")\n")


def test_a_memory_goes_in_and_comes_out(palimp):
    """add, search, list, show, delete, restore."""
    made = saved_id(palimp("add", "Money", "is", "integer cents.", "--kind", "decision", "--tag", "ledger"))

    assert palimp("search", "cents").stdout.startswith(f"{made}\t")
    assert palimp("list", "--kind", "decision").stdout.startswith(f"{made}\t")
    assert "Money is integer cents." in palimp("show", made).stdout
    assert palimp("delete", made).stdout == f"Purged {made} Money is integer cents\n"
    assert palimp("search", "cents").returncode == 1
    assert palimp("list", "--purged").stdout.startswith(f"{made}\t")
    assert palimp("restore", made).stdout == f"Restored {made} Money is integer cents\n"
    assert palimp("search", "cents").returncode == 0


def test_a_memory_is_shown_by_the_title_that_it_alone_has(palimp):
    """Whole, or a part of it; what two memories have names neither, but for a title that is just that."""
    for title in ("Money in the ledger", "Money in the ledger, rounded", "请求超时"):
        palimp("add", f"What is to be said of {title!r}.", "--title", title)

    found = {"money in the LEDGER": "'Money in the ledger'", "rounded": "rounded'", "超时": "请求超时"}
    for name, title in found.items():
        shown = palimp("show", name)
        assert (shown.returncode, shown.stdout.count("What is to be said of")) == (0, 1), shown
        assert title in shown.stdout
    for name in ("in the", "Elsewhere in it"):
        shown = palimp("show", name)
        assert (shown.returncode, shown.stdout) == (1, ""), shown
        assert f"{name}: not an id" in shown.stderr


def test_text_can_come_from_stdin(palimp):
    """A dash stands for it, and too much of it is refused, not cut."""
    assert "From a pipe" in palimp("save", "-", text="From a pipe.\n").stdout
    assert palimp("add", "-", text="x" * 10_001).returncode == 2


def test_what_is_no_text_is_refused_in_a_sentence(palimp):
    for command in (["add"], ["search"], ["config", "set", "mcp.format"]):
        done = palimp(*command, "bad \udcff byte")
        assert done.returncode == 2
        assert "is no UTF-8 text (character" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["add", "-"], ["changes", "check", "a.py", "--stdin"]])
def test_what_is_no_text_on_stdin_is_refused_too(env, project: Path, daemon, command: list[str]):
    done = subprocess.run(
        [*PALIMP, *command, "--json"], env=env, cwd=project, capture_output=True, check=False, input=b"bad \xff"
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"palimp: The input from stdin is no UTF-8 text (byte 5 of it).")
    assert json.loads(done.stdout)["error"]["code"] == "bad_request"


def test_a_folder_whose_name_is_no_text_has_its_memories(palimp, home: Path):
    folder = Path(os.fsdecode(os.fsencode(home) + b"/d\xff"))
    folder.mkdir()
    assert palimp("add", "Money is integer cents.", folder=folder).returncode == 0
    assert "integer cents" in palimp("search", "cents", folder=folder).stdout
    assert "integer cents" not in palimp("search", "cents").stdout


def test_in_a_folder_that_is_gone_a_command_says_so(env, daemon, home: Path):
    """Unless the shell says what it was, which it does."""
    gone = home / "gone"
    script = "mkdir -p $0 && cd $0 && rmdir $0 && exec {} list"
    for unset, code, said in (("env -u PWD ", 2, "The working folder is gone"), ("", 1, "")):
        command = f"{unset}{' '.join(PALIMP)}"
        done = subprocess.run(
            ["sh", "-c", script.format(command), str(gone)], env=env, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
        assert said in done.stderr


def test_a_terminal_that_knows_ascii_only_is_shown_what_it_can(palimp, env):
    """JSON and documents are UTF-8 all the same: scripts read them."""
    env["PYTHONIOENCODING"] = "ascii"
    done = palimp("add", "Größe")
    assert (done.returncode, done.stdout.partition(" (")[0]) == (0, 'Saved "Gr\\xf6\\xdfe"')
    assert json.loads(palimp("list", "--json").stdout)["memories"][0]["title"] == "Größe"
    palimp("docs", "add", "groesse", "-", text="Größe")
    assert palimp("docs", "read", "groesse").stdout.strip() == "Größe"


def test_that_a_secret_was_left_out_is_said(palimp):
    done = palimp("add", "The password: Secr3t12x.")
    assert "secrets or private parts in it were not stored" in done.stderr


def test_json_is_the_reply_itself(palimp):
    """For scripts: everything that the daemon answered."""
    made = json.loads(palimp("add", "For scripts.", "--json").stdout)
    found = json.loads(palimp("search", "scripts", "--json", "--explain").stdout)

    assert made["title"] == "For scripts"
    assert found["memories"][0]["id"] == made["id"]
    assert found["memories"][0]["why"] == "All words match: scripts. Score 1.00."
    bare = json.loads(palimp("search", "scripts", "--json").stdout)["memories"][0]
    assert not {"score", "covered", "why"} & bare.keys()
    assert found["total"] == 1


def test_the_project_is_the_working_folder_unless_said(palimp, home: Path, project: Path):
    """--project and --global override it, --all adds the global scope."""
    palimp("add", "In the project.")
    palimp("add", "Everywhere.", "--global")
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()

    assert palimp("list", folder=elsewhere).returncode == 1
    assert "In the project" in palimp("list", "--project", str(project), folder=elsewhere).stdout
    assert palimp("list", "--global").stdout.count("\n") == 1
    assert palimp("list", "--all").stdout.count("\n") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["search", "nothing"], 1, ""),
        (["show", "zzz"], 1, "zzz: no such memory"),
        (["delete", "zzz"], 1, "zzz: no such memory"),
        (["edit", "m9zz", "Other text."], 1, "m9zz: no such memory"),
        (["supersede", "m9zz", "m9zy"], 1, "m9zz: no such memory"),
        (["rules", "show", "m9zz"], 1, "m9zz: no such memory"),
        (["changes", "show", "h99"], 1, "h99: no such removed code"),
        (["docs", "read", "guide"], 1, "No document has the slug 'guide'."),
        (["sessions", "nokey"], 1, "No session of this project is called nokey."),
        (["sessions", "--given", "m9zz"], 1, "m9zz: no such memory"),
        (["projects", "link", "/proc/nonexistent"], 1, "No project is known at /proc/nonexistent."),
        (["adopt", "/proc/nonexistent"], 1, "No project is known at /proc/nonexistent."),
        (["add", " "], 2, "blank"),
        (["search", "x", "--limit", "99"], 2, "--limit must be between 1 and 50 (got 99)."),
        (["list", "--project", "/proc/nonexistent"], 2, "not a folder"),
        (["list", "--kind", "memo"], 2, "--kind cannot be 'memo'."),
        (["forget"], 2, "Did you mean delete?"),
        (["import", "-"], 2, "not stdin"),
    ],
)
def test_exit_codes_mean_something(palimp, arguments: list[str], code: int, said: str):
    """1: nothing found; 2: the request was wrong. The reason is on stderr."""
    done = palimp(*arguments)

    assert done.returncode == code
    assert said in done.stderr


@pytest.mark.parametrize("command", [["list"], ["docs", "add"], []])
def test_help_before_a_command_is_its_help(palimp, command: list[str]):
    assert palimp("help", *command).stdout == palimp(*command, "--help").stdout != ""


def test_a_purged_memory_leads_a_person_to_what_shows_and_restores_it(palimp):
    saved = json.loads(palimp("add", "The lift is out of order.", "--json").stdout)["id"]
    palimp("delete", saved)
    said = palimp("show", saved).stderr
    assert "`palimp show --purged` shows it" in said
    assert "`palimp restore`" in said
    assert "The lift is out of order." in palimp("show", saved, "--purged").stdout


def test_acts_on_what_was_erased_since_count_no_memories(palimp):
    saved = json.loads(palimp("add", "The lift is out of order.", "--json").stdout)["id"]
    palimp("pin", saved)
    palimp("delete", saved, "--hard", "--yes")
    told = palimp("undo", "--list").stdout
    assert "you pinned what was deleted for good since" in told
    assert "0 memories" not in told
    assert "more" not in told


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["sessions", "nokey"], {"code": "not_found", "text": "No session of this project is called nokey."}),
        (
            ["search", "x", "--limit", "99"],
            {"code": "bad_request", "text": "--limit must be between 1 and 50 (got 99)."},
        ),
        (["list", "--kind", "memo"], {"code": "bad_request", "text": "--kind cannot be 'memo'."}),
        (["import", "/proc/nonexistent"], {"code": "bad_request", "text": "/proc/nonexistent does not exist."}),
    ],
)
def test_an_error_is_json_for_a_script_and_a_sentence_for_its_log(palimp, arguments: list[str], error: dict[str, str]):
    """Whoever finds it: the parser, the command or the daemon."""
    done = palimp(*arguments, "--json")
    said = json.loads(done.stdout)["error"]

    assert {**said, "hint": ""} == {**error, "hint": ""}
    assert error["text"] in done.stderr
    assert palimp(*arguments).stdout == ""


def test_a_terminal_gets_colour_and_a_pipe_does_not(palimp, env, project: Path):
    """And NO_COLOR is honoured."""
    palimp("add", "Seen in colour, with a longer text so that the snippet differs from the title. Second sentence.")

    assert "\033[" in _on_terminal(["search", "colour"], env, project)
    assert "\033[" not in _on_terminal(["search", "colour"], env | {"NO_COLOR": "1"}, project)
    assert "\033[" not in palimp("search", "colour").stdout


def test_a_reader_that_leaves_is_no_error(palimp, env, project: Path):
    """`palimp list | head -0`."""
    palimp("add", "One.")
    line = f"{' '.join(PALIMP)} list | true; exit ${{PIPESTATUS[0]}}"

    done = subprocess.run(["bash", "-c", line], env=env, cwd=project, capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert done.stderr == ""


def test_without_a_command_the_commands_are_listed(env):
    done = subprocess.run(PALIMP, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "find memories by words or a question" in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["list", "--help"], ["import", "--help"]])
def test_help_shows_an_example(env, arguments: list[str]):
    """Without a daemon. Of all commands that is checked in tests/unit/shim/cli/test_commands.py."""
    done = subprocess.run([*PALIMP, *arguments], env=env, capture_output=True, text=True, check=True)

    assert "Examples:\n  palimp" in done.stdout


def _on_terminal(arguments: list[str], env: dict[str, str], folder: Path) -> str:
    """Return what a command prints on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PALIMP, *arguments], env=env | {"TERM": "xterm"}, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        pass  # Linux says EIO when the other end of a terminal is closed
    process.wait()
    os.close(ours)
    return shown.decode()
