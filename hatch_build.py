"""Build hook: write shell completions and the manual page from the command line's own parser into the wheel.

They are installed below the environment's `share`, in `bash-completion/completions`, `zsh/site-functions`,
`fish/vendor_completions.d` and `man/man1`, where shells and `man` look when the environment is on their paths.
"""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


class GeneratedFiles(BuildHookInterface):
    """Adds the generated files to a wheel; an editable install needs none."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files into the build folder and have them installed below `share`."""
        if version == "editable" or self.target_name != "wheel":
            return
        folder = Path(self.directory) / "generated"
        folder.mkdir(parents=True, exist_ok=True)
        for name, (text, place) in generated().items():
            (folder / name).write_text(text, encoding="utf-8")
            build_data["shared_data"][str(folder / name)] = place


def generated() -> dict[str, tuple[str, str]]:
    """Return each generated file's text and the place where it is installed."""
    sys.path[:0] = [str(ROOT / name) for name in ("protocol", "clients", "daemon", "shim")]
    os.environ["COLUMNS"] = "80"
    import shtab  # noqa: PLC0415  only builds have it
    from argparse_manpage.manpage import Manpage  # noqa: PLC0415

    from palimp_shim.cli.main import whole_parser  # noqa: PLC0415

    parser = whole_parser()
    parser.man_short_description = "a memory that lasts, shared by your coding agents' sessions"
    return {
        "palimp.bash": (shtab.complete(parser, "bash"), "share/bash-completion/completions/palimp"),
        "palimp.fish": (shtab.complete(parser, "fish"), "share/fish/vendor_completions.d/palimp.fish"),
        "_palimp": (shtab.complete(parser, "zsh"), "share/zsh/site-functions/_palimp"),
        "palimp.1": (str(Manpage(parser)), "share/man/man1/palimp.1"),
    }
