"""The plugin in the repository is what the definitions say; `claude plugin validate` is run in `make client`."""

import json
import plistlib
import re
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from palimp_clients.claude_code import claude_hooks, plugin
from palimp_clients.claude_code.install import TEXTS
from palimp_protocol.operations import OPERATIONS

ROOT = Path(__file__).parents[4]
TOOLS = {name for name, operation in OPERATIONS.items() if operation.is_tool}


def test_the_plugin_in_the_repository_is_what_the_definitions_say():
    """`python -m palimp_clients.claude_code.plugin .` writes it."""
    for name, text in plugin.files().items():
        assert (ROOT / name).read_text() == text, name


def test_it_has_all_that_an_installation_has():
    files = plugin.files()
    hooks = json.loads(files[f"{plugin.FOLDER}/hooks/hooks.json"])["hooks"]
    assert hooks.keys() == claude_hooks.HOOKS.keys()
    assert {f"{plugin.FOLDER}/{name}" for name in TEXTS} <= files.keys()


@pytest.mark.parametrize("asset", TEXTS.values())
def test_no_text_says_what_stands_before_the_name_of_a_tool(asset: str):
    """That is the plugin's or the registration's, and what `mcp.tool_prefix` says: the texts stay when it changes."""
    text = resources.files("palimp_clients.claude_code").joinpath("assets", asset).read_text(encoding="utf-8")
    mentioned = {name for name in re.findall(r"`([^`\s]+)`", text) if name.split("__")[-1] in TOOLS}
    assert mentioned
    assert mentioned <= TOOLS


@pytest.fixture
def relay():
    """Runs the plugin's script where palimp is not installed; returns what it answers to frames."""

    def run(*frames: bytes) -> list[dict[str, Any]]:
        command = ["/bin/sh", str(ROOT / plugin.FOLDER / plugin.RELAY)]
        done = subprocess.run(
            command, input=b"".join(frames), env={"PATH": "/nowhere"}, capture_output=True, check=True
        )
        assert done.stderr == b""
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def frame(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def test_where_palimp_is_not_installed_hooks_are_answered_with_nothing(relay):
    """Without a server the client would show an error for each."""
    told = {"prompt": 'سؤال "id":7, \\ "method":"tools/list" %s \n `x` $(exit 1) 日本語', "tool_input": '{"id":9}'}
    answers = relay(
        frame(id=0, method="initialize", params={"protocolVersion": "2025-11-25", "clientInfo": {"name": "x"}}),
        frame(method="notifications/initialized"),
        frame(id=1, method="tools/list"),
        frame(method="tools/call", params={"name": "hook_event", "arguments": told}, id="a-2"),
        frame(id=3, method="ping"),
        frame(id=4, method="server/discover"),
        b"not JSON\n",
    )
    assert [each["id"] for each in answers] == [0, 1, "a-2", 3, 4]
    assert answers[0]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[1]["result"] == {"tools": []}
    assert answers[2]["result"] == {"content": []}
    assert answers[3]["result"] == {}
    assert answers[4]["error"]["code"] == -32601


def test_where_palimp_is_installed_its_relay_takes_over(tmp_path: Path):
    program = tmp_path / "palimp-shim"
    program.write_text("#!/bin/sh\necho taken over\n")
    program.chmod(0o755)
    command = ["/bin/sh", str(ROOT / plugin.FOLDER / plugin.RELAY)]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, check=True)
    assert done.stdout == b"taken over\n"


def test_the_template_for_launchd_can_be_read():
    text = resources.files("palimp_shim").joinpath("assets/launchd/palimp.plist").read_bytes()
    assert plistlib.loads(text)["ProgramArguments"] == ["/PATH/TO/palimpd"]
