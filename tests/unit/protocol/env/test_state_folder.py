"""Whose a state folder is, judged before anything is made in it."""

import os
from pathlib import Path

import pytest

from palimp_protocol.env.state_folder import problem_with

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to make files of another user")
OTHER = 65534


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}


def test_one_s_own_folder_is_fine_whether_it_is_there_or_not(tmp_path: Path):
    user = os.getuid()
    assert problem_with(environment(tmp_path), user_id=user) == ""
    assert problem_with({"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "not" / "yet")}, user_id=user) == ""
    (tmp_path / "palimp.db").touch()
    assert problem_with({"HOME": "/", "PALIMP_HOME": str(tmp_path)}, user_id=user) == ""


def test_a_user_may_have_a_folder_below_one_of_root_s(tmp_path: Path):
    """As everybody has below /tmp."""
    assert problem_with({"HOME": "/", "PALIMP_HOME": "/tmp/palimp-of-nobody-yet"}, user_id=OTHER) == ""


@needs_root
def test_root_is_kept_out_of_a_home_and_of_a_runtime_folder_of_somebody_else(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
):
    os.chown(tmp_path, OTHER, OTHER)
    root = environment(tmp_path_factory.mktemp("root"))
    for env in (environment(tmp_path), root | {"HOME": str(tmp_path)}, root | {"XDG_RUNTIME_DIR": str(tmp_path)}):
        assert f"(uid {OTHER})" in problem_with(env, user_id=0)


@needs_root
def test_a_store_that_root_has_used_all_the_while_stays_root_s(tmp_path: Path):
    """In a container whose folder the host mounted: the database says whose it is, not the folder."""
    os.chown(tmp_path, OTHER, OTHER)
    (tmp_path / "palimp.db").touch()
    env = {"HOME": "/root", "PALIMP_HOME": str(tmp_path)}
    assert problem_with(env, user_id=0) == ""
    assert "(uid 0)" in problem_with(env, user_id=OTHER)


@pytest.mark.parametrize("name", [b"st\xff", b"\xed\xa0\xbd"])
def test_a_folder_whose_name_sqlite_cannot_take_is_said(tmp_path: Path, name: bytes):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/" + name)
    said = problem_with({"HOME": "/", "PALIMP_HOME": folder}, user_id=os.getuid())
    assert "not UTF-8" in said
    assert said.encode()
