"""GitHub's Copilot CLI, with the tool that it offers to OpenAI's models (`apply_patch`)."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import codex
import copilot


def configure(home: Path, address: str) -> dict[str, str]:
    """Patches are free text, which only the Responses API can carry."""
    settings = copilot.configure(home, address)
    return settings | {"COPILOT_MODEL": "gpt-5.4", "COPILOT_PROVIDER_WIRE_API": "responses"}


CLIENT: Final = replace(copilot.CLIENT, configure=configure, write=codex.write, edit=codex.edit)
