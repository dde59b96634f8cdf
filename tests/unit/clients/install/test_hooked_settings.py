"""Gemini CLI and Qwen Code: server and hooks in one file, whatever is in it, and every byte as it was afterwards."""

import json
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.gemini.install import GEMINI
from palimp_clients.install.client_files import apply, undo
from palimp_clients.install.hooked_settings import HookedSettings
from palimp_clients.install.json_edit import value_at
from palimp_clients.installers import CLIENTS
from palimp_clients.qwen.install import QWEN
from palimp_protocol.errors import PalimpError
from palimp_shim.doctor.registrations import examine

PROGRAMS = Path("/opt/palimp é/bin")
BOTH = pytest.mark.parametrize("client", [GEMINI, QWEN], ids=lambda client: client.name)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
THEIRS = {"matcher": "x", "hooks": [{"type": "command", "command": "say done"}]}
LISTS = st.lists(st.just(THEIRS) | VALUES, max_size=2)
HOOKS = st.dictionaries(st.sampled_from(["SessionStart", "BeforeTool", "Stop", "Other"]), LISTS, max_size=3)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={"hooks": HOOKS, "mcpServers": st.dictionaries(st.text(max_size=5), VALUES, max_size=2), "größe": VALUES},
)


class Home:
    """A home folder with the file of a client's settings."""

    def __init__(self, client: HookedSettings, folder: str, before: bytes | None = None) -> None:
        self.client = client
        self.env = {"HOME": folder, "PALIMP_HOME": f"{folder}/state", "PATH": f"{folder}/bin"}
        self.path = Path(folder, f".{client.name}", "settings.json")
        if before is not None:
            self.path.parent.mkdir()
            self.path.write_bytes(before)

    def install(self) -> Any:
        changes, _ = self.client.changes(self.env, PROGRAMS)
        apply(changes, self.client.name, self.env)
        return value_at(self.path.read_bytes(), ())

    def uninstall(self) -> bytes:
        undo(self.client.present(self.env), self.client.name, self.env)
        return self.path.read_bytes()

    def has_version(self, version: str) -> None:
        """Put a program of that *version* on the PATH, as npm does."""
        package = Path(self.env["HOME"], "lib", self.client.package)
        (package / "bundle").mkdir(parents=True)
        program = package / "bundle" / "cli.js"
        program.touch(0o755)
        (package / "package.json").write_text(json.dumps({"name": self.client.package, "version": version}))
        Path(self.env["PATH"]).mkdir()
        Path(self.env["PATH"], self.client.program).symlink_to(program)


@pytest.fixture
def user(tmp_path: Path, client: HookedSettings) -> Home:
    return Home(client, str(tmp_path))


@given(
    st.sampled_from([GEMINI, QWEN]),
    DOCUMENTS,
    st.sampled_from([None, 2, "\t"]),
    st.booleans(),
    st.sampled_from(["", "\n", " // the end\n"]),
)
def test_any_settings_get_server_and_hooks_and_are_what_they_were_afterwards(
    client: HookedSettings, document: dict[str, Any], indent, is_windows: bool, end: str
):
    """Between the two they say what they said, and what was put in; nothing is put in twice."""
    text = json.dumps(document, indent=indent, ensure_ascii=False) + end
    before = (text.replace("\n", "\r\n") if is_windows else text).encode()
    with tempfile.TemporaryDirectory() as folder:
        user = Home(client, folder, before)
        after = user.install()
        assert not client.changes(user.env, PROGRAMS)[0]
        assert after["mcpServers"].pop("palimp")["command"] == str(PROGRAMS / "palimp-shim")
        for event in client.events:
            group = after["hooks"][event].pop()
            assert group["hooks"][0]["command"].startswith(f"'{PROGRAMS}/palimp' hook {event} --client {client.name} ")
            assert document.get("hooks", {}).get(event, []) == after["hooks"][event]
        assert user.uninstall() == before


@BOTH
def test_what_the_client_wrote_meanwhile_stays(client: HookedSettings, user: Home):
    """Qwen Code writes its version into the file: what is ours is taken out of it."""
    before = b'{\n  "hooks": {"Stop": []},\n  "ui": {"theme": "Dunkel"}\n}\n'
    user.path.parent.mkdir()
    user.path.write_bytes(before)
    said = user.install()
    user.path.write_text(json.dumps({**said, "$version": 4}, indent=2))
    left = json.loads(user.uninstall())
    assert left == {"ui": {"theme": "Dunkel"}, "$version": 4} | ({"hooks": {"Stop": []}} if client is GEMINI else {})


@BOTH
def test_a_file_that_was_not_there_is_not_there_afterwards(client: HookedSettings, user: Home):
    user.install()
    undo(client.present(user.env), client.name, user.env)
    assert not user.path.parent.exists()


@BOTH
def test_hooks_of_an_older_installation_are_replaced(client: HookedSettings, user: Home):
    user.install()
    other = Path("/elsewhere/bin")
    changes, _ = client.changes(user.env, other)
    apply(changes, client.name, user.env)
    said = value_at(user.path.read_bytes(), ())
    assert str(PROGRAMS) not in json.dumps(said, ensure_ascii=False)
    assert all(len(groups) == 1 for groups in said["hooks"].values())


@BOTH
def test_a_hook_whose_program_is_gone_says_nothing_and_succeeds(client: HookedSettings, user: Home):
    """Gemini CLI would take a command that is not found for a denial, of every tool and every prompt."""
    for groups in user.install()["hooks"].values():
        command = groups[0]["hooks"][0]["command"]
        assert shlex.split(command)[0] == str(PROGRAMS / "palimp")
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_of_compressions_only_those_that_a_person_asks_for_start_a_hook():
    assert GEMINI.events["PreCompress"] == "manual"


@pytest.mark.parametrize(
    ("client", "settings", "name"),
    [
        (GEMINI, {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
        (GEMINI, {"hooksConfig": {"disabled": ["other", "palimp"]}}, "hooksConfig.disabled"),
        (GEMINI, {"tools": {"enableHooks": False}}, "tools.enableHooks"),
        (QWEN, {"disableAllHooks": True}, "disableAllHooks"),
    ],
)
def test_hooks_that_are_off_in_the_settings_are_said_to_be(
    client: HookedSettings, settings: Any, name: str, user: Home
):
    user.path.parent.mkdir()
    user.path.write_text(json.dumps(settings))
    why, is_certain = client.disuse_reason(user.env, PROGRAMS)
    assert name in why
    assert is_certain
    assert client.settle(user.env, PROGRAMS) == [why]


@pytest.mark.parametrize(
    ("client", "settings"),
    [
        (GEMINI, {"hooksConfig": {"enabled": True, "disabled": ["other"]}}),
        (GEMINI, {"hooksConfig": 7, "tools": None}),
        (GEMINI, []),
        (QWEN, {"disableAllHooks": False}),
        (QWEN, {"disableAllHooks": "no"}),
    ],
)
def test_hooks_that_are_on_are_not_talked_about(client: HookedSettings, settings: Any, user: Home):
    user.path.parent.mkdir()
    user.path.write_text(json.dumps(settings))
    assert client.disuse_reason(user.env, PROGRAMS) == ("", False)


@pytest.mark.parametrize(
    ("client", "version", "is_old"),
    [
        (GEMINI, "0.25.2", True),
        (GEMINI, "0.26.0", False),
        (GEMINI, "0.61.0-nightly.7", False),
        (GEMINI, "new", False),
        (QWEN, "0.12.0", True),
        (QWEN, "0.24.4", False),
    ],
)
def test_a_version_that_runs_no_hooks_is_said_to_be_one(client: HookedSettings, version: str, is_old: bool, user: Home):
    user.has_version(version)
    why, is_certain = client.disuse_reason(user.env, PROGRAMS)
    assert is_certain == is_old
    assert (version in why) == is_old
    assert client.is_there(user.env)


@BOTH
def test_a_program_of_that_name_from_another_package_is_not_judged(client: HookedSettings, user: Home):
    user.has_version("0.1.0")
    package = Path(user.env["HOME"], "lib", client.package, "package.json")
    package.write_text('{"name": "another", "version": "0.1.0"}')
    assert client.disuse_reason(user.env, PROGRAMS) == ("", False)


@pytest.mark.parametrize(
    ("client", "off"), [(GEMINI, {"hooksConfig": {"enabled": False}}), (QWEN, {"disableAllHooks": True})]
)
def test_the_doctor_says_where_hooks_are_off(client: HookedSettings, off: Any, user: Home):
    said = user.install()
    assert [each.state for each in examine(user.env, PROGRAMS) if each.check == client.name] == ["well"]
    user.path.write_text(json.dumps({**said, **off}))
    [found] = [each for each in examine(user.env, PROGRAMS) if each.check == client.name]
    assert found.state == "warning"
    assert "switched off" in found.text
    assert not found.hint  # another installation would not switch them on


@pytest.mark.parametrize("client", [GEMINI])
def test_who_has_it_mended_is_told_that_hooks_are_off(client: HookedSettings, user: Home):
    user.install()
    text = user.path.read_text().replace(str(PROGRAMS), "/old")
    user.path.write_text(json.dumps({**json.loads(text), "hooksConfig": {"enabled": False}}))
    [found] = [each for each in examine(user.env, PROGRAMS) if each.check == client.name]
    assert "switched off" in found.repair().text
    assert str(PROGRAMS) in user.path.read_text()


@BOTH
def test_settings_that_are_no_json_are_left_alone(client: HookedSettings, user: Home):
    user.path.parent.mkdir()
    user.path.write_bytes(b'{"hooks": ')
    with pytest.raises(PalimpError, match="not valid JSON"):
        client.changes(user.env, PROGRAMS)
    assert not client.is_installed(user.env)
    assert user.uninstall() == b'{"hooks": '


def test_both_are_clients_that_can_be_installed():
    assert CLIENTS["gemini"] is GEMINI
    assert CLIENTS["qwen"] is QWEN
