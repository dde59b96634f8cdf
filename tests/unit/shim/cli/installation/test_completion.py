"""`palimp completion`: a shell completes commands, options and their values."""

import subprocess

import pytest

from palimp_protocol.errors import PalimpError
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.installation.completion import SHELLS
from palimp_shim.cli.main import parser_for

ASK_BASH = 'source /dev/stdin <<<"$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $0; echo "${COMPREPLY[@]}"'


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str]):
    """Returns what the command prints for a shell."""

    def call(shell: str) -> str:
        options = parser_for(["completion"]).parse_args(["completion", shell])
        assert options.run(options, {}) == 0
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (["palimp", "sea"], {"search"}),
        (["palimp", "changes", ""], {"log", "show", "check", "dismiss"}),
        (["palimp", "search", "--ki"], {"--kind"}),
        (["palimp", "completion", ""], set(SHELLS)),
        (["palimp", ""], set(SUMMARIES)),
    ],
)
def test_bash_completes_commands_options_and_values(script, words: list[str], some: set[str]):
    """As it does when somebody presses the tabulator."""
    ask = ["bash", "--norc", "-c", ASK_BASH, "_shtab_palimp", *words]
    done = subprocess.run(ask, env={"SCRIPT": script("bash")}, capture_output=True, text=True, check=True)
    assert some <= set(done.stdout.split())
    assert done.stderr == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script_with_every_command(script, shell: str):
    text = script(shell)
    assert all(name in text for name in SUMMARIES)
    assert "kind" in text


def test_another_shell_is_refused():
    with pytest.raises(PalimpError):
        parser_for(["completion"]).parse_args(["completion", "csh"])
