"""`palimp completion`: a shell's script for completing commands and options."""

from typing import Final

from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_text

SHELLS: Final = ("bash", "zsh", "fish")


@command(
    "completion",
    "Print a script with which the shell completes palimp's commands and options. Bash: put `source <(palimp completion"
    " bash)` into ~/.bashrc. Zsh: write it into a file _palimp in a folder of $fpath. Fish: write it into"
    " ~/.config/fish/completions/palimp.fish.",
    argument("shell", choices=SHELLS, help="bash, zsh or fish"),
    example="palimp completion fish > ~/.config/fish/completions/palimp.fish",
    scope=False,
    json=False,
)
def run(typed: Invocation) -> None:
    """Print the script."""
    import shtab  # noqa: PLC0415  only here

    from palimp_shim.cli.main import whole_parser  # noqa: PLC0415  it imports every command, this one among them

    print_text(shtab.complete(whole_parser(), typed.options.shell))
