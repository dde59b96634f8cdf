"""The key by which every replica calls a project."""

import hashlib

_KEY_BYTES = 16


def project_key(team: str, remote: str, name: str) -> str:
    """Return the key of a project in *team*: by the address of its repository, else by its *name*.

    Nobody who does not know the team's id can tell from the key which repository it is of.
    """
    said = f"remote:{remote}" if remote else f"name:{name}"
    return hashlib.blake2b(f"{team}\0{said}".encode(), digest_size=_KEY_BYTES).hexdigest()


def hashed_commits(team: str, commits: list[str]) -> list[str]:
    """Return the first commits of a repository so that replicas can compare them, and strangers learn nothing."""
    return sorted(hashlib.blake2b(f"{team}\0{each}".encode(), digest_size=8).hexdigest() for each in commits)
