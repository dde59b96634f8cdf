"""Projects' keys, common to all replicas."""

import hashlib

_KEY_BYTES = 16


def project_key(team: str, remote: str, name: str) -> str:
    """Return a project's key, by its repository's address or *name*; only the team can read it."""
    said = f"remote:{remote}" if remote else f"name:{name}"
    return hashlib.blake2b(f"{team}\0{said}".encode(), digest_size=_KEY_BYTES).hexdigest()


def hashed_commits(team: str, commits: list[str]) -> list[str]:
    """Hash first commits: replicas compare them, strangers learn nothing."""
    return sorted(hashlib.blake2b(f"{team}\0{each}".encode(), digest_size=8).hexdigest() for each in commits)
