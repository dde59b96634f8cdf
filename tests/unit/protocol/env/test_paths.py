"""Paths are functions of the environment."""

import os
import pwd
from pathlib import Path

import pytest

from palimp_protocol.env import paths

HOME = {"HOME": "/home/ada"}


def socket(env: dict[str, str]) -> str:
    return str(paths.socket_path(env, user_id=1000))


def test_everything_of_one_user_lies_in_the_state_folder():
    """Database, lock and log lie together."""
    state = "/home/ada/.local/state/palimp"
    files = (paths.database_path(HOME), paths.lock_path(HOME), paths.log_path(HOME))

    assert paths.state_directory(HOME) == state
    assert {str(Path(path).parent) for path in files} == {state}


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({}, "/home/ada/.local/state/palimp/run/palimp.sock"),
        ({"XDG_RUNTIME_DIR": "/run/user/1000"}, "/run/user/1000/palimp/palimp.sock"),
        ({"XDG_RUNTIME_DIR": "relative"}, "/home/ada/.local/state/palimp/run/palimp.sock"),
        ({"PALIMP_HOME": "/data", "XDG_RUNTIME_DIR": "/run/user/1000"}, "/data/palimp.sock"),
        ({"PALIMP_SOCKET": "/tmp/x.sock", "PALIMP_HOME": "/data"}, "/tmp/x.sock"),
    ],
)
def test_the_socket_is_where_the_environment_says(extra: dict[str, str], expected: str):
    """The most specific variable wins, and XDG paths that are relative are ignored."""
    assert socket(HOME | extra) == expected


def test_what_stands_in_the_state_folder_is_known_for_ours():
    """Else the folder counts as one with files of others, and is not closed to them."""
    given = [paths.__dict__[name] for name in vars(paths) if name.endswith(("_path", "_directory"))]
    in_state_folder = {
        Path(path).relative_to("/data").parts[0]
        for path in (each({"PALIMP_HOME": "/data"}) for each in given if not each.__code__.co_kwonlyargcount)
        if path.startswith("/data/")
    }

    assert len(in_state_folder) > 8
    assert [name for name in in_state_folder if not paths.is_own_name(name)] == []


@pytest.mark.parametrize("name", ["conversations.json", "conversations", "my-conversations.db", "notes.md", "runs"])
def test_what_somebody_else_may_have_there_is_none_of_ours(name: str):
    """A folder that holds it is not closed to others."""
    assert not paths.is_own_name(name)


def test_a_path_that_is_too_long_is_replaced_by_a_short_one():
    """Two long paths give two short ones, each the same every time."""
    long = {"PALIMP_HOME": "/" + "x" * 120}
    other = {"PALIMP_HOME": "/" + "y" * 120}

    assert len(socket(long)) <= 107
    assert socket(long) == socket(long) != socket(other)
    assert "1000" in socket(long)


def test_a_path_of_exactly_the_limit_is_kept():
    """107 bytes fit into a socket address."""
    state = "/" + "x" * (107 - len("/palimp.sock") - 1)

    assert socket({"PALIMP_HOME": state}) == f"{state}/palimp.sock"
    assert socket({"PALIMP_HOME": state + "x"}).startswith("/tmp/palimp-1000-")


def test_relative_state_and_config_homes_are_ignored():
    """As the XDG specification asks for."""
    env = HOME | {"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"}

    assert paths.state_directory(env) == "/home/ada/.local/state/palimp"
    assert paths.config_path(env) == "/home/ada/.config/palimp/config.toml"


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ({}, ""),
        ({"PALIMP_HOME": "", "PALIMP_SOCKET": ""}, ""),
        ({"PALIMP_HOME": "/data", "PALIMP_SOCKET": "/" + "x" * 106}, ""),
        ({"HOME": "work"}, "HOME is 'work'; it must be an absolute path."),
        ({"PALIMP_HOME": "data"}, "PALIMP_HOME is 'data'; it must be an absolute path."),
        ({"PALIMP_SOCKET": "~/s"}, "PALIMP_SOCKET is '~/s'; it must be an absolute path."),
        (
            {"PALIMP_SOCKET": "/s/" + "x" * 105},
            "PALIMP_SOCKET is too long: the path of a socket has at most 107 bytes.",
        ),
    ],
)
def test_a_path_that_cannot_be_meant_is_said(extra: dict[str, str], problem: str):
    """Each program would take it for another folder, or wait for a socket that cannot be."""
    assert paths.problem_of(HOME | extra) == problem


def test_an_empty_home_counts_as_unset(monkeypatch):
    """As in a service's or a container's environment; the root folder is nobody's home."""
    monkeypatch.setenv("HOME", "")
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert paths.home_directory({"HOME": ""}) == paths.home_directory({}) == home
