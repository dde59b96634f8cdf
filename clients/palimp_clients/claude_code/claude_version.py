"""The oldest installed Claude Code, since all read the same settings.

Its path, else the program itself, tells the version.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from palimp_clients.install.npm_package import Version, parse_version, version_around, version_told
from palimp_protocol.env.paths import home_directory

PACKAGE: Final = "@anthropic-ai/claude-code"

PLACES: Final = (".local/bin/claude", ".claude/local/node_modules/.bin/claude")
"""Installers' places for the program, in the home folder, whatever the PATH."""

EXTENSIONS: Final = (".vscode", ".vscode-server", ".vscode-insiders", ".cursor", ".cursor-server", ".windsurf")
"""Editors' folders of extensions, one of which brings its own Claude Code."""

EXTENSIONS_MAX: Final = 2000
"""Entries read per extensions folder; a few hundred are many."""

NAMED_MAX: Final = 3
"""Folders above the program that may be named after its version."""

_EXTENSION: Final = re.compile(r"anthropic\.claude-code-(\d.*)")


def oldest(env: Mapping[str, str]) -> Version | None:
    """Return the oldest installed version; None: none, or one unknown."""
    found = [version_of(program, env) for program in _programs(env)]
    found += _extensions(Path(home_directory(env)))
    known = [version for version in found if version is not None]
    return min(known) if known and len(known) == len(found) else None


def version_of(program: Path, env: Mapping[str, str]) -> Version | None:
    """Return *program*'s version; None: unknown."""
    if version := version_around(program, PACKAGE):
        return version
    real = Path(os.path.realpath(program))
    for name in (real.name, *(folder.name for folder in islice(real.parents, NAMED_MAX))):
        if version := parse_version(name):
            return version
    return version_told(program, env)


def _programs(env: Mapping[str, str]) -> list[Path]:
    on_path = shutil.which("claude", path=env.get("PATH", os.defpath))
    home = Path(home_directory(env))
    places = [Path(on_path)] if on_path else []
    places += [home / place for place in PLACES if os.access(home / place, os.X_OK)]
    return list({os.path.realpath(place): place for place in places}.values())


def _extensions(home: Path) -> Iterator[Version]:
    """Older ones beside an editor's newest are left-overs."""
    for editor in EXTENSIONS:
        try:
            with os.scandir(home / editor / "extensions") as entries:
                matches = [_EXTENSION.fullmatch(entry.name) for entry in islice(entries, EXTENSIONS_MAX)]
        except OSError:
            continue
        versions = [version for match in matches if match and (version := parse_version(match[1]))]
        if versions:
            yield max(versions)
