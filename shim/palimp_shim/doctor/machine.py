"""Examine the machine: data folder, file system, free space, hooks' records, log, git."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from palimp_protocol.env import paths
from palimp_protocol.env.git_command import git_environment, program
from palimp_protocol.env.state_folder import ROOT, name_of
from palimp_protocol.text import count_of, verb
from palimp_shim.doctor.findings import Finding, of_file_system, of_space
from palimp_shim.install.our_programs import run_program

MOUNTS: Final = Path("/proc/mounts")

LOG_BYTES: Final = 256 * 1024
"""Bytes at the log's end searched for bugs."""

SPOOLED_MANY: Final = 200
"""Waiting records of hooks; a running daemon takes them within seconds."""

GIT_S: Final = 5.0


def examine(env: Mapping[str, str]) -> list[Finding]:
    """Examine this machine."""
    folder = Path(paths.state_directory(env))
    there = next((each for each in (folder, *folder.parents) if _is_seen(each)), Path("/"))
    around = [of_file_system(_kind_of(there), str(folder)), of_space(shutil.disk_usage(there).free)]
    if there != folder and not os.access(there, os.W_OK | os.X_OK):
        text = f"{folder} cannot be made or looked into: {there} does not let you."
        return [Finding("files", "failure", text, "Set PALIMP_HOME to a folder of yours."), *around, _git(env)]
    return [*_permissions(env, folder), *around, _spool(env), _log(env), _git(env)]


def _is_seen(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        return False


def _permissions(env: Mapping[str, str], folder: Path) -> list[Finding]:
    if not folder.exists():
        return [Finding("files", "well", f"{folder} will be made with the first memory.")]
    database = Path(paths.database_path(env))
    files = [database, *(database.with_name(f"{database.name}-{end}") for end in ("wal", "journal"))]
    secret = (paths.token_path, paths.frame_key_path, paths.kept_page_path)
    files += [Path(name(env)) for name in (paths.lock_path, paths.spawn_lock_path, paths.log_path, *secret)]
    found: list[Finding] = []
    for path, right in [(folder, 0o700), *((file, 0o600) for file in files)]:
        try:
            at = path.stat()
        except FileNotFoundError:
            continue
        mode = stat.S_IMODE(at.st_mode)
        if at.st_uid != os.getuid():
            name = name_of(at.st_uid)
            text = f"{path} belongs to {name} (uid {at.st_uid})."
            is_theirs = os.getuid() == ROOT or folder.stat().st_uid not in (os.getuid(), ROOT)
            hint = f"Run palimp as {name}." if is_theirs else f"Make it yours: sudo chown {os.getuid()} {path}"
            found.append(Finding("files", "failure", text, hint))
        elif mode & 0o077:
            text = f"Others may look into {path} (its mode is {mode:o})."
            # A folder that others' things are in, too, is not ours to close.
            is_ours = path != folder or all(paths.is_own_name(each.name) for each in folder.iterdir())
            mend = partial(path.chmod, right) if is_ours else None
            found.append(Finding("files", "warning", text, f"chmod {right:o} {path}", mend))
    return found or [Finding("files", "well", f"{folder} is yours alone.")]


def _kind_of(path: Path) -> str:
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    real = path.resolve()
    for line in lines:
        fields = line.split()
        point = re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), fields[1])
        if len(point) >= len(best) and real.is_relative_to(point):
            best, kind = point, fields[2]
    return kind


def _spool(env: Mapping[str, str]) -> Finding:
    folder = Path(paths.spool_directory(env))
    waiting, refused = len(list(folder.glob("*.json"))), len(list(folder.glob("*.refused")))
    if refused:
        text = (
            f"{count_of(refused, 'record')} of hooks, in {folder}, {verb(refused, 'is no request', 'are no requests')}."
        )
        return Finding("hooks' records", "warning", text, "Look at them, then remove them.")
    if waiting > SPOOLED_MANY:
        text = f"{count_of(waiting, 'record')} of hooks {verb(waiting, 'waits', 'wait')} in {folder}."
        return Finding(
            "hooks' records", "warning", text, "A daemon that runs takes them in: see below whether it does."
        )
    told = f"{waiting} {verb(waiting, 'waits', 'wait')}." if waiting else "None wait."
    return Finding("hooks' records", "well", told)


def _log(env: Mapping[str, str]) -> Finding:
    path = Path(paths.log_path(env))
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LOG_BYTES))
            tail = file.read()
    except OSError:
        return Finding("log", "well", "There is none yet.")
    bugs = tail.count(b'"event": "bug"')
    if bugs:
        return Finding("log", "warning", f"{bugs} bugs of palimp are at the end of {path}.", "Please report them.")
    return Finding("log", "well", f"No bug is at the end of {path}.")


def _git(env: Mapping[str, str]) -> Finding:
    hint = "Install git: what commits removed is read with it."
    git = program("git", env)
    if git is None:
        return Finding("git", "warning", "git is not installed.", hint)
    try:
        done = run_program([git, "--version"], git_environment("/", env), GIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return Finding("git", "warning", "git cannot be run.", hint)
    said = done.stdout.strip()
    return Finding("git", "well", said) if done.returncode == 0 else Finding("git", "warning", f"git: {said}", hint)
