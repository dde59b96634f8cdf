"""Find a project's own memories of Codex, Qwen Code and Gemini CLI.

Codex' memory and Qwen Code's of its user count everywhere. A Qwen Code folder, whose slug projects may share, counts
only if all sessions beside it were in the project. Gemini CLI records each folder's project.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from palimp_clients.codex import transcript as codex
from palimp_clients.gemini import transcript as gemini
from palimp_clients.qwen import transcript as qwen
from palimp_neighbours.client_memories.daemon.places import LINK, OTHERS, Place
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.text import quote_text

NOBODY: Final = "nothing in Qwen Code's files says whose it is"


def other_places(project: ProjectRef, env: Mapping[str, str]) -> dict[Place, str]:
    """Return other clients' memory files and folders, perhaps *project*'s, with the client."""
    home = Path(env.get("HOME") or "~").expanduser()
    folders = list(dict.fromkeys([project.root, project.tree or project.root]))
    found = dict.fromkeys(map(Place, codex.memory_files(home, env)), codex.CLIENT)
    found[Place(qwen.user_memory(home, env))] = qwen.CLIENT
    for folder in folders:
        found |= dict.fromkeys(_of_qwen(home, env, folder, folders), qwen.CLIENT)
        found |= dict.fromkeys(map(Place, gemini.memory_files(home, env, folder)), gemini.CLIENT)
    return {_unless_link(place): client for place, client in found.items() if place.folder.exists()}


def _of_qwen(home: Path, env: Mapping[str, str], folder: str, ours: list[str]) -> Iterator[Place]:
    for memory, seen in qwen.project_memories(home, env, folder):
        others = [each for each in seen if not _is_within(each, ours)]
        why = OTHERS.format(quote_text(others[0])) if others else NOBODY
        yield Place(memory, why if others or not seen else "")


def _is_within(folder: str, ours: list[str]) -> bool:
    return any(folder == each or folder.startswith(f"{each}/") for each in ours)


def _unless_link(place: Place) -> Place:
    return place._replace(why=LINK) if place.folder.is_symlink() and not place.why else place
