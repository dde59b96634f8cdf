"""The command that installs palimp with more fits how it is installed."""

import shlex
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.env.installation import PIPX, UV_TOOL, how_to_add, how_to_add_to

CHECKOUT = "/home/ann/src/palimp"
AT_CHECKOUT = {"url": f"file://{CHECKOUT}", "dir_info": {}}


def having(*names: str) -> Callable[[str], bool]:
    return lambda name: name in names


@pytest.mark.parametrize(
    ("installer", "files", "command"),
    [
        ("uv", (UV_TOOL,), f"uv tool install --force --compile-bytecode '{CHECKOUT}[semantic]'"),
        ("pip", (PIPX,), f"pipx install --force '{CHECKOUT}[semantic]'"),
        ("uv", (), f"uv pip install --python PYTHON '{CHECKOUT}[semantic]'"),
        ("pip", (), f"PYTHON -m pip install '{CHECKOUT}[semantic]'"),
        ("", (), f"PYTHON -m pip install '{CHECKOUT}[semantic]'"),
    ],
)
def test_the_program_that_installed_it_installs_it_again(monkeypatch, installer: str, files, command: str):
    monkeypatch.setattr("sys.executable", "PYTHON")
    assert how_to_add_to("semantic", AT_CHECKOUT, installer, having(CHECKOUT, *files)) == f"`{command}`"


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ({}, "'palimp[semantic]'"),
        ({"url": "file:///gone", "dir_info": {}}, "'.[semantic]'"),
        (
            {"url": "https://example.org/p.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "'palimp[semantic] @ git+https://example.org/p.git@c0ffee'",
        ),
        (
            {
                "url": "ssh://git@example.org/p.git",
                "vcs_info": {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "v2"},
            },
            "'palimp[semantic] @ git+ssh://git@example.org/p.git@v2'",
        ),
        (
            {"url": "https://example.org/palimp-1-py3-none-any.whl", "archive_info": {}},
            "'palimp[semantic] @ https://example.org/palimp-1-py3-none-any.whl'",
        ),
        ({"url": f"file://{CHECKOUT}", "dir_info": {"editable": True}}, f"-e '{CHECKOUT}[semantic]'"),
    ],
)
def test_it_comes_from_where_it_came_from(origin: dict[str, object], source: str):
    """Its name alone says where it is only where it was installed by that."""
    said = how_to_add_to("semantic", origin, "pip", having(CHECKOUT))
    assert said.split("pip install ", 1)[1].split("`")[0] == source


def test_a_folder_that_is_gone_is_a_checkout_to_be_found():
    said = how_to_add_to("semantic", {"url": "file:///gone", "dir_info": {}}, "pip", having())
    assert said.endswith("` in a checkout of palimp")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1, max_size=12))
def test_a_folder_of_any_name_is_one_argument(name: str):
    path = f"/srv/{name}"
    said = how_to_add_to("semantic", {"url": f"file://{quote(path)}"}, "pip", having(path))
    assert shlex.split(said.removeprefix("`").removesuffix("`"))[-1] == f"{path}[semantic]"


def test_it_is_asked_of_the_package_itself():
    """Whatever this was installed with."""
    said = how_to_add("semantic")
    assert said.startswith("`")
    assert "install " in said
    assert "[semantic]" in said
