"""`palimp completion`: what makes a shell complete palimp's commands and options."""

import argparse
from collections.abc import Mapping
from typing import Final

from palimp_shim.cli.arguments import Commands
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_text

SHELLS: Final = ("bash", "zsh", "fish")


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "completion",
        help=SUMMARIES["completion"],
        description=(
            "Print a script with which the shell completes palimp's commands and options. Bash: put `source <(palimp"
            " completion bash)` into ~/.bashrc. Zsh: write it into a file _palimp in a folder of $fpath. Fish: write it"
            " into ~/.config/fish/completions/palimp.fish."
        ),
        epilog="Example: palimp completion fish > ~/.config/fish/completions/palimp.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, _: Mapping[str, str]) -> int:
    """Print the script."""
    import shtab  # noqa: PLC0415  only here

    from palimp_shim.cli.main import whole_parser  # noqa: PLC0415  it imports every command, this one among them

    print_text(shtab.complete(whole_parser(), options.shell))
    return 0
