"""All that runs git or reads its files: histories, messages, trees, and the fate of code that a text cites.

In the daemon only this room uses it; the others see its error, and whether a folder is a repository.
"""

from palimp_protocol.env.git_command import GitError, is_repository

__all__ = ["GitError", "is_repository"]
