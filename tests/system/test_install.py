"""Installing and uninstalling: everything is there, a second time changes nothing, and going leaves no trace."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fake_claude import npm_package

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
PROGRAMS = Path(sys.executable).parent

CLAUDE = {
    "none": {},
    "empty": {".claude.json": "", ".claude/settings.json": "{}"},
    "own": {
        ".claude.json": '{\n  "numStartups": 7,\n  "ratio": 1.50,\n'
        '  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n',
        ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}',
        ".claude/commands/own.md": "Mine.\n",
    },
    "comments": {
        ".claude/settings.json": '{\n\t// quiet\n\t"model": "opus", /* the big one */\n\t"hooks": {\n\t},\n}\n',
    },
    "windows": {".claude.json": '{\r\n    "mcpServers": {\r\n    }\r\n}\r\n'},
}
"""Homes as they may be before, by what is in Claude Code's files."""


@pytest.fixture
def claude(home: Path, env):
    """Fills the home, and runs commands in it."""

    def run(*arguments: str, code: int = 0, folder: Path = home, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*PALIMP, *arguments], env=env | more, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def fill(home: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def trace(home: Path) -> dict[str, str]:
    """Return everything in *home* but palimp's own data folder: files by their hashes and modes."""
    found = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.split("/", maxsplit=1)[0] == "state":
            continue
        what = "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        found[name] = f"{what} {path.stat().st_mode:o}"
    return found


@pytest.mark.parametrize("name", CLAUDE)
def test_installing_using_and_uninstalling_leaves_every_byte_as_it_was(claude, home: Path, name: str):
    """Whatever was there; and a second installation changes nothing."""
    fill(home, CLAUDE[name])
    before = trace(home)
    would = claude("install", "--dry-run").stdout
    assert "+" in would
    assert trace(home) == before

    claude("install")
    installed = trace(home)
    assert installed != before
    assert "already" in claude("install").stdout
    assert claude("install", "--dry-run").stdout == "Nothing would be changed.\n"
    assert trace(home) == installed
    claude("add", "Used in between.")

    said = claude("uninstall").stdout
    assert "is as it was" in said
    assert "is stopped" in said
    assert trace(home) == before
    assert "in no file" in claude("uninstall").stdout


def test_what_is_installed_is_what_the_client_needs(claude, home: Path):
    """The server, eight hooks, the skill, two commands: with absolute paths."""
    fill(home, CLAUDE["own"])
    claude("install")
    servers = json.loads((home / ".claude.json").read_text())
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]

    assert servers["mcpServers"]["palimp"]["command"] == str(PROGRAMS / "palimp-shim")
    assert list(servers["mcpServers"]) == ["other", "palimp"]
    assert "1.50" in (home / ".claude.json").read_text()
    assert set(hooks) == {
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
        "PreCompact", "SessionEnd", "SubagentStart",
    }  # fmt: skip
    assert hooks["Stop"][0]["hooks"][0]["command"] == "say done"
    assert hooks["Stop"][1]["hooks"][0]["command"] == f"{PROGRAMS / 'palimp'} hook Stop"
    assert hooks["PreToolUse"][0]["matcher"] == "Edit|MultiEdit|Write|NotebookEdit|Read|Bash"
    skill = (home / ".claude" / "skills" / "palimp" / "SKILL.md").read_text()
    assert skill.startswith("---\nname: palimp\n")
    assert "claude-code\tfound\tregistered" in claude("install", "--list").stdout


@pytest.mark.parametrize("name", CLAUDE)
def test_an_upgrade_of_the_client_switches_the_hooks_and_all_of_it_is_undone(claude, home: Path, env, name: str):
    """From commands to calls at the next installation, and back after a downgrade; no byte is left of either."""
    fill(home, CLAUDE[name])
    old, new = (npm_package(home / "state" / version, version) for version in ("2.1.117", "2.1.118"))
    before = trace(home)
    settings = home / ".claude" / "settings.json"

    assert (
        "Restart the Claude Code sessions that are open"
        in claude("install", "--dry-run", PATH=f"{new}:{env['PATH']}").stderr
    )
    assert "Restart the Claude Code sessions that are open" not in claude("install", PATH=f"{old}:{env['PATH']}").stderr
    assert b"mcp_tool" not in settings.read_bytes()
    assert "changed" in claude("install", PATH=f"{new}:{env['PATH']}").stdout
    assert settings.read_bytes().count(b'"mcp_tool"') == 6
    assert settings.read_bytes().count(b" hook ") == 3
    assert "already" in claude("install", PATH=f"{new}:{env['PATH']}").stdout
    assert "already" in claude("install").stdout  # no version is found there
    claude("install", PATH=f"{old}:{env['PATH']}")
    assert b"mcp_tool" not in settings.read_bytes()
    claude("install", PATH=f"{new}:{env['PATH']}")
    assert "is as it was" in claude("uninstall").stdout
    assert trace(home) == before


def test_what_others_wrote_meanwhile_stays(claude, home: Path):
    """Exactly what was put in is taken out, and that is said."""
    fill(home, CLAUDE["own"])
    claude("install")
    path = home / ".claude.json"
    path.write_text(path.read_text().replace('"numStartups": 7', '"numStartups": 8'))
    (home / ".claude" / "commands" / "recall.md").write_text("My own words about palimp.\n")

    said = claude("uninstall").stdout
    assert f"{path} was changed since by somebody else" in said
    assert path.read_text() == CLAUDE["own"][".claude.json"].replace('"numStartups": 7', '"numStartups": 8')
    assert (home / ".claude" / "commands" / "recall.md").read_text() == "My own words about palimp.\n"
    assert not (home / ".claude" / "commands" / "remember.md").exists()
    assert not (home / ".claude" / "skills").exists()


def test_a_file_that_was_there_is_not_written_over(claude, home: Path):
    """The user's own command of the same name stays, and that is said."""
    fill(home, {".claude/commands/recall.md": "Mine, and it knows palimp.\n"})
    before = trace(home)

    assert "is yours" in claude("install").stderr
    assert (home / ".claude" / "commands" / "recall.md").read_text() == "Mine, and it knows palimp.\n"
    claude("uninstall")
    assert trace(home) == before


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (".claude.json", '{"a": ', "not valid JSON: line 1"),
        (".claude/settings.json", '{"hooks": []}', "is no object"),
        (".claude.json", "\xff", "UTF-8"),
    ],
)
def test_a_broken_file_is_not_touched(claude, home: Path, name: str, text: str, said: str):
    """Nor is any other."""
    (home / ".claude").mkdir()
    (home / name).write_bytes(text.encode("latin-1"))
    before = trace(home)

    assert said in claude("install", code=2).stderr
    assert trace(home) == before


def test_a_client_that_was_not_installed_does_not_hold_up_the_others(claude, home: Path):
    """Its file may be anything."""
    fill(home, {".cursor/x": ""})
    (home / ".cursor" / "mcp.json").write_bytes(b"\xff")
    before = trace(home)
    claude("install")
    claude("install", "--client", "zed")

    assert "is as it was" in claude("uninstall").stdout
    assert trace(home) == before


def test_links_are_followed_and_modes_kept(claude, home: Path):
    """A collection of dotfiles stays one."""
    fill(home, {"dotfiles/settings.json": "{}\n", ".claude/x": ""})
    (home / "dotfiles" / "settings.json").chmod(0o600)
    (home / ".claude" / "settings.json").symlink_to(home / "dotfiles" / "settings.json")
    before = trace(home)
    claude("install")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "hook Stop" in (home / "dotfiles" / "settings.json").read_text()
    claude("uninstall")
    assert trace(home) == before


def test_data_goes_only_when_it_is_asked_for_and_confirmed(claude, home: Path):
    """With a yes; without, nothing is done at all."""
    claude("install")
    claude("add", "Something to lose.")
    installed = trace(home)
    assert "needs a yes" in claude("uninstall", "--purge-data", code=2).stderr
    assert trace(home) == installed

    claude("uninstall", "--purge-data", "--yes")
    assert list(home.iterdir()) == []


def test_of_a_folder_that_has_other_things_only_what_is_palimps_goes(claude, home: Path):
    """PALIMP_HOME can be any folder, also one behind a link."""
    theirs = {"notes.md": "Mine.", "run/job.pid": "7", "deep/down.txt": "Mine, too."}
    shared, link = home / "shared", home / "link"
    fill(shared, theirs)
    shared.chmod(0o700)
    link.symlink_to(shared)
    claude("add", "Something to lose.", PALIMP_HOME=str(link))
    assert (shared / "palimp.db").exists()

    said = claude("uninstall", "--purge-data", "--yes", PALIMP_HOME=str(link)).stdout

    assert f"What palimp kept in {link} is deleted; what else is in it stays." in said
    files = {str(path.relative_to(shared)): path.read_text() for path in shared.rglob("*") if path.is_file()}
    assert files == theirs


@pytest.mark.parametrize("text", [None, '{\r\n  "mcpServers": {"a": {"command": "a"}}\r\n}\r\n', "{}", ""])
def test_a_project_can_have_its_own_registration(claude, home: Path, text: str | None):
    """Without a folder of this machine in it, since it is shared; and it goes without a trace."""
    project = home / "project"
    project.mkdir()
    if text is not None:
        (project / ".mcp.json").write_bytes(text.encode())
    before = trace(home)
    inside = ["install", "--scope", "project"]
    assert "+" in claude(*inside, "--dry-run", folder=project).stdout
    assert trace(home) == before
    assert "in this project" in claude(*inside, folder=project).stdout
    registered = json.loads((project / ".mcp.json").read_text())["mcpServers"]
    assert registered["palimp"]["command"] == "${PALIMP_SHIM:-palimp-shim}"
    assert str(home) not in (project / ".mcp.json").read_text()
    assert "already" in claude(*inside, folder=project).stdout
    claude("install")
    assert "is as it was" in claude("uninstall", "--scope", "project", folder=project).stdout
    claude(*inside, folder=project)
    claude("uninstall")
    assert trace(home) == before


def test_a_project_s_registration_is_for_projects_and_for_claude_code(claude, home: Path):
    """Else a sentence says so."""
    assert "in no project" in claude("install", "--scope", "project", code=2).stderr
    project = home / "project"
    project.mkdir()
    said = claude("install", "--scope", "project", "--client", "zed", folder=project, code=2).stderr
    assert "has one file for the user" in said
    (project / ".mcp.json").write_text("{broken")
    assert "not valid JSON" in claude("install", "--scope", "project", folder=project, code=2).stderr
    assert (project / ".mcp.json").read_text() == "{broken"


def test_whoever_has_the_plugin_is_told(claude, home: Path):
    """Each hook would run twice."""
    fill(home, {".claude/settings.json": '{"enabledPlugins": {"other@x": true, "palimp@palimp": true}}'})
    assert "each hook would run twice" in claude("install", "--dry-run").stderr
    fill(home, {".claude/settings.json": '{"enabledPlugins": {"palimp@palimp": false}}'})
    assert claude("install", "--dry-run").stderr == ""


def test_without_a_path_every_program_is_found(claude, home: Path):
    """What is written are whole paths, and what is run needs no search for programs."""
    claude("install", PATH="")
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["palimp"]
    assert Path(entry["command"]).is_absolute()
    hook = json.loads((home / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    bare = {"HOME": str(home), "PALIMP_HOME": str(home / "state")}
    done = subprocess.run(["/bin/sh", "-c", hook], env=bare, input="{}", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "Saved" in claude("add", "Without a path.", PATH="").stdout


OTHERS = {
    "claude-desktop": (".config/Claude/claude_desktop_config.json", '{"mcpServers": {"a": {}}}\n', ["mcpServers"]),
    "codex": (".codex/config.toml", '# mine\nmodel = "x"  # good\n\n[mcp_servers.a]\ncommand = "a"\n', ["mcp_servers"]),
    "cursor": (".cursor/mcp.json", "{}", ["mcpServers"]),
    "droid": (".factory/mcp.json", '{"mcpServers": {}}', ["mcpServers"]),
    "gemini": (".gemini/settings.json", '{\r\n  "theme": "x"\r\n}\r\n', ["mcpServers"]),
    "hermes": (".hermes/config.yaml", "# mine\nmodel:\n  default: x\n", ["mcp_servers"]),
    "kimi": (".kimi-code/mcp.json", "{}", ["mcpServers"]),
    "opencode": (".config/opencode/opencode.jsonc", "{\n  // none yet\n}\n", ["mcp"]),
    "pi": (".pi/agent/mcp.json", "", ["mcpServers"]),
    "vscode": (".config/Code/User/mcp.json", '{"servers": {}}', ["servers"]),
    "windsurf": (".codeium/windsurf/mcp_config.json", "", ["mcpServers"]),
    "zed": (".config/zed/settings.json", '// settings\n{\n\t"ui": {},\n}\n', ["context_servers"]),
}
"""Where other clients keep their servers, and what may be there."""


@pytest.mark.parametrize("has_file", [True, False], ids=["with a file", "without one"])
@pytest.mark.parametrize("name", OTHERS)
def test_other_clients_get_the_server_and_lose_it_without_a_trace(claude, home: Path, name: str, has_file: bool):
    """Each in its own file and form; comments and line ends stay."""
    file, text, (table,) = OTHERS[name]
    if has_file:
        fill(home, {file: text})
    before = trace(home)

    claude("install", "--client", name)
    relay = str(PROGRAMS / "palimp-shim")
    path = next(path for path in sorted((home / file).parent.glob("*.*")) if relay in path.read_text())
    installed = path.read_text()
    assert table in installed
    listed = next(line for line in claude("install", "--list").stdout.splitlines() if line.startswith(name))
    assert listed.split() == [name, "found", "registered"]
    assert "already" in claude("install", "--client", name).stdout
    for line in text.splitlines() if has_file else []:
        assert line.rstrip("}").strip() in installed

    path.write_bytes(path.read_bytes() + (b"\n# later\n" if file.endswith((".toml", ".yaml")) else b"\n"))
    assert "changed since by somebody else" in claude("uninstall", "--client", name).stdout
    assert "palimp" not in path.read_text()
    path.unlink()
    if has_file:
        fill(home, {file: text})
        claude("install", "--client", name)
        claude("uninstall")
        assert trace(home) == before


def test_a_client_that_is_not_here_is_told_all_the_same_and_that_is_said(claude, home: Path):
    """Somebody may install it later; a name that was meant for another is seen."""
    elsewhere = {"PATH": str(home / "bin")}
    said = claude("install", "--client", "qwen", "--dry-run", **elsewhere).stderr
    assert "qwen was not found here" in said
    assert "qwen was not found here" in claude("install", "--client", "qwen", **elsewhere).stderr
    (home / ".gemini").mkdir()
    assert "not found" not in claude("install", "--client", "gemini", **elsewhere).stderr


def test_lines_to_be_added_by_hand_are_printed_as_they_stand_in_the_file(claude, home: Path):
    """Where palimp cannot change a file for sure: a table in one line leaves no place for another."""
    before = "mcp_servers: {mine: {command: x}}\n"
    fill(home, {".hermes/config.yaml": before})
    done = claude("install", "--client", "hermes", code=2)
    _, _, lines = done.stderr.partition("Add this yourself:\n")
    entry = yaml.safe_load(lines)["mcp_servers"]["palimp"]
    assert (Path(entry["command"]).name, entry["env"]["PALIMP_CLIENT"]) == ("palimp-shim", "hermes")
    assert (home / ".hermes/config.yaml").read_text() == before


def test_a_broken_file_of_another_client_is_not_touched(claude, home: Path):
    """TOML, too."""
    fill(home, {".codex/config.toml": "[mcp_servers\n"})

    assert "not valid TOML" in claude("install", "--client", "codex", code=2).stderr
    assert (home / ".codex" / "config.toml").read_text() == "[mcp_servers\n"


def test_a_state_folder_that_cannot_be_made_is_named_and_nothing_is_changed(claude, home: Path):
    """Not in a traceback; no client's file is touched, since nothing could say what was there before."""
    fill(home, CLAUDE["own"])
    (home / "a-file").write_text("")
    before = trace(home)

    said = claude("install", code=2, PALIMP_HOME=str(home / "a-file" / "state")).stderr
    assert str(home / "a-file") in said
    assert "Traceback" not in said
    assert trace(home) == before


def test_a_table_that_is_none_is_refused_with_the_lines_to_add(claude, home: Path):
    """A person can add them, or mend what is there."""
    fill(home, {".codex/config.toml": 'mcp_servers = "x"\n'})

    said = claude("install", "--client", "codex", code=2).stderr
    assert "mcp_servers is no table" in said
    assert "[mcp_servers.palimp]" in said
    assert f'command = "{PROGRAMS / "palimp-shim"}"' in said
    assert (home / ".codex" / "config.toml").read_text() == 'mcp_servers = "x"\n'
