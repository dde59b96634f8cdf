"""`palimp doctor`: everything between an agent and its memory is looked at, and what is broken is named."""

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from fake_claude import npm_package

from palimp_protocol.env.paths import database_path, socket_path, state_directory

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


@pytest.fixture
def doctor(env, project):
    """Runs it; returns its findings by what was looked at, and its exit code."""

    def run(*arguments: str) -> tuple[dict[str, dict], int]:
        command = [*PALIMP, "doctor", "--json", *arguments]
        done = subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=False)
        assert done.stdout, done.stderr
        return {each["check"]: each for each in json.loads(done.stdout)["findings"]}, done.returncode

    return run


def palimp(env, project, *arguments: str) -> str:
    command = [*PALIMP, *arguments]
    return subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=True).stdout


def test_a_new_installation_is_well_and_nothing_of_the_check_is_left(doctor, env, project):
    """Also with the client: install, look, and look again after somebody moved the programs away."""
    palimp(env, project, "install")
    found, code = doctor()
    assert code == 0
    assert {each["state"] for each in found.values()} <= {"well", "note"}, found
    assert found["claude-code"]["text"] == "palimp is registered."
    assert "autoMemoryEnabled" in found["own memories"]["hint"]
    assert "saved, found and purged" in found["whole way"]["text"]
    health = json.loads(palimp(env, project, "health", "--json"))
    assert (health["sessions"], health["usage"]) == ([], "")
    palimp(env, project, "stop")
    connection = apsw.Connection(database_path(env))
    assert connection.execute("SELECT count(*) FROM memories").fetchall() == [(0,)]
    connection.close()

    settings = Path(env["HOME"]) / ".claude.json"
    settings.write_text(settings.read_text().replace("palimp-shim", "moved/palimp-shim"))
    assert doctor()[0]["claude-code"]["state"] == "warning"
    found, code = doctor("--fix")
    assert (found["claude-code"]["state"], code) == ("mended", 0)
    assert doctor()[0]["claude-code"]["state"] == "well"


def test_hooks_that_do_not_fit_the_client_s_version_are_told_and_mended(doctor, env, project):
    """A version that ignores its settings because of them is a failure; one that could do better a warning."""
    old, new = (str(npm_package(Path(env["PALIMP_HOME"]) / number, number)) for number in ("2.1.117", "2.1.118"))
    path = env["PATH"]
    env["PATH"] = f"{old}:{path}"
    palimp(env, project, "install")
    assert doctor()[0]["claude-code"]["state"] == "well"

    env["PATH"] = f"{new}:{path}"
    found = doctor()[0]["claude-code"]
    assert found["state"] == "warning"
    assert "2.1.118 can call" in found["text"]
    assert doctor("--fix")[0]["claude-code"]["state"] == "mended"
    assert doctor()[0]["claude-code"]["state"] == "well"

    env["PATH"] = f"{old}:{path}"
    found, code = doctor()
    assert (found["claude-code"]["state"], code) == ("failure", 4)
    assert "2.1.117 does not know" in found["claude-code"]["text"]
    assert "settings.json" in found["claude-code"]["text"]
    assert doctor("--fix")[0]["claude-code"]["state"] == "mended"
    assert doctor()[0]["claude-code"]["state"] == "well"


def test_what_others_may_see_is_mended(doctor, env, project):
    """Without asking, since nobody can want it."""
    palimp(env, project, "add", "Mine.")
    Path(socket_path(env, user_id=0)).chmod(0o777)
    Path(database_path(env)).chmod(0o644)
    found, code = doctor()
    assert (found["files"]["state"], found["socket"]["state"], code) == ("warning", "warning", 0)
    found, _ = doctor("--fix")
    assert (found["files"]["state"], found["socket"]["state"]) == ("mended", "mended")
    assert Path(database_path(env)).stat().st_mode & 0o777 == 0o600


def mangle(env, statement: str) -> None:
    """Run *statement* on the database, as a program does that is not palimp."""
    connection = apsw.Connection(database_path(env))
    connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("statement", ["DELETE FROM memories_fts", "DROP TRIGGER memories_fts_insert"])
def test_an_index_that_was_built_anew_is_spoken_of(doctor, env, project, statement: str):
    """It costs nobody anything, and it is said."""
    palimp(env, project, "add", "We met at the café.")
    palimp(env, project, "stop")
    mangle(env, statement)
    assert "We met at the café" in palimp(env, project, "search", "café")
    found, code = doctor()
    assert ({each["state"] for each in found.values()} <= {"well", "note"}, code) == (True, 0)
    assert "The index of the words of memories was built anew" in found["index"]["text"]
    assert "was built anew" in palimp(env, project, "health")
    [told] = json.loads(palimp(env, project, "health", "--json"))["store"]["rebuilt"]
    assert (told["index"], told["is_running"]) == ("the words of memories", False)


def alter_a_memory(env) -> None:
    """Do what a flipped bit does: the checksum of a memory does not fit it any more."""
    mangle(env, "UPDATE sums SET sum = sum + 1 WHERE seq = 1")


def test_a_database_that_is_too_large_to_be_examined_at_the_start_is_not_called_well(doctor, env, project):
    """Before the background has looked at it; afterwards it works, and what was altered is named."""
    palimp(env, project, "add", "Mine.")
    palimp(env, project, "stop")
    alter_a_memory(env)
    mangle(env, "CREATE TABLE large (page)")
    mangle(env, "INSERT INTO large VALUES (zeroblob(5000000))")
    assert "Mine" in palimp(env, project, "list"), "it serves first"
    found, code = doctor()
    assert ("memory number 1: altered" in found["database"]["text"], code) == (True, 4)
    found, code = doctor("--fix")
    assert (found["database"]["state"], code) == ("mended", 0)
    assert "Checksum mismatch, content may be damaged; please review" in found["database"]["text"]
    assert "Mine" in palimp(env, project, "list")


def test_a_store_that_was_mended_works(doctor, env, project):
    """Also one of which nothing can be read: what was lost is said, and what there was is kept."""
    palimp(env, project, "add", "Mine.")
    palimp(env, project, "stop")
    Path(database_path(env)).write_bytes(b"no database" * 1_000)
    assert doctor()[0]["database"]["state"] == "failure"
    found, code = doctor("--fix")
    assert (found["database"]["state"], code) == ("mended", 0)
    assert "Every memory in it is gone" in found["database"]["text"]
    palimp(env, project, "add", "Anew.")
    assert "Anew" in palimp(env, project, "list")
    kept = Path(f"{database_path(env)}.damaged-1") / "palimp.db"
    assert kept.read_bytes() == b"no database" * 1_000


def test_a_file_in_the_place_of_the_socket_and_wrong_settings_are_named(doctor, env, project):
    """With what to do about them."""
    config = Path(env["HOME"]) / ".config/palimp/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[search]\nengine = "fts9"\n')
    found, code = doctor()
    assert code == 4
    assert "search.engine" in found["database"]["text"]
    assert found["database"]["hint"]
    palimp(env, project, "stop")
    config.unlink()
    socket = Path(socket_path(env, user_id=0))
    socket.unlink(missing_ok=True)
    socket.write_text("mine")
    found, code = doctor()
    assert (found["socket"]["state"], code) == ("failure", 4)
    assert socket.read_text() == "mine"
    assert Path(state_directory(env)).is_dir()


def test_a_folder_in_a_repository_is_not_written_to(doctor, env, project):
    """What the check leaves would be that project's."""
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    env["TMPDIR"] = str(project)
    found, code = doctor()
    assert (found["whole way"]["state"], code) == ("warning", 0)
    assert "0 memories in 0 projects" in found["database"]["text"]


def test_a_person_gets_marks_and_what_to_do(env, project):
    """Lines with a mark, a hint below, and a sentence at the end."""
    palimp(env, project, "add", "Mine.")
    Path(database_path(env)).chmod(0o644)
    said = palimp(env, project, "doctor")
    assert "WARN    files" in said
    assert "→ chmod 600" in said
    assert said.endswith("is a warning. `palimp doctor --fix` mends some.\n")


def test_a_client_that_is_here_and_does_not_know_palimp_is_not_well(doctor, env, project):
    """Nor is one whose file cannot be read, which is left as it is; each with what to do about it."""
    file = Path(env["HOME"]) / ".claude.json"
    file.write_text("{}\n")
    found, code = doctor()
    assert (found["claude-code"]["state"], code) == ("failure", 4)
    assert "not registered" in found["claude-code"]["text"]
    assert "palimp install" in found["claude-code"]["hint"]
    file.write_text('{\n  "a": 1,\n  "b" 2\n}\n')
    found, code = doctor()
    assert (found["claude-code"]["state"], code) == ("failure", 4)
    assert "is not valid JSON: line 3" in found["claude-code"]["text"]
    assert file.read_text() == '{\n  "a": 1,\n  "b" 2\n}\n'
    file.unlink()
    assert "no client is registered" in palimp(env, project, "doctor")


def test_whether_meaning_ranks_is_said(doctor, env, project):
    """By the doctor, by health, and when palimp is installed; whether it is not there, or switched off."""
    is_there = palimp(env, project, "health").split("semantic   ranking ")[1].startswith("on")
    assert doctor()[0]["meaning"]["state"] == ("well" if is_there else "note")
    palimp(env, project, "config", "set", "search.semantic", "off")
    palimp(env, project, "stop")
    found, code = doctor()
    assert "switched off" in found["meaning"]["text"]
    assert "search.semantic" in found["meaning"]["hint"]
    assert code == 0
    assert "switched off by search.semantic" in palimp(env, project, "health")
