"""Compare clients' files with this installation's; examine systemd's units."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from palimp_clients.claude_code import install as claude_code
from palimp_clients.install.client import Client
from palimp_clients.install.client_files import Change, apply
from palimp_clients.installers import CLIENTS, SETTLING
from palimp_clients.own_memories import OWN_MEMORIES, keeps_own_memory
from palimp_protocol.errors import PalimpError
from palimp_shim.doctor.findings import Finding
from palimp_shim.install import systemd
from palimp_shim.transport import systemd_socket

KNOWS: Final = "palimp is registered."

_AGAIN: Final = "palimp install --client {} (--dry-run shows the difference)"

PROGRAMS = ("palimp", "palimp-shim", "palimpd")


def examine(env: Mapping[str, str], programs: Path) -> list[Finding]:
    """Examine programs in *programs*, clients, and systemd."""
    found = [_programs(programs)]
    for name, client in CLIENTS.items():
        is_there = client.is_there(env)
        if is_there or client.is_installed(env):
            found.append(_registration(name, client, env, programs))
        elif name == claude_code.NAME:
            found.append(Finding(name, "note", "It is not here, and does not know palimp.", "Run `palimp install`."))
    installed = [name for name, client in CLIENTS.items() if client.is_installed(env)]
    return [
        *found,
        *_own_memories([name for name in installed if keeps_own_memory(name, env)], env),
        *_units(env, programs),
    ]


def knows_palimp(found: Sequence[Finding]) -> bool:
    """Tell whether a client in *found* has palimp registered."""
    return any(each.check in CLIENTS and each.text.startswith(KNOWS) for each in found)


def _programs(programs: Path) -> Finding:
    missing = [name for name in PROGRAMS if not os.access(programs / name, os.X_OK)]
    if missing:
        text = f"{', '.join(missing)} cannot be run in {programs}."
        return Finding("programs", "failure", text, "Install palimp again with pip or uv.")
    return Finding("programs", "well", f"They are in {programs}.")


def _own_memories(names: Sequence[str], env: Mapping[str, str]) -> list[Finding]:
    if not names:
        return []
    keep = "keeps a memory of its own" if len(names) == 1 else "keep memories of their own"
    text = (
        f"{', '.join(names)} {keep}, too, so things may be noted twice, and change in one only. palimp finds those"
        " notes, and never writes them."
    )
    switches = [(name, OWN_MEMORIES[name]) for name in names]
    off = [f"{name}: {each.switch} in {each.file(env)}" for name, each in switches if each.switch]
    none = [f"{name}: no switch is known" for name, each in switches if not each.switch]
    return [Finding("own memories", "note", text, f"To switch one off: {'; '.join([*off, *none])}.")]


def _registration(name: str, client: Client, env: Mapping[str, str], programs: Path) -> Finding:
    try:
        changes, said = client.changes(env, programs)
    except PalimpError as error:
        return Finding(name, "failure", error.text, error.hint)
    if not client.is_installed(env):
        option = "" if name == claude_code.NAME else f" --client {name}"
        text = "It is here, and palimp is not registered: its sessions have no memory."
        # Claude Code is what palimp is for; whoever has other clients need not want it in each.
        return Finding(name, "note" if option else "failure", text, f"Run `palimp install{option}`.")
    if name == claude_code.NAME and (harm := claude_code.ignores_settings(env)):
        return Finding(name, "failure", harm, _AGAIN.format(name), partial(apply, changes, name, env))
    if changes:
        files = ", ".join(str(change.path) for change in changes)
        text = f"Its configuration of palimp differs from what this installation would write: {files}."
        better = claude_code.could_call(env) if name == claude_code.NAME else ""
        mend = partial(_apply, changes, name, env, programs)
        return Finding(name, "warning", better or text, _AGAIN.format(name), mend)
    why, is_certain = SETTLING[name].disuse_reason(env, programs) if name in SETTLING else ("", False)
    if why:
        return Finding(name, "warning" if is_certain else "note", f"{KNOWS} {why}")
    return Finding(name, "well", " ".join([KNOWS, *said]))


def _apply(changes: Sequence[Change], name: str, env: Mapping[str, str], programs: Path) -> str | None:
    apply(changes, name, env)
    remarks = SETTLING[name].settle(env, programs) if name in SETTLING else []
    return " ".join(remarks) or None


def _units(env: Mapping[str, str], programs: Path) -> list[Finding]:
    if not systemd_socket.are_installed(env):
        return []
    try:
        systemd.check_manager(env)
    except PalimpError:
        text = "The units are installed, and no user manager answers here: clients start the daemon themselves."
        return [Finding("systemd", "note", text)]
    if systemd.changes(env, programs, os.getuid()):
        text = "The units are not what this installation would write."
        return [Finding("systemd", "warning", text, "Run `palimp install --systemd`.")]
    if not systemd.is_listening(env):
        return [Finding("systemd", "note", "It does not listen now; the next client starts it.")]
    return [Finding("systemd", "well", "It listens for clients.")]
