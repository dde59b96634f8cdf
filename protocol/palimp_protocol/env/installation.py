"""palimp's installer, and its command to add an extra.

Sources: PEP 610's `direct_url.json`, PEP 376's INSTALLER, files of uv and pipx.
"""

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

PACKAGE: Final = "palimp"

UV_TOOL: Final = "uv-receipt.toml"
PIPX: Final = "pipx_metadata.json"
"""Files in a tool's environment that tell its installer."""


def how_to_add(extra: str) -> str:
    """Return the command, in backticks, that adds *extra*."""
    try:
        here = distribution(PACKAGE)
    except PackageNotFoundError:
        return how_to_add_to(extra, {}, "", lambda _: False)
    origin: dict[str, Any] = json.loads(here.read_text("direct_url.json") or "{}")
    return how_to_add_to(extra, origin, (here.read_text("INSTALLER") or "").strip(), _is_there)


def how_to_add_to(extra: str, origin: Mapping[str, Any], installer: str, is_there: Callable[[str], bool]) -> str:
    """Return that command for an *origin* by PEP 610; *is_there* finds files of the environment."""
    source, remark = _source(extra, origin, is_there)
    program = _program(installer, is_there)
    is_editable = bool(origin.get("dir_info", {}).get("editable"))
    option = "" if not is_editable else "--editable " if program.startswith(("uv tool", "pipx")) else "-e "
    return f"`{program} {option}{shlex.quote(source)}`{remark}"


def _program(installer: str, is_there: Callable[[str], bool]) -> str:
    if is_there(UV_TOOL):
        return "uv tool install --force --compile-bytecode"
    if is_there(PIPX):
        return "pipx install --force"
    if installer == "uv":
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    return f"{shlex.quote(sys.executable)} -m pip install"


def _source(extra: str, origin: Mapping[str, Any], is_there: Callable[[str], bool]) -> tuple[str, str]:
    url = str(origin.get("url", ""))
    if not url:
        return f"{PACKAGE}[{extra}]", ""
    place = urlsplit(url)
    if place.scheme == "file":
        path = unquote(place.path)
        return (f"{path}[{extra}]", "") if is_there(path) else (f".[{extra}]", " in a checkout of palimp")
    vcs = origin.get("vcs_info")
    if vcs:
        url = f"{vcs['vcs']}+{url}@{vcs.get('requested_revision') or vcs['commit_id']}"
    return f"{PACKAGE}[{extra}] @ {url}", ""


def _is_there(path: str) -> bool:
    return Path(sys.prefix, path).exists()  # an absolute path stays one
