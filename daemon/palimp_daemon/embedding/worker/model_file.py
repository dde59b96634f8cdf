"""The file of a model: whether it is the one that was asked for."""

import hashlib
from pathlib import Path


class ModelError(Exception):
    """The model's file is not the one that was asked for."""


def checked_file(path: Path, sha256: str) -> Path:
    """Return *path*.

    Raises:
        ModelError: there is no such file, or it has another checksum.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The model {path} cannot be read: {error.strerror}.") from error
    if sha256 and found != sha256:
        raise ModelError(f"The model {path} has the checksum {found}, not {sha256}.")
    return path
