"""The name of the time zone that a process is in, for whoever answers it from another process.

Days are those of whoever asks: the daemon may have been started in another zone than the terminal that lists memories.
A zone travels by its name in the tz database, whose rules say what its offset was half a year ago. Where it has none,
as in `TZ=IST-5:30`, its offset of now travels in its place.
"""

import os
import time
from collections.abc import Mapping
from typing import Final

DATABASE: Final = "/usr/share/zoneinfo"
LOCAL: Final = "/etc/localtime"


def zone_name(env: Mapping[str, str], *, local: str = LOCAL) -> str:
    """Return the name of the zone that TZ in *env* names, else of the machine's: `Asia/Kolkata`, else `+0530`."""
    told = env["TZ"].removeprefix(":") if "TZ" in env else _target(local)
    name = told.rpartition("zoneinfo/")[2]
    is_known = name and ".." not in name and os.path.isfile(f"{DATABASE}/{name}")  # noqa: PTH113  pathlib is slow to import
    return name if is_known else time.strftime("%z")


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115  as above
    except OSError:
        return ""
