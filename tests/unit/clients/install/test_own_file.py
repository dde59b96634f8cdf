"""Copilot CLI and OpenCode: a file of palimp's own beside the client's, and every byte as it was afterwards."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from nodejs import NODE, needs_node

from palimp_clients.copilot import install as copilot
from palimp_clients.copilot.dialect import EVENTS
from palimp_clients.copilot.install import COPILOT
from palimp_clients.install.client_files import apply, undo
from palimp_clients.install.own_file import WithOwnFile
from palimp_clients.installers import CLIENTS, SETTLING
from palimp_clients.opencode import install as opencode
from palimp_clients.opencode.install import OPENCODE

PROGRAMS = Path("/opt/palimp's é/bin")
BOTH = pytest.mark.parametrize("client", [COPILOT, OPENCODE], ids=lambda client: client.name)
SERVERS = {"copilot": ".copilot/mcp-config.json", "opencode": ".config/opencode/opencode.json"}
OWN = {"copilot": ".copilot/hooks/palimp.json", "opencode": ".config/opencode/plugins/palimp.js"}


class Home:
    """A home folder, in which a client's files may be."""

    def __init__(self, client: WithOwnFile, folder: Path, **env: str) -> None:
        self.client = client
        self.folder = folder
        self.env = {"HOME": str(folder), "PALIMP_HOME": str(folder / "state"), **env}
        self.own = client.path(self.env)

    def install(self, programs: Path = PROGRAMS) -> list[str]:
        changes, said = self.client.changes(self.env, programs)
        apply(changes, self.client.name, self.env)
        return said

    def uninstall(self) -> list[str]:
        return undo(self.client.present(self.env), self.client.name, self.env)

    def files(self) -> dict[str, bytes]:
        """Return what is in the home, but for palimp's own folder."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and "state" not in path.parts)
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}


@pytest.fixture
def user(tmp_path: Path, client: WithOwnFile) -> Home:
    return Home(client, tmp_path)


@BOTH
def test_both_files_are_made_once_and_are_gone_afterwards(user: Home):
    user.install()
    assert user.files().keys() == {SERVERS[user.client.name], OWN[user.client.name]}
    assert user.client.changes(user.env, PROGRAMS) == ([], [])
    assert user.client.is_installed(user.env)
    user.uninstall()
    assert list(user.folder.iterdir()) == [user.folder / "state"]
    assert not user.client.is_installed(user.env)


@BOTH
def test_what_else_is_in_the_clients_file_stays_to_the_byte(user: Home):
    path = user.folder / SERVERS[user.client.name]
    path.parent.mkdir(parents=True)
    before = (
        '{\r\n\t"größe": 1.50, // 寸法\r\n\t"mcpServers": {"other": {}},\r\n\t"mcp": {"other": {}},\r\n}\r\n'.encode()
    )
    path.write_bytes(before)
    user.install()
    assert path.read_bytes() != before
    user.uninstall()
    assert user.files() == {SERVERS[user.client.name]: before}


@BOTH
def test_a_file_that_somebody_else_wrote_stays_and_that_is_said(user: Home):
    user.own.parent.mkdir(parents=True)
    user.own.write_text("// mine\n")
    assert user.install() == [f"{user.own} is yours, and stays as it is."]
    user.uninstall()
    assert user.own.read_text() == "// mine\n"


@BOTH
def test_a_file_of_ours_that_somebody_changed_stays_and_that_is_said(user: Home):
    user.install()
    user.own.write_bytes(user.own.read_bytes() + b"\n")
    assert user.install(Path("/newer")) == [f"{user.own} is yours, and stays as it is."]
    assert any(f"{user.own} was changed since" in line for line in user.uninstall())
    assert user.own.exists()


@BOTH
def test_another_installation_replaces_the_file_of_ours(user: Home):
    user.install(Path("/older"))
    assert user.install(Path("/newer")) == []
    assert b"/newer/palimp" in user.own.read_bytes()
    user.uninstall()
    assert user.files() == {}


@pytest.mark.parametrize(
    ("client", "variable", "own"),
    [(COPILOT, "COPILOT_HOME", "hooks/palimp.json"), (OPENCODE, "XDG_CONFIG_HOME", "opencode/plugins/palimp.js")],
)
def test_a_folder_that_the_environment_names_is_taken(client: WithOwnFile, variable: str, own: str, tmp_path: Path):
    user = Home(client, tmp_path, **{variable: str(tmp_path / "wo anders")})
    user.install()
    assert f"wo anders/{own}" in user.files()


def hooks_of(programs: Path) -> dict[str, list[dict[str, Any]]]:
    return json.loads(copilot.hooks_text(programs))["hooks"]


def test_copilots_hooks_are_of_its_own_events_and_tools():
    """In the form in which tools have Copilot's names: a patch is no edit of one file then."""
    hooks = hooks_of(PROGRAMS)
    assert hooks.keys() == EVENTS.keys() - {"subagentStop"}
    assert "apply_patch" in hooks["postToolUse"][0]["matcher"].split("|")
    assert "matcher" not in hooks["agentStop"][0]


@pytest.mark.parametrize("programs", [PROGRAMS, Path("/nowhere/b in")])
def test_copilots_hook_succeeds_silently_when_palimp_is_gone(programs: Path):
    """Else Copilot would deny every tool."""
    bash = shutil.which("bash")
    assert bash
    for entries in hooks_of(programs).values():
        done = subprocess.run([bash, "-c", entries[0]["bash"]], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@needs_node
@pytest.mark.parametrize("programs", [PROGRAMS, Path('/a "b" \\ ${c} `d`'), Path("/größe/店\u2028")])
def test_the_plugin_is_a_program_whatever_the_folder_is_called(programs: Path):
    assert NODE
    text = opencode.plugin_text(programs).decode()
    line = next(line for line in text.splitlines() if line.startswith("const PROGRAM"))
    show = f"{line}\nprocess.stdout.write(PROGRAM)"
    done = subprocess.run([NODE, "--input-type=module", "-e", show], capture_output=True, check=True)
    assert done.stdout.decode() == str(programs / "palimp")
    subprocess.run([NODE, "--check", "--input-type=module", "-"], input=text.encode(), check=True)


def test_opencode_without_plugins_is_said():
    assert SETTLING["opencode"].settle({}, PROGRAMS) == []
    (why,) = SETTLING["opencode"].settle({"OPENCODE_PURE": "1"}, PROGRAMS)
    assert SETTLING["opencode"].disuse_reason({"OPENCODE_PURE": "true"}, PROGRAMS) == (why, True)
    assert "OPENCODE_PURE" in why


def test_both_are_clients_of_the_command():
    assert CLIENTS["copilot"] is COPILOT
    assert CLIENTS["opencode"] is OPENCODE
