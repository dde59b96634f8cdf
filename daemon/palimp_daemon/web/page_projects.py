"""Find projects by the keys in the page's addresses."""

from typing import Final

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.settings.page_access import Arrival
from palimp_daemon.web.asking import Asking
from palimp_protocol.env.page_address import GLOBAL_KEY, key_of
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.project_messages import KnownProject, ProjectList, Projects

ARRIVED_MAX: Final = 64
"""Folders of `palimp page` calls, which no list may have yet."""


class PageProjects:
    """Known projects, and those that the page was opened for."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._arrived: BoundedDict[str, ProjectRef] = BoundedDict(ARRIVED_MAX)

    def path_of(self, arrival: Arrival) -> str:
        """Return the page's path for *arrival*."""
        if arrival.project is None:
            key = GLOBAL_KEY
        else:
            key = key_of(arrival.project.root)
            self._arrived[key] = arrival.project
        return f"/p/{key}/" + (f"memory/{arrival.memory}" if arrival.memory.isalnum() else "")

    async def all(self) -> list[KnownProject]:
        """Return the known projects, the last active first.

        Raises:
            PalimpError: the store is unavailable.
        """
        reply: ProjectList = await self._asking.ask(Projects(), Caller())
        return reply.projects

    async def find(self, key: str) -> tuple[bool, ProjectRef | None]:
        """Return whether *key* is known, and its project (None: global).

        Raises:
            PalimpError: the store is unavailable.
        """
        if key == GLOBAL_KEY:
            return True, None
        if arrived := self._arrived.get(key):
            return True, arrived
        for each in await self.all():
            if key_of(each.root) == key:
                return True, ProjectRef(each.root, each.name)
        return False, None
