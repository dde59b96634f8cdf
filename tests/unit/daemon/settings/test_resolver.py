"""Settings: flag, environment, project, user, default; what cannot be is told and does not count."""

import json
import os
import threading
from pathlib import Path

import pytest
import trio

from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.startup import config_from
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.settings import SETTINGS


class Place:
    """A user's file, a project and what is in the environment."""

    def __init__(self, home: Path) -> None:
        self.env = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
        self.user = home / "config" / "palimp" / "config.toml"
        self.user.parent.mkdir(parents=True)
        self.project = home / "work" / ".palimp" / "config.toml"
        self.project.parent.mkdir(parents=True)
        self.caller = Caller(ProjectRef(str(home / "work"), "work"))

    def settings(self, flags: dict[str, str] | None = None, **env: str) -> Settings:
        return Settings(self.env | env, flags)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def config(settings: Settings, *, exits_when_idle: bool = True):
    return config_from(settings, user_id=1, exits_when_idle=exits_when_idle)


def test_without_anything_the_defaults_hold(place):
    """No file, no variables."""
    assert config(place.settings()).search_engine == "auto"
    assert config(place.settings()).idle_exit_s == 30 * 60
    assert config(place.settings(), exits_when_idle=False).idle_exit_s == 0
    assert config(place.settings()).problem == ""


async def test_what_only_a_project_switches_off_is_named(place):
    """Of every setting that can be: not what is off anyway, nor what the environment has back on."""
    off = {key: setting.off for key, setting in SETTINGS.items() if setting.off is not None}
    assert off
    tables = "".join(f"{key} = {json.dumps(value)}\n" for key, value in off.items())
    place.project.write_text(tables)
    settings = place.settings()
    await settings.of(place.caller)
    said = settings.switched_off(place.caller)
    assert [key for key in off if key not in said] == []
    assert settings.switched_off(Caller()) == ""

    for key, value in off.items():
        place.user.write_text(f"{key} = {json.dumps(value)}\n")
        assert key not in place.settings().switched_off(place.caller)
        place.user.unlink()
    overruled = place.settings(PALIMP_CHANGES_ON_RETURN="note")
    await overruled.of(place.caller)
    assert "changes.on_return" not in overruled.switched_off(place.caller)


async def test_the_first_that_says_something_wins(place):
    """Flag, environment, project, user, default: each is taken away in turn, and each is named as the origin."""
    place.user.write_text('[changes]\non_return = "note"\n')
    place.project.write_text('[changes]\non_return = "off"\n')
    found = []
    variable = {"PALIMP_CHANGES_ON_RETURN": "off"}
    for flags, env in (({"changes.on_return": "note"}, variable), ({}, variable), ({}, {})):
        values = await place.settings(flags, **env).of(place.caller)
        found.append(values.found["changes.on_return"])
    place.project.unlink()
    found.append((await place.settings().of(place.caller)).found["changes.on_return"])
    place.user.unlink()
    found.append((await place.settings().of(place.caller)).found["changes.on_return"])

    assert found == [
        ("note", "flag"),
        ("off", "PALIMP_CHANGES_ON_RETURN"),
        ("off", "project"),
        ("note", "user"),
        ("deny_once", "default"),
    ]


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PALIMP_SEARCH_ENGINE", "lucene", "must be one of auto, fts5, fts4"),
        ("PALIMP_DAEMON_IDLE_EXIT_MINUTES", "soon", "whole number"),
        ("PALIMP_DAEMON_IDLE_EXIT_MINUTES", "-1", "the least is 0"),
        ("PALIMP_DAEMON_IDLE_EXIT_MINUTES", "99999999999", "the most is"),
    ],
)
def test_a_value_that_cannot_be_is_a_problem(place, variable: str, value: str, said: str):
    """The sentence names the variable and what would be right."""
    problem = config(place.settings(**{variable: value})).problem

    assert problem.startswith(variable)
    assert said in problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[search\n", "cannot be read"),
        ("mcp = 3\n[capture]\nturns = true\n", "capture.turns is True; it must be a whole number"),
        ('[redact]\npatterns = "a"\n[log]\nlevel = 7\n', "log.level is 7; it must be a text"),
        ("[redact]\npatterns = [1]\n", "it must be a list of texts"),
        ("# " + "x" * 300_000, "more than"),
    ],
)
def test_a_wrong_user_file_is_a_problem(place, text: str, said: str):
    """It is not ignored: the defaults might do what the user forbade."""
    place.user.write_text(text)

    assert said in config(place.settings()).problem


def test_unknown_keys_are_told_with_the_nearest_names(place):
    """They may be a newer version's, so they stop nothing."""
    place.user.write_text('[serch]\nengine = "fts4"\n')
    settings = place.settings()

    assert settings.problems() == []
    assert "search.engine" in settings.remarks(None)[0]


async def test_a_changed_file_counts_at_once(place):
    """Nobody starts anything again."""
    settings = place.settings()
    assert (await settings.of(place.caller)).number("capture.turns") == 8

    place.user.write_text("[capture]\nturns = 3\n")
    assert (await settings.of(place.caller)).number("capture.turns") == 3
    place.project.write_text("[capture]\nturns = 0\n")
    assert (await settings.of(place.caller, look_again_s=0.0)).number("capture.turns") == 0
    assert settings.current(None).number("capture.turns") == 3


async def test_a_file_that_breaks_leaves_what_it_said_before(place):
    """Somebody is in the middle of writing it: what was forbidden stays so."""
    place.user.write_text("[capture]\nturns = 0\n")
    settings = place.settings()
    assert (await settings.of(place.caller)).number("capture.turns") == 0

    place.user.write_text("[capture]\nturns = \n")
    assert (await settings.of(place.caller)).number("capture.turns") == 0
    assert len(settings.problems()) == 1
    place.user.write_text("[capture]\nturns = 5\n")
    assert (await settings.of(place.caller)).number("capture.turns") == 5
    assert settings.problems() == []


async def test_a_project_sets_only_what_does_no_harm(place):
    """A cloned repository cannot name programs, open ports, or let secrets through; each refusal says why."""
    place.project.write_text(
        '[capture]\ncommand = "curl evil"\nturns = 2\n[redact]\npatterns = []\n[mcp]\ncontext_tokens = 9\n'
    )
    settings = place.settings()
    values = await settings.of(place.caller)

    assert values.number("capture.turns") == 2
    assert values.text("capture.command") == ""
    assert values.number("mcp.context_tokens") == 8192
    assert [remark.split(": ", 1)[1] for remark in settings.remarks(place.caller)] == [
        "a project may not set capture.command, since it names a program that is run. It is ignored.",
        "a project may not set redact.patterns, since it protects secrets. It is ignored.",
        "a project may not set mcp.context_tokens, since it is a limit. It is ignored.",
    ]


async def test_a_named_pipe_in_the_place_of_a_project_file_holds_nobody_up(place):
    """It is told, and does not count."""
    os.mkfifo(place.project)
    settings = place.settings()

    assert (await settings.of(place.caller)).number("capture.turns") == 8
    assert "no plain file" in settings.problems_of_project(place.caller)[0]


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_link_in_the_place_of_a_project_file_is_not_followed(place, tmp_path: Path, *, is_there: bool):
    """Whether or not there is something at its end: it may be anybody's file."""
    elsewhere = tmp_path / "elsewhere.toml"
    if is_there:
        elsewhere.write_text("[capture]\nturns = 2\n")
    place.project.symlink_to(elsewhere)
    settings = place.settings()

    assert (await settings.of(place.caller)).number("capture.turns") == 8
    assert "symbolic link" in settings.problems_of_project(place.caller)[0]


async def test_a_folder_of_settings_that_leads_out_of_the_project_is_not_followed(place, tmp_path: Path):
    """The file in it is a plain one, but somewhere else."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "config.toml").write_text("[capture]\nturns = 2\n")
    place.project.parent.rmdir()
    place.project.parent.symlink_to(outside)
    settings = place.settings()

    assert (await settings.of(place.caller)).number("capture.turns") == 8
    assert "leads out of the project" in settings.problems_of_project(place.caller)[0]


async def test_a_project_file_that_is_too_large_is_not_read(place):
    """A sparse file takes no room on the disk."""
    with place.project.open("wb") as file:
        file.truncate(1 << 34)
    settings = place.settings()

    assert (await settings.of(place.caller)).number("capture.turns") == 8
    assert "more than" in settings.problems_of_project(place.caller)[0]


async def test_nobody_goes_by_the_defaults_while_a_file_is_being_read(place, monkeypatch, nursery):
    """Two ask at once, and the mount is slow: both wait; who has a deadline goes on without it."""
    place.project.write_text('[docs]\ndir = "handbook"\n')
    settings, gate, read = place.settings(), threading.Event(), Settings._read
    reading = threading.Event()

    def slowly(self, path, *, is_strangers=False):
        if is_strangers:
            reading.set()
            assert gate.wait(10)
        return read(self, path, is_strangers=is_strangers)

    monkeypatch.setattr(Settings, "_read", slowly)
    found: list[str] = []

    async def ask() -> None:
        found.append((await settings.of(place.caller, look_again_s=0.0)).text("docs.dir"))

    nursery.start_soon(ask)
    await trio.to_thread.run_sync(reading.wait)
    nursery.start_soon(ask)
    assert (await settings.of(place.caller, patience_s=0.01)).text("docs.dir") == ".palimp/docs"
    assert found == []
    gate.set()
    while len(found) < 2:
        await trio.lowlevel.checkpoint()
    assert found == ["handbook", "handbook"]


async def test_a_look_that_somebody_gave_up_still_ends(place, monkeypatch):
    """Its thread goes on, and the next who asks has what it read."""
    place.project.write_text("[capture]\nturns = 2\n")
    settings, gate, read = place.settings(), threading.Event(), Settings._read

    def slowly(self, path, *, is_strangers=False):
        assert not is_strangers or gate.wait(10)
        return read(self, path, is_strangers=is_strangers)

    monkeypatch.setattr(Settings, "_read", slowly)
    assert (await settings.of(place.caller, patience_s=0.01)).number("capture.turns") == 8
    gate.set()
    assert (await settings.of(place.caller)).number("capture.turns") == 2


async def test_a_look_that_was_given_up_before_it_began_holds_nobody_up(place):
    """There was no time left and so no thread: the next who asks looks himself."""
    place.project.write_text("[capture]\nturns = 2\n")
    settings = place.settings()
    with trio.CancelScope() as scope:
        scope.cancel()
        await settings.of(place.caller)
    assert scope.cancelled_caught
    with trio.fail_after(60):
        assert (await settings.of(place.caller)).number("capture.turns") == 2
