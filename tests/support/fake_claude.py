"""A Claude Code of any version as its installers leave it: nothing of it is run, unless it says no version itself."""

import json
from pathlib import Path


def npm_package(root: Path, version: str) -> Path:
    """Make npm's package of *version* below *root*; return the folder for the PATH."""
    package = root / "node_modules" / "@anthropic-ai" / "claude-code"
    (package / "bin").mkdir(parents=True, exist_ok=True)
    (package / "package.json").write_text(json.dumps({"name": "@anthropic-ai/claude-code", "version": version}))
    program = package / "bin" / "claude.exe"
    program.write_text("#!/bin/sh\nexit 9\n")
    program.chmod(0o755)
    folder = root / "node_modules" / ".bin"
    folder.mkdir(exist_ok=True)
    (folder / "claude").unlink(missing_ok=True)
    (folder / "claude").symlink_to("../@anthropic-ai/claude-code/bin/claude.exe")
    return folder
