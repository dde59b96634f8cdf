"""Any client's file, whatever is in it: palimp goes in, the rest says what it said, coming out leaves every byte."""

import json
import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Self

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.codex.install import PASSED_ON
from palimp_clients.install.client_files import apply, difference, undo
from palimp_clients.install.json_edit import value_at
from palimp_clients.installers import CLIENTS
from palimp_protocol.errors import PalimpError

PROGRAMS = Path("/opt/palimp é/bin")
BOM = b"\xef\xbb\xbf"
FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "vscode": ".config/Code/User/mcp.json",
    "zed": ".config/zed/settings.json",
    "codex": ".codex/config.toml",
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TOML_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
TOML_VALUES = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | TOML_TEXTS | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TOML_TEXTS, inner, max_size=3),
    max_leaves=6,
)
SERVERS = {
    "none": "",
    "sections": '[mcp_servers.other]\ncommand = "x"\nargs = [\n  "[y]",\n]\n\n[mcp_servers.other.env]\nA = "1"\n',
    "a table": '[mcp_servers]\nother = { command = "x" } # mine\n',
    "inline": 'mcp_servers = { other = { command = "x", args = ["a"] } }  # on one line\n',
    "empty inline": "mcp_servers = {}\n",
    "dotted": 'mcp_servers.other.command = "x"\nmcp_servers.other.args = []\n',
    "quoted": '["mcp_servers"."other"]\ncommand = \'x\'\n',
    "an older one": '[mcp_servers.palimp]\ncommand = "/old/palimp-shim"\nstartup_timeout_sec = 9\n',
    "an older inline": 'mcp_servers = { palimp = { command = "/old", env = { A = "1" } } }\n',
    "text that looks like it": 'note = """\n[mcp_servers.palimp]\ncommand = "x"\n"""\n',
    "a list of tables": '[[mcp_servers]]\nname = "x"\n',
    "a text": 'mcp_servers = "x"\n',
}


class Installed:
    """Puts palimp into a client's file in a home of its own, and takes it out again."""

    def __init__(self, client: str, before: bytes) -> None:
        self.client = client
        self._folder = tempfile.TemporaryDirectory()
        home = self._folder.name
        self.env = {"HOME": home, "PALIMP_HOME": f"{home}/state"}
        self.path = Path(home, FILES[client])
        self.path.parent.mkdir(parents=True)
        self.path.write_bytes(before)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def install(self) -> bytes:
        changes, _ = CLIENTS[self.client].changes(self.env, PROGRAMS)
        assert difference(changes) or not changes
        apply(changes, self.client, self.env)
        return self.path.read_bytes()

    def uninstall(self) -> bytes:
        undo(CLIENTS[self.client].present(self.env), self.client, self.env)
        return self.path.read_bytes()


@given(
    st.sampled_from(["claude-desktop", "vscode", "zed"]),
    st.dictionaries(st.text(max_size=5) | st.sampled_from(["mcpServers", "servers"]), JSON_VALUES, max_size=4),
    st.sampled_from([None, 2, "\t"]),
    st.booleans(),
    st.sampled_from(["", "\n", " // the end\n"]),
)
def test_any_json_gets_our_server_and_is_what_it_was_afterwards(client: str, document, indent, has_bom: bool, end: str):
    """To the byte; between the two it says what it said, and what we put in. What is in the way is said, and stays."""
    text = json.dumps(document, indent=indent, ensure_ascii=False) + end
    before = (BOM if has_bom else b"") + text.encode()
    table = {"claude-desktop": "mcpServers", "vscode": "servers", "zed": "context_servers"}[client]
    with Installed(client, before) as installed:
        if not isinstance(document.get(table, {}), dict):
            with pytest.raises(PalimpError, match="is no object"):
                installed.install()
            assert installed.path.read_bytes() == before
            return
        after = value_at(installed.install(), ())
        assert after[table].pop("palimp")["command"] == str(PROGRAMS / "palimp-shim")
        assert after == document | {table: document.get(table, {})}
        assert installed.uninstall() == before


@given(
    st.dictionaries(TOML_TEXTS.filter(lambda key: key != "mcp_servers"), TOML_VALUES, max_size=4),
    st.sampled_from(sorted(SERVERS)),
    st.sampled_from(["", "# a comment\n", "\n\n"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_any_toml_gets_our_server_and_is_what_it_was_afterwards(
    document: dict[str, Any], servers: str, end: str, is_windows: bool, has_bom: bool, is_cut: bool
):
    """In whatever form its servers are written; where it cannot be, the lines are told and nothing is touched."""
    flat = {key: value for key, value in document.items() if not isinstance(value, dict)}
    nested = {key: value for key, value in document.items() if isinstance(value, dict)}
    in_front = servers.startswith(("inline", "empty", "dotted", "text", "a text", "an older inline"))
    text = tomlkit.dumps(flat) + (SERVERS[servers] if in_front or servers == "a text" else "")
    text += tomlkit.dumps(nested) + ("" if in_front or servers == "a text" else SERVERS[servers]) + end
    text = text.removesuffix("\n") if is_cut else text
    text = text.replace("\r\n", "\n").replace("\n", "\r\n") if is_windows else text
    before = (BOM if has_bom else b"") + text.encode()
    try:
        former = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # of a library that writes what nobody reads nothing is to be learned here
    with Installed("codex", before) as installed:
        if not isinstance(former.get("mcp_servers", {}), dict):
            with pytest.raises(PalimpError, match="is no table") as raised:
                installed.install()
            assert f'command = "{PROGRAMS}/palimp-shim"' in raised.value.lines
            assert installed.path.read_bytes() == before
            return
        after = tomllib.loads(installed.install().removeprefix(BOM).decode())
        ours = after["mcp_servers"].pop("palimp")
        assert ours == former.get("mcp_servers", {}).get("palimp", {}) | {
            "command": str(PROGRAMS / "palimp-shim"),
            "args": [],
            "env_vars": list(PASSED_ON),
        }
        theirs = dict(former.get("mcp_servers", {}))
        theirs.pop("palimp", None)
        assert after == former | {"mcp_servers": theirs}
        assert installed.uninstall() == before


@pytest.mark.parametrize("servers", [name for name in SERVERS if name not in ("a text", "a list of tables")])
def test_ours_is_taken_out_of_a_toml_file_that_somebody_wrote_to_meanwhile(servers: str):
    """Their line stays, and so do the other servers."""
    before = SERVERS[servers].encode()
    with Installed("codex", before) as installed:
        after = installed.install()
        installed.path.write_bytes(b"theirs = 1\n" + after)
        left = tomllib.loads(installed.uninstall().decode())
    former = tomllib.loads(before.decode())
    theirs = {key: value for key, value in former.get("mcp_servers", {}).items() if key != "palimp"}
    assert left.pop("theirs") == 1
    assert left.pop("mcp_servers", {}) == theirs
    assert left == {key: value for key, value in former.items() if key != "mcp_servers"}


def test_a_link_that_leads_nowhere_is_there_afterwards_and_its_target_is_not():
    """As it was before."""
    with Installed("vscode", b"") as installed:
        target = Path(installed.env["HOME"], "elsewhere", "mcp.json")
        installed.path.unlink()
        installed.path.symlink_to(target)
        assert b"palimp" in installed.install()
        undo(CLIENTS["vscode"].present(installed.env), "vscode", installed.env)
        assert installed.path.is_symlink()
        assert not target.parent.exists()


def test_a_file_that_is_no_plain_file_is_named_and_not_waited_for():
    """A FIFO has no end, a folder no text."""
    with Installed("vscode", b"") as installed:
        installed.path.unlink()
        os.mkfifo(installed.path)
        with pytest.raises(PalimpError, match="no plain file"):
            installed.install()
        installed.path.unlink()
        installed.path.mkdir()
        with pytest.raises(PalimpError, match=str(installed.path)):
            installed.install()
