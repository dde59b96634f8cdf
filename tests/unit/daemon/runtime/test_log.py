"""The log: for a person, for a file, for systemd's journal."""

import json
import os
import pty
import subprocess
import sys

CODE = (
    "from palimp_daemon.runtime.log import Log; log = Log('info')"
    "; log('happened', number=1); log.bug(ValueError('odd'))"
)


def lines(env: dict[str, str], stderr) -> None:
    subprocess.run([sys.executable, "-c", CODE], env={**os.environ, **env}, stderr=stderr, check=True)


def test_a_file_gets_json_with_the_time(tmp_path):
    with (tmp_path / "log").open("w") as file:
        lines({}, file)
    happened, bug = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert (happened["event"], happened["number"]) == ("happened", 1)
    assert "timestamp" in happened
    assert "ValueError: odd" in bug["exception"]


def test_the_journal_gets_the_level_first_and_no_time(tmp_path):
    """And a file that is not the journal that was named is none."""
    with (tmp_path / "log").open("w") as file:
        at = os.fstat(file.fileno())
        lines({"JOURNAL_STREAM": f"{at.st_dev}:{at.st_ino}"}, file)
    happened, bug = (tmp_path / "log").read_text().splitlines()
    assert happened.startswith("<6>{")
    assert bug.startswith("<3>{")
    assert "timestamp" not in happened


def test_what_is_below_the_level_is_not_said():
    code = "from palimp_daemon.runtime.log import Log; log = Log('error'); log('happened'); log.bug(ValueError('odd'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [json.loads(line)["level"] for line in done.stderr.splitlines()] == ["error"]


def test_a_person_reads_the_event_and_its_fields_on_a_terminal():
    parent, child = pty.openpty()
    with os.fdopen(child, "w") as terminal:
        lines({}, terminal)
    said = os.read(parent, 4_096).decode()
    os.close(parent)
    assert "happened number=1" in said
    assert "ValueError: odd" in said


LIBRARY = """
import logging
from palimp_daemon.runtime.log import Log

Log("info").take_from_libraries()
logging.getLogger("mcp.server").warning("dropped %r", "what a memory says")
logging.getLogger("mcp.server").info("chatter")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("mcp.server").exception("failed")
"""


def test_what_a_library_warns_of_is_an_event_without_what_it_was_given():
    """So that every line is JSON, and no memory's text is in any."""
    done = subprocess.run([sys.executable, "-c", LIBRARY], capture_output=True, text=True, check=True)
    event, failure = [json.loads(line) for line in done.stderr.splitlines()]
    assert (event["event"], event["level"]) == ("library", "warning")
    assert (event["logger"], event["said"]) == ("mcp.server", "dropped %r")
    assert failure["level"] == "error"
    assert "ZeroDivisionError" in failure["exception"]


RENEWED = """
import os, sys
from palimp_daemon.runtime import log
from palimp_daemon.runtime.log import Log

log.LOG_BYTES_MAX = 2_000
said = Log("info", sys.argv[1])
for number in range(int(sys.argv[2])):
    said("happened", number=number)
os.write(1, b"printed\\n")
"""


def test_the_file_is_bounded_while_the_daemon_runs_and_the_last_events_are_in_it(tmp_path):
    """What came before is in one older file; nothing is written to a file that has no name any more."""
    file = tmp_path / "palimpd.log"
    with file.open("ab") as stream:
        subprocess.run([sys.executable, "-c", RENEWED, file, "200"], stdout=stream, stderr=stream, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["palimpd.log", "palimpd.log.1"]
    assert all(path.stat().st_size < 2_500 for path in tmp_path.iterdir())
    assert all(path.stat().st_mode & 0o077 == 0 for path in [file])
    *events, printed = file.with_suffix(".log.1").read_text().splitlines() + file.read_text().splitlines()
    assert printed == "printed"
    numbers = [json.loads(line)["number"] for line in events]
    assert numbers == list(range(numbers[0], 200))


def test_a_file_that_somebody_else_chose_is_not_renewed(tmp_path):
    """Its bound is theirs."""
    with (tmp_path / "mine.log").open("ab") as stream:
        command = [sys.executable, "-c", RENEWED, tmp_path / "palimpd.log", "200"]
        subprocess.run(command, stdout=stream, stderr=stream, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.log"]
    assert len((tmp_path / "mine.log").read_text().splitlines()) == 201


ODD = """
from palimp_daemon.runtime.log import Log

class Odd:
    def __repr__(self):
        raise ValueError("no words")

log = Log("info")
log("odd", name="n\\udcff\\ud83d", value=Odd())
log("odd", name="n\\udcff\\ud83d")
log.bug(ValueError("\\udcff"))
log.bug(ExceptionGroup("both", [ValueError("\\ud83d")]))
"""


def test_whatever_an_event_holds_it_is_a_line_and_nobody_hears_of_it():
    done = subprocess.run([sys.executable, "-c", ODD], capture_output=True, text=True, check=True)
    events = [json.loads(line)["event"] for line in done.stderr.splitlines()]
    assert events == ["log_failed", "odd", "bug", "bug"]
