"""The process's tz database zone, for answers from processes in other zones."""

import os
import time
from collections.abc import Mapping
from typing import Final

DATABASE: Final = "/usr/share/zoneinfo"
LOCAL: Final = "/etc/localtime"


def zone_name(env: Mapping[str, str], *, local: str = LOCAL) -> str:
    """Return TZ's zone, else the machine's: `Asia/Kolkata`, else `+0530`."""
    told = env["TZ"].removeprefix(":") if "TZ" in env else _target(local)
    name = told.rpartition("zoneinfo/")[2]
    is_known = name and ".." not in name and os.path.isfile(f"{DATABASE}/{name}")  # noqa: PTH113  pathlib is slow to import
    return name if is_known else time.strftime("%z")


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115  as above
    except OSError:
        return ""
