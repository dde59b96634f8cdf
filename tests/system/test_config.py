"""`palimp config`: as a person uses it, and as an agent may."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_clients import BareClient

from palimp_protocol.env.paths import config_path, database_path

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


@pytest.fixture
def palimp(env, tmp_path: Path):
    """Runs a command in a project."""

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PALIMP, *arguments], env=env | more, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def test_a_setting_is_set_told_and_taken_back(palimp, env, tmp_path: Path):
    """Comments stay, the origin is told, and what an answer looks like changes at once."""
    path = Path(config_path(env))
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n")

    done = palimp("config", "set", "mcp.format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_text().startswith("# mine\n")
    assert palimp("config", "get", "mcp.format").stdout == "json\n"
    listed = palimp("config", "list", "--show-origin").stdout
    assert f"json  {path}" in next(line for line in listed.splitlines() if line.startswith("mcp.format"))
    assert "default" in next(line for line in listed.splitlines() if line.startswith("capture.turns"))

    assert palimp("config", "set", "mcp.format", "text", "--in-project").returncode == 0
    assert (tmp_path / ".palimp" / "config.toml").read_text() == '[mcp]\nformat = "text"\n'
    overruled = palimp("config", "set", "mcp.format", "toon")
    assert "project says otherwise, and wins" in overruled.stderr
    assert palimp("config", "unset", "mcp.format", "--in-project").returncode == 0
    assert palimp("config", "get", "mcp.format").stdout == "toon\n"
    assert palimp("config", "unset", "mcp.format").returncode == 0
    assert path.read_text().strip() == "# mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("get", "mcp.fromat"), "Nearest: mcp.format"),
        (("set", "capture.turns", "soon"), "whole number"),
        (("set", "docs.dir", "../elsewhere"), "inside the project"),
        (("set", "capture.command", "x", "--in-project"), "names a program"),
        (("get", ""), "empty"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(palimp, env, tmp_path: Path, arguments, said: str):
    """The sentence says why."""
    done = palimp("config", *arguments)

    assert done.returncode in (2, 4)
    assert said in done.stderr
    assert not Path(config_path(env)).exists()
    assert not (tmp_path / ".palimp").exists()


def test_who_set_a_variable_wrongly_is_told_to_change_that(palimp, env):
    """Not a setting, which the variable would go on to cover."""
    env["PALIMP_SEARCH_ENGINE"] = "lucene"
    refused = palimp("add", "Where would this go?")
    assert "PALIMP_SEARCH_ENGINE is 'lucene'" in refused.stderr
    assert "unset this variable" in refused.stderr
    assert "config set" not in refused.stderr


def test_a_broken_file_is_not_touched(palimp, env):
    """Nor written over; the reason is told by every command, and mending it ends the trouble."""
    path = Path(config_path(env))
    path.parent.mkdir(parents=True)
    path.write_text('[search]\nengine = "lucene"\n')

    refused = palimp("add", "Where would this go?")
    assert refused.returncode == 4
    assert "must be one of auto, fts5, fts4" in refused.stderr
    assert "palimp config set" in refused.stderr
    assert not Path(database_path(env)).exists()
    assert palimp("config", "set", "search.engine", "auto").returncode == 0
    assert palimp("add", "Here it goes.").returncode == 0

    path.write_text("[search\n")
    done = palimp("config", "set", "search.engine", "auto")
    assert done.returncode == 2
    assert "left as it is" in done.stderr
    assert path.read_text() == "[search\n"


def test_a_file_that_is_too_large_is_not_cut(palimp, env):
    """It is refused, whole as it is."""
    path = Path(config_path(env))
    path.parent.mkdir(parents=True)
    path.write_text("# " + "x" * 300_000 + '\n[mcp]\nformat = "json"\n')
    before = path.read_bytes()

    assert "more than" in palimp("config", "set", "mcp.format", "text").stderr
    assert path.read_bytes() == before


def test_what_counts_only_after_a_start_says_so(palimp):
    """The daemon cannot take another engine while it runs."""
    done = palimp("config", "set", "search.engine", "fts4")

    assert done.returncode == 0
    assert "palimp stop" in done.stderr
    remark = [each for each in json.loads(palimp("config", "list", "--json").stdout)["settings"] if each["remark"]]
    assert [each["key"] for each in remark] == ["search.engine"]


def test_a_file_that_was_edited_by_hand_says_so_too(daemon, palimp, env):
    """Though nobody had asked for the settings before."""
    path = Path(config_path(env))
    path.parent.mkdir(parents=True)
    path.write_text('[search]\nengine = "fts4"\n')

    assert "palimp stop" in palimp("config", "list").stdout


def test_an_agent_sets_only_what_does_no_harm(daemon, env):
    """The rest is its user's; it may look at all."""
    client = BareClient(env)
    client.initialize()

    assert "mcp.format = text" in client.ask(1, "config", key="mcp.format", value="text")
    refused = client.ask(2, "config", key="capture.command", value="curl evil")
    assert "names a program that is run" in refused
    assert "names a program" in client.ask(3, "config", key="capture.command", unset=True)
    assert "capture.command" in client.ask(4, "config")
    assert "curl" not in Path(config_path(env)).read_text()
    assert client.close() == 0


def test_what_a_project_s_file_switches_off_is_said_where_a_session_starts(palimp, tmp_path: Path):
    """It may have come with a clone. To the agent and to a person; not once it is the user's own wish."""
    palimp("add", "Payments go through one gateway.")
    assert palimp("config", "set", "changes.on_return", "off", "--in-project").returncode == 0
    said = "Switched off in this project, by its .palimp/config.toml: changes.on_return"
    assert said in palimp("context").stdout
    assert said in palimp("config", "list").stderr
    assert palimp("config", "set", "changes.on_return", "off").returncode == 0
    assert said not in palimp("context").stdout


def test_an_agent_s_shell_sets_nothing_that_is_the_user_s_alone(palimp):
    """As by its tool: what protects the user is not for an agent to switch off."""
    tried = {"save.review": "never", "hooks.rules": "false", "team.hold": "0", "http.enabled": "true"}
    for key, value in tried.items():
        refused = palimp("config", "set", key, value, CODEX_SANDBOX="1")
        assert refused.returncode == 2, key
        assert "Only a person sets" in refused.stderr
    assert palimp("config", "set", "mcp.format", "json", CODEX_SANDBOX="1").returncode == 0
    assert palimp("config", "set", "save.review", "agents").returncode == 0
