"""Decide whether saves wait for the user's yes (`save.review`)."""

import os.path
from pathlib import Path

from palimp_daemon.settings.resolver import Settings
from palimp_protocol.messages.caller import Caller


class SaveReview:
    """Tells which saves wait; no project's file has a say."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def waits(self, caller: Caller) -> bool:
        """Tell whether a save by *caller* waits."""
        values = self._settings.current(None)
        mode = values.text("save.review")
        if mode == "never" or (mode == "agents" and caller.session is None):
            return False
        folders = values.texts("save.review_in")
        return not folders or (caller.project is not None and caller.project.root in map(_whole_path, folders))


def _whole_path(folder: str) -> str:
    return os.path.normpath(Path(folder).expanduser())
