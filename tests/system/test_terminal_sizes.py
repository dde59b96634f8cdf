"""Every command on terminals of 40, 80 and 200 columns, with colour and without: whole ids and times, no torn words."""

import argparse
import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from claude_hooks import Agent
from forked_palimp import ForkedPalimp, forked_palimp
from lanes import IS_NIGHTLY
from leaf_commands import leaf_commands
from retry_helper import KEEP, RETRY
from rich.cells import cell_len
from running_daemon import RunningDaemon, palimp_environment, temporary_home, wait_until
from terminals import ESCAPES, PALIMP, on_terminal

from palimp_shim.cli.main import whole_parser

WIDTHS = (40, 80, 200)
TERMINALS = [(columns, {}) for columns in WIDTHS] + [(40, {"NO_COLOR": "1"}), (80, {"TERM": "dumb"})]
"""Columns, and what more is in the environment: what is no colour does not depend on the width, nor the other way."""

if IS_NIGHTLY:
    TERMINALS = [(columns, more) for columns in WIDTHS for more in ({}, {"NO_COLOR": "1"}, {"TERM": "dumb"})]
SESSION = "3f8b523d-9f4e-4d0c-8b39-0a1f4f5f9c11"
WHOLE = re.compile(r"\b(?:m[0-9a-z]{7,9}|h\d+|\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)\b")
"""Ids and times."""

GIVEN = {
    "text": "Said on a terminal of some width",
    "query": "retries",
    "name": "retries",
    "pattern": "retries",
    "slug": "guide",
    "path": "a.py",
    "key": "mcp.format",
    "value": "markdown",
    "former": "/nowhere/at/all",
    "repository": ".",
    "session": SESSION,
    "folder": ".palimp/docs",
}
"""What is given for arguments without a dash; MEMORY, HUNK and FILE are filled in."""

OPTIONS = {"undo": ["--dry-run"], "team revoke": ["--yes"]}
"""Options of commands that ask first on a terminal, with which they show the same and do not ask."""

NOT_RUN = {
    "docs forget": "it asks first, and others show what it erases",
    "stop": "it ends the daemon of the other tests",
    "uninstall": "as above",
    "embed": "it waits for a model that is not installed",
    "doctor": "run by itself below: it takes seconds",
    "import": "its argument is a file that is run by itself below",
    "backup": "as above",
    "export": "as above",
    "changes import": "it waits for git",
    "changes replay": "it is a program of its own",
}


COMMANDS = leaf_commands(whole_parser())


@pytest.fixture(scope="module")
def forked():
    """What runs `palimp` without starting it."""
    with forked_palimp() as palimp:
        yield palimp


@pytest.fixture(scope="module")
def filled():
    """A project with memories of long titles, documents, sessions and removed code, and a daemon that serves it."""
    with temporary_home() as home:
        env = palimp_environment(home)
        project = home / "project"
        (project / ".palimp" / "docs").mkdir(parents=True)
        running = RunningDaemon(env)
        running.start()

        def palimp(*arguments: str, said: str = "") -> str:
            done = subprocess.run(
                [*PALIMP, *arguments], env=env, cwd=project, input=said, capture_output=True, text=True, check=True
            )
            return done.stdout

        ids = []
        for number in range(4):
            text = (
                f"Retries number {number} stop at 3, since the API bans a client after the fourth attempt in a minute"
            )
            ids.append(json.loads(palimp("add", text, "--tag", "api", "--kind", "decision", "--json"))["id"])
        palimp("docs", "add", "guide", "-", said="# A guide\n\nRetries are written about here at some length.\n")
        palimp("docs", "edit", "guide", "-", said="# A guide\n\nRetries are written about here at more length.\n")
        (project / "a.py").write_text(KEEP + RETRY)
        agent = Agent(env, project, session=SESSION)
        agent.edit("a.py", RETRY, "")
        agent.stop()
        agent.end()
        yield env, project, {"MEMORY": ids[0], "HUNK": "h1", "FILE": str(project / "a.py")}
        running.process.kill()
        running.process.wait()


def arguments_of(name: str, parser: argparse.ArgumentParser, known: dict[str, str]) -> list[str]:
    """Return arguments with which the command *name* does something."""
    given = [*name.split(), *OPTIONS.get(name, [])]
    for action in parser._actions:
        if action.option_strings or not (action.nargs not in ("?", "*") or action.dest in GIVEN):
            continue
        value = GIVEN.get(action.dest) or known["HUNK" if name.startswith("changes") else "MEMORY"]
        given.append(known["FILE"] if action.dest == "file" else value)
    return given


def check(shown: str, columns: int, *, is_coloured: bool) -> None:
    """Check what every output has in common."""
    assert "Traceback" not in shown, shown
    if not is_coloured:
        assert not re.search(r"\x1b\[[0-9;]*m", shown)
    lines = re.split(r"[\n\r]", ESCAPES.sub("", shown))
    for line in lines:
        assert cell_len(line) <= columns or " " not in line.strip(), (columns, line, shown)
    short = [len(line.strip()) <= 2 for line in lines if line.strip()]
    assert not any(all(short[at : at + 4]) for at in range(len(short) - 3)), shown  # no text one letter a line


STORED_AS_IT_IS = {
    "show", "context", "handoff", "turns", "changes show", "docs read", "summarize", "changes check", "config get",
}  # fmt: skip
"""Commands that print texts of others, which stay as they are."""


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - NOT_RUN.keys()))
def test_a_command_stands_on_any_terminal(filled, forked: ForkedPalimp, name: str):
    """Nothing is wider than the terminal but a word, nothing that must be whole is cut, and colour can be off."""
    env, project, known = filled
    arguments = arguments_of(name, COMMANDS[name], known)
    piped = subprocess.run(
        [*PALIMP, *arguments],
        env=env,
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in piped.stderr
    for columns, more in TERMINALS:
        shown, _ = forked.on_terminal(arguments, env | more, project, columns)
        if name not in STORED_AS_IT_IS:
            check(shown, columns, is_coloured=not more)
        if name in ("list", "search", "sessions", "changes log", "tags", "projects", "docs list", "docs history"):
            for whole in WHOLE.findall(piped.stdout):
                assert whole in ESCAPES.sub("", shown), (columns, whole, shown)


@pytest.mark.parametrize("columns", WIDTHS)
def test_without_colour_a_table_is_a_table(filled, columns: int):
    """The same words stand in the same places; on a narrow terminal rows are stacked."""
    env, project, _ = filled
    coloured, _ = on_terminal(["list"], env, project, columns)
    plain, _ = on_terminal(["list"], env | {"NO_COLOR": "1"}, project, columns)

    assert "\x1b[" in coloured
    assert [line.rstrip() for line in ESCAPES.sub("", coloured).split("\n")] == [
        line.rstrip() for line in plain.split("\n")
    ]
    assert ("memory" in plain.split("\n")[0]) == (columns > 40)


@pytest.mark.parametrize("columns", WIDTHS)
def test_help_and_errors_stand_too(filled, forked: ForkedPalimp, columns: int):
    """Of every command; the command line says what was meant."""
    env, project, _ = filled
    for arguments in (["--help"], ["docs"], ["docs", "lst"], ["serch", "x"], ["list", "--limt", "3"], ["doctor"]):
        shown, code = forked.on_terminal(arguments, env, project, columns)
        assert "Traceback" not in shown
        assert code in (0, 2, 4)
    assert "Did you mean search?" in on_terminal(["serch", "x"], env, project, columns)[0]


@pytest.mark.parametrize("name", sorted(COMMANDS)[:: 1 if IS_NIGHTLY else 15])
def test_a_full_disk_at_stdout_is_a_sentence(filled, name: str):
    """And exit 4, not 1, which says that nothing was found; also for the help of commands, which one line prints."""
    env, project, _ = filled
    with Path("/dev/full").open("wb") as full:
        command = [*PALIMP, *name.split(), "--help"]
        done = subprocess.run(command, env=env, cwd=project, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert b"stdout cannot be written: No space left on device." in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["list", "--json"], ["show", "MEMORY"], ["docs", "read", "guide"], ["export", "-"], ["health"]],
)
def test_stdout_that_takes_nothing_is_no_traceback(filled, arguments: list[str]):
    """A full disk and a closed stdout are exit 4; a reader that left is none."""
    env, project, known = filled
    command = " ".join([*PALIMP, *(known.get(each, each) for each in arguments)])
    for redirected, code in ((">/dev/full", 4), (">&-", 4), ("| true; exit ${PIPESTATUS[0]}", 0)):
        done = subprocess.run(
            ["bash", "-c", f"{command} {redirected}"], env=env, cwd=project, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>/dev/full"], env=env, cwd=project, capture_output=True, check=False
    )
    assert done.returncode == 0


def test_an_interrupt_is_130_and_no_traceback(filled):
    """While a command waits for stdin, or for a daemon that does not answer."""
    env, project, _ = filled
    with subprocess.Popen(
        [*PALIMP, "add"], env=env, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_until(lambda: reads_stdin(process.pid), 60)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert (process.returncode, said) == (130, b"")


def reads_stdin(pid: int) -> bool:
    """Tell whether a process is in read(2) of stdin (proc(5), syscall; its number is 0 or, on ARM, 63)."""
    fields = Path(f"/proc/{pid}/syscall").read_text().split()
    return fields[0] in ("0", "63") and fields[1] == "0x0"


def test_stdin_is_read_where_no_text_is_given(filled):
    """As every filter does; what is too long or nothing at all is refused, and nothing is stored of it."""
    env, project, _ = filled

    def add(said: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*PALIMP, "add", *arguments], env=env, cwd=project, input=said, capture_output=True, check=False
        )

    assert b'Saved "Piped in"' in add(b"Piped in.\n").stdout
    assert b'Saved "Given"' in add(b"Piped in too.\n", "Given.").stdout
    assert b"blank" in add(b" \n").stderr
    assert b"more than 10,000 characters" in add(b"x" * 20_000).stderr
    assert b"UTF-8" in add(b"\xff\xfe").stderr
    assert "There is no text." in on_terminal(["add"], env, project, 80)[0]


def test_marks_are_for_terminals_and_agents_only(filled):
    """In a pipe a snippet is what was stored, also where that has such signs itself."""
    env, project, _ = filled
    text = "Call it so. Then f(**options) and 2**3**4 are what the options of the parser come to in the end."
    subprocess.run([*PALIMP, "add", text], env=env, cwd=project, check=True, capture_output=True)
    done = subprocess.run(
        [*PALIMP, "search", "options", "parser"], env=env, cwd=project, capture_output=True, text=True, check=True
    )
    assert "f(**options) and 2**3**4 are what the options of the parser" in done.stdout
    shown = on_terminal(["search", "options", "parser"], env, project, 200)[0]
    assert "f(**options) and 2**3**4 are what the options of the parser" in " ".join(ESCAPES.sub("", shown).split())
    assert re.search(r"\x1b\[[0-9;]*m(options|parser)\x1b", shown)
