"""The log: for a person, for a file, for systemd's journal."""

import json
import os
import subprocess
import sys

CODE = "from palimp_daemon.log import Log; log = Log('info'); log('happened', number=1); log.bug(ValueError('odd'))"


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
