"""Check the file of a model."""

import hashlib
from pathlib import Path


class ModelError(Exception):
    """A model's file is missing or different."""


def checked_file(path: Path, sha256: str) -> Path:
    """Return *path* after a check of its checksum.

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
