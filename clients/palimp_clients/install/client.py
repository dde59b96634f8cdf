"""What every client is to an installation, whatever files it has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from palimp_clients.install.client_files import Change


class Client(Protocol):
    """A client's files, before and after."""

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return what an installation would change, and what is to be said; *programs* is the folder of our commands.

        Raises:
            PalimpError: a file cannot be read, or is not what it should be; nothing was changed.
        """
        ...

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the files that an installation may have changed, as they are now."""
        ...

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client knows our server."""
        ...

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client was ever used here, or can be."""
        ...


class Settling(Protocol):
    """A client whose own program has a say in what its files mean."""

    def settle(self, env: Mapping[str, str], programs: Path) -> list[str]:
        """Have the program take what was installed; return what is to be said."""
        ...

    def unsettled(self, env: Mapping[str, str], programs: Path) -> tuple[str, bool]:
        """Return why what was installed is not used and what helps, or nothing; and whether that is certain."""
        ...
