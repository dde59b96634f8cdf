"""The plugin in the repository is what the definitions say; `claude plugin validate` is run in `make client`."""

import json
import plistlib
from importlib import resources
from pathlib import Path

from palimp_shim.install import claude_code, plugin

ROOT = Path(__file__).parents[4]


def test_the_plugin_in_the_repository_is_what_the_definitions_say():
    """`python -m palimp_shim.install.plugin .` writes it."""
    for name, text in plugin.files().items():
        assert (ROOT / name).read_text() == text, name


def test_it_has_all_that_an_installation_has():
    files = plugin.files()
    hooks = json.loads(files[f"{plugin.FOLDER}/hooks/hooks.json"])["hooks"]
    assert hooks.keys() == claude_code.HOOKS.keys()
    assert "mcp__plugin_palimp_palimp__recall" in files[f"{plugin.FOLDER}/skills/palimp/SKILL.md"]
    assert all("mcp__palimp__" not in text for text in files.values())


def test_the_template_for_launchd_can_be_read():
    text = resources.files("palimp_shim").joinpath("assets/launchd/palimp.plist").read_bytes()
    assert plistlib.loads(text)["ProgramArguments"] == ["/PATH/TO/palimpd"]
