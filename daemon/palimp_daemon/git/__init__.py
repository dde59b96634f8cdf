"""All that runs git or reads its files. Other rooms see its error, and whether a folder is a repository."""

from palimp_protocol.env.git_command import GitError, is_repository

__all__ = ["GitError", "is_repository"]
