"""What is not supported says so in one sentence, before anything else can fail."""

import subprocess
import sys

import pytest

from palimp_protocol.env.platforms import refusal_on, warning_on


def test_linux_is_tested_macos_is_not_and_windows_is_not_supported():
    assert refusal_on("linux") == warning_on("linux") == refusal_on("darwin") == ""
    assert "launchd" in warning_on("darwin")
    assert "WSL 2" in refusal_on("win32")


@pytest.mark.parametrize(("program", "name"), [("main", "palimp"), ("relay", "palimp-shim")])
def test_on_windows_every_program_says_one_sentence(program: str, name: str):
    """Modules that are not there on Windows are not imported before."""
    code = (
        "import sys; sys.platform = 'win32'; sys.modules['fcntl'] = None;"
        f"from palimp_shim.__main__ import {program}; sys.exit({program}())"
    )
    done = subprocess.run([sys.executable, "-c", code, "install"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{name}: palimp does not run on Windows")
    assert done.stderr.count("\n") == 1
