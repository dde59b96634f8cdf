"""The listing of commands."""

import subprocess
import sys

import pytest

from palimp_shim.cli.commands import ALIASES, MODULES, SUMMARIES
from palimp_shim.cli.main import parser_for, whole_parser

LOADED = (
    "import sys; from palimp_shim.cli.main import main; code = main();"
    " print(*(name for name in sys.modules if name.startswith('palimp_shim.cli.')), file=sys.stderr); sys.exit(code)"
)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_no_command(argument: str):
    """So that both answer at once, and a command that cannot be imported does not keep the others from being found."""
    ran = subprocess.run([sys.executable, "-c", LOADED, argument], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in ran.stderr.split()}
    assert "commands" in loaded
    assert not loaded & {MODULES.get(name, name) for name in SUMMARIES}


def test_the_listing_is_that_of_the_whole_parser():
    """Names, second names and summaries are the same, whether or not the commands were imported."""
    assert parser_for(["--help"]).format_help() == whole_parser().format_help()


def test_a_second_name_is_the_command():
    """With its options."""
    for alias, name in ALIASES.items():
        assert parser_for([alias, "x"]).parse_args([alias, "x"]).run is parser_for([name]).parse_args([name, "x"]).run
