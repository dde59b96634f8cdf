"""OpenCode, with the tool that it offers to OpenAI's models (`apply_patch`)."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import codex
import opencode
from client import Step


def write(path: Path, text: str) -> Step:
    """A patch that adds a file."""
    return _named(codex.write(path, text))


def edit(path: Path, old: str, new: str) -> Step:
    """A patch that takes the lines of *old* out and puts those of *new* in."""
    return _named(codex.edit(path, old, new))


def _named(step: Step) -> Step:
    return step | {"input": {"patchText": step["input"]}}


CLIENT: Final = replace(opencode.CLIENT, configure=partial(opencode.configure, model="gpt-5.4"), write=write, edit=edit)
