"""The address that an owner writes down: valid for its own folder, wherever that is reached from, and no other."""

import os
import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.env import paths
from palimp_protocol.env.address import address_bytes, identity_for, identity_of, written_address


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": "/nonexistent", "PALIMP_HOME": str(folder)}


def written(folder: Path, socket: str) -> None:
    env = environment(folder)
    Path(paths.lock_path(env)).touch()
    Path(paths.address_path(env)).write_bytes(address_bytes(socket, paths.lock_path(env)))


def test_it_is_valid_in_its_folder_and_where_that_was_moved_or_linked_to(tmp_path: Path):
    folder = tmp_path / "one"
    folder.mkdir()
    written(folder, "/run/palimp.sock")
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert written_address(environment(folder)) == written_address(environment(link)) == "/run/palimp.sock"
    moved = folder.rename(tmp_path / "two")
    assert written_address(environment(moved)) == "/run/palimp.sock"


def test_it_is_nobody_s_in_a_copy(tmp_path: Path):
    folder = tmp_path / "one"
    folder.mkdir()
    written(folder, "/run/palimp.sock")
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert written_address(environment(copy)) is None
    assert identity_for(environment(copy)) not in ("", identity_for(environment(folder)))


def test_any_path_of_a_socket_comes_back(tmp_path: Path):
    """Names of files are bytes, but for line feeds, which a socket of ours never has."""
    folder = tmp_path / "one"
    folder.mkdir()

    @given(st.binary(min_size=1, max_size=90).filter(lambda name: not {0, 10} & set(name)))
    def check(name: bytes) -> None:
        socket = os.fsdecode(b"/run/" + name + b".sock")
        written(folder, socket)
        assert written_address(environment(folder)) == socket

    check()


def test_any_bytes_in_its_place_are_no_error(tmp_path: Path):
    folder = tmp_path / "one"
    folder.mkdir()
    env = environment(folder)

    @given(st.binary(max_size=200))
    def check(data: bytes) -> None:
        Path(paths.address_path(env)).write_bytes(data)
        assert written_address(env) is None

    check()


def test_who_names_a_socket_means_whoever_listens_there(tmp_path: Path):
    (tmp_path / "palimp.lock").touch()
    env = environment(tmp_path)
    assert identity_for(env) == identity_of(tmp_path / "palimp.lock") != ""
    assert identity_for(env | {"PALIMP_SOCKET": "/run/palimp.sock"}) == ""
