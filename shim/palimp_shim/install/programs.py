"""Where our commands are."""

import shutil
import sys
from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError


def programs_folder() -> Path:
    """Return the folder of our commands, absolute: clients have no PATH.

    Raises:
        PalimpError: they are nowhere.
    """
    for folder in (Path(sys.argv[0]).absolute().parent, Path(sys.executable).parent):
        if (folder / "palimp-shim").is_file() and (folder / "palimp").is_file():
            return folder
    if found := shutil.which("palimp-shim"):
        return Path(found).absolute().parent
    text = "The command palimp-shim is not installed."
    raise PalimpError(ErrorCode.BAD_REQUEST, text, "Install palimp with pip or uv.")
