"""A client, as an installation sees it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from palimp_clients.install.client_files import Change


class Client(Protocol):
    """A client's files, before and after."""

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return an installation's changes, and remarks; *programs* is our commands' folder.

        Raises:
            PalimpError: a file cannot be read, or is not as expected; nothing was changed.
        """
        ...

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the installation's present files."""
        ...

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client knows our server."""
        ...

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client was used here, or can be."""
        ...


class Settling(Protocol):
    """A client whose program must accept an installation."""

    def settle(self, env: Mapping[str, str], programs: Path) -> list[str]:
        """Have the program accept the installation; return remarks."""
        ...

    def disuse_reason(self, env: Mapping[str, str], programs: Path) -> tuple[str, bool]:
        """Return why the installation is not used, and a remedy, or empty; and whether that is certain."""
        ...
