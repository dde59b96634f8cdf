"""Examine the daemon: database's owner, listener, a memory's way in and out."""

import json
import os
import re
import secrets
import select
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from palimp_clients.hooks.programs import VARIABLES
from palimp_protocol import __version__
from palimp_protocol.env import clock, file_lock, paths
from palimp_protocol.env.address import socket_elsewhere
from palimp_protocol.env.project import project_from_directory, working_directory
from palimp_protocol.env.state_folder import problem_with
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.conversation_messages import Conversations, ConversationStatus
from palimp_protocol.messages.daemon_messages import (
    DOCTOR,
    Canary,
    DaemonHealth,
    Embedding,
    EmbeddingStatus,
    Health,
    RunCanary,
)
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import count_of
from palimp_protocol.versions import is_newer, release_of, running_version
from palimp_shim.doctor.findings import Finding, of_clock
from palimp_shim.install.our_programs import run_program
from palimp_shim.transport.daemon_client import Client

WITHIN_S: Final = 25.0
"""Seconds for the way through a relay: clients give a server so long to start."""

HOOK_S: Final = 10.0
"""Seconds for a hook to end; its own limit is shorter."""

CONVERSATIONS_S: Final = 60.0
"""Seconds for conversations' status: thousands of clients' files are looked at."""

REBUILDS_SHOWN: Final = 4
"""Reported rebuilt indexes, the newest."""

_ID: Final = re.compile(r"\b(m[0-9a-z]{7,11})\b")


def is_there(env: Mapping[str, str]) -> bool:
    """Tell whether a daemon's socket is there; starts none, makes no folder."""
    is_refused = problem_with(env, user_id=os.getuid())
    try:
        return not is_refused and Path(paths.socket_path(env, user_id=os.getuid())).is_socket()
    except PermissionError:
        return False


def examine_team(env: Mapping[str, str]) -> list[Finding]:
    """Report a team's exchange, if the daemon runs."""
    if not is_there(env):
        return []
    try:
        return _team(Client(env).call(OPERATIONS["health"], Health(), Caller()))
    except PalimpError:  # which is said in its place
        return []


def examine(env: Mapping[str, str], programs: Path, *, is_team_told: bool = False) -> list[Finding]:
    """Examine the daemon, started if need be."""
    if problem := problem_with(env, user_id=os.getuid()):
        return [Finding("user", "failure", problem)]
    socket = _socket(env)
    if socket.state == "failure":
        return [socket]
    client = Client(env)
    try:
        health: DaemonHealth = client.call(OPERATIONS["health"], Health(), Caller())
    except PalimpError as error:
        return [socket, _unreachable(error, env)]
    found = [
        *([] if is_team_told else _team(health)),
        socket,
        _lock(health, file_lock.holders(paths.lock_path(env))),
        _version(health),
        *_store(health, env, programs),
    ]
    if not health.problem:
        found += [_meaning(client), of_conversations(Client(env, deadline_s=CONVERSATIONS_S))]
        found += _switched_off(health, env)
        found += [_whole_way(env, programs, client), _hook(env, programs), *_examination(env, programs, client)]
    return found


def _examination(env: Mapping[str, str], programs: Path, client: Client) -> list[Finding]:
    try:
        health: DaemonHealth = client.call(OPERATIONS["health"], Health(), Caller())
    except PalimpError as error:
        return [_unreachable(error, env)]
    if health.problem:
        return _store(health, env, programs)
    if health.examined_at:
        found = [Finding("examination", "well", f"Integrity check passed at {_minute(health.examined_at)}.")]
    else:
        text = "The integrity check of this large database is still running."
        found = [Finding("examination", "warning", text, "`palimp health` says when it has passed.")]
    rebuilt = health.store.rebuilt if health.store else []
    return found + [Finding("index", "note", each.sentence(_minute(each.at))) for each in rebuilt[:REBUILDS_SHOWN]]


def _minute(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(milliseconds / 1000))


def _socket(env: Mapping[str, str]) -> Finding:
    path = Path(paths.socket_path(env, user_id=os.getuid()))
    try:
        at = path.stat()
    except OSError:
        return Finding("socket", "well", f"It will be {path}.")
    if not stat.S_ISSOCK(at.st_mode):
        return Finding("socket", "failure", f"{path} is no socket.", "Move it away, or set PALIMP_SOCKET.")
    if at.st_uid != os.getuid():
        text = f"{path} belongs to another user (uid {at.st_uid})."
        return Finding("socket", "failure", text, "Remove it, or set PALIMP_SOCKET.")
    if stat.S_IMODE(at.st_mode) & 0o077:
        text = f"Others may reach {path} (its mode is {stat.S_IMODE(at.st_mode):o})."
        return Finding("socket", "warning", text, f"chmod 600 {path}", lambda: path.chmod(0o600))
    return Finding("socket", "well", f"{path} is yours alone.")


def _unreachable(error: PalimpError, env: Mapping[str, str]) -> Finding:
    owners = file_lock.holders(paths.lock_path(env))
    if owners and not socket_elsewhere(env):
        text = f"Process {owners[0]} owns the database and does not answer."
        return Finding("daemon", "failure", text, f"Look at {paths.log_path(env)}; then kill {owners[0]}.")
    return Finding("daemon", "failure", error.text, error.hint)


def _lock(health: DaemonHealth, holders: list[int]) -> Finding:
    if not holders:
        return Finding("lock", "note", "The kernel does not say here who holds the database's lock.")
    if holders != [health.pid]:
        text = f"Process {holders[0]} holds the database's lock, and process {health.pid} answers."
        return Finding(
            "lock", "failure", text, "Two daemons run with different folders: see PALIMP_HOME, PALIMP_SOCKET."
        )
    return Finding("lock", "well", "The daemon that answers holds the database's lock.")


def _version(health: DaemonHealth) -> Finding:
    text = f"palimp {health.version}, pid {health.pid}."
    ours = running_version()
    if is_newer(ours, health.version):
        text = f"{text} This command is newer: {ours}."
        return Finding("daemon", "warning", text, "`palimp stop`; the next session starts the new one.")
    if is_newer(health.version, ours):
        return Finding("daemon", "warning", f"{text} This command is older: {ours}.", "Update this one.")
    others = sorted({each.version for each in health.sessions} - {release_of(health.version)})
    if others:
        return Finding("daemon", "note", f"{text} Sessions of version {', '.join(others)} are open; they go on.")
    return Finding("daemon", "well", text)


def _store(health: DaemonHealth, env: Mapping[str, str], programs: Path) -> list[Finding]:
    found = [Finding("settings", "warning", note, "See `palimp config list`.") for note in health.notes]
    if health.problem:
        mend = partial(_repair_database, env, programs) if health.is_damaged else None
        return [*found, Finding("database", "failure", health.problem, health.hint, mend)]
    store = health.store
    if store is None:  # a daemon that is busy for the moment
        return found
    text = f"{store.counts_text()}; schema {store.schema}, SQLite {store.sqlite}."
    return [*found, Finding("database", "well", text), of_clock(clock.now_ms(), store.last_saved_at or 0)]


def _meaning(client: Client) -> Finding:
    try:
        status: EmbeddingStatus = client.call(OPERATIONS["embedding"], Embedding(), Caller())
    except PalimpError as error:
        return Finding("meaning", "warning", error.text, error.hint)
    if status.problem:
        return Finding("meaning", "warning", f"Semantic ranking fails: {status.problem}", status.hint)
    if status.is_on:
        text = f"Semantic ranking is on: {status.embedded:,} of {count_of(status.memories, 'memory')} are embedded."
        if status.remark:
            return Finding("meaning", "warning", f"{text} {status.remark}", status.hint)
        return Finding("meaning", "well", text)
    why = "switched off" if status.is_switched_off else "not installed"
    return Finding("meaning", "note", f"Semantic ranking is {why}: memories are ranked lexically only.", status.hint)


def of_conversations(client: Client) -> Finding:
    """Report kept conversations, and unreadable transcripts."""
    try:
        status: ConversationStatus = client.call(OPERATIONS["conversations"], Conversations(), Caller())
    except PalimpError as error:
        return Finding("conversations", "warning", error.text, error.hint)
    if status.problem:
        return Finding("conversations", "warning", f"Conversations cannot be used: {status.problem}")
    if not status.is_on:
        return Finding("conversations", "note", "Conversations are not kept: conversations.keep is off.")
    text = f"{count_of(status.turns, 'turn')} of {count_of(status.sessions, 'session')} are kept."
    if not status.unread:
        return Finding("conversations", "well", text)
    files = ", ".join(f"{each.path} ({each.why or count_of(each.skipped, 'line')})" for each in status.unread)
    return Finding("conversations", "note", f"{text} Not all could be read of {files}.")


def _team(health: DaemonHealth) -> list[Finding]:
    if not health.team:
        return []
    hint = "`palimp team status` says more." if health.is_team_stuck else ""
    return [Finding("team", "warning" if health.is_team_stuck else "well", "; ".join(health.team), hint)]


def _switched_off(health: DaemonHealth, env: Mapping[str, str]) -> list[Finding]:
    if not health.off:
        return []
    try:
        project = project_from_directory(working_directory(env), paths.home_directory(env))
    except OSError:
        project = None
    if project and project.root in health.off:
        return [Finding("project", "note", f"palimp is off for {project.root}.", "`palimp on` switches it on.")]
    return [
        Finding(
            "project", "note", f"palimp is off for {count_of(len(health.off), 'project')}: {', '.join(health.off)}."
        )
    ]


def _repair_database(env: Mapping[str, str], programs: Path) -> str:
    command = [str(programs / "palimpd"), "--repair"]
    try:
        done = run_program(command, env)
    except OSError as error:
        raise PalimpError(ErrorCode.STORE_UNAVAILABLE, f"{command[0]} cannot be run: {error}.") from None
    if done.returncode:
        hint = "Put a backup in its place (palimp backup makes them), or move it away to begin anew; then this again."
        raise PalimpError(ErrorCode.STORE_UNAVAILABLE, done.stderr.strip() or "The repair failed.", hint)
    return " ".join(line for line in done.stdout.splitlines() if "rows of" not in line)


def _whole_way(env: Mapping[str, str], programs: Path, client: Client) -> Finding:
    folder = (Path(tempfile.gettempdir()) / f"{DOCTOR}-{os.getuid()}").resolve()
    project = project_from_directory(str(folder), paths.home_directory(env))
    if project is None or project.root != str(folder):
        text = f"Not tried: {folder.parent} is in a project of yours, in which it would leave something."
        return Finding("whole way", "warning", text, "Set TMPDIR to a folder that is in no repository.")
    began = time.monotonic()
    try:
        with file_lock.shared_folder(folder):
            problem = _Relay(env, programs, folder).problem()
    except (OSError, ValueError) as error:
        problem = f"The relay cannot be talked to: {error}."
    try:
        canary: Canary = client.call(OPERATIONS["canary"], RunCanary(project=project.root), Caller())
        problem = problem or canary.problem
    except PalimpError as error:
        problem = problem or str(error)
    if problem:
        return Finding("whole way", "failure", problem, f"Look at {paths.log_path(env)}.")
    took_s = time.monotonic() - began
    return Finding("whole way", "well", f"A memory was saved, found and purged through MCP in {took_s:.1f} s.")


class _Relay:
    def __init__(self, env: Mapping[str, str], programs: Path, folder: Path) -> None:
        own = {name: value for name, value in env.items() if name not in ("CLAUDE_PROJECT_DIR", *VARIABLES)}
        self._process = subprocess.Popen(
            [str(programs / "palimp-shim")],
            env=own,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._ends_at = time.monotonic() + WITHIN_S
        self._left = b""
        self._count = 0

    def problem(self) -> str:
        """Describe the first failure, or empty.

        Raises:
            ValueError: it does not speak the protocol.
            OSError: it is gone.
        """
        try:
            info = {"name": DOCTOR, "version": __version__}
            self._ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            names = [tool["name"] for tool in self._ask("tools/list")["tools"]]
            save, recall = (next(name for name in names if name.endswith(end)) for end in ("save_memory", "recall"))
            word = f"doctor{secrets.token_hex(8)}"  # which no memory of the user's has
            saved = _ID.search(self._call(save, text=f"The {word} was here; this is removed at once."))
            if not saved:
                return "A memory could not be saved through MCP."
            if saved[1] not in self._call(recall, query=word):
                return "A memory that was saved just now was not found through MCP."
            self._call(recall, ids=[saved[1]], action="purge")
            return "A memory that was purged is still found." if saved[1] in self._call(recall, query=word) else ""
        except StopIteration:
            return "The tools save_memory and recall are not offered: see the setting mcp.toolsets."
        finally:
            self._leave()

    def _leave(self) -> None:
        self._process.terminate()  # so that it takes its leave of the daemon
        try:
            self._process.communicate(timeout=WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def _call(self, name: str, **arguments: Any) -> str:
        result = self._ask("tools/call", name=name, arguments=arguments)
        return "\n".join(block.get("text", "") for block in result["content"])

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self._count:
                if "error" in message:
                    raise ValueError(message["error"].get("message", ""))
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin  # noqa: S101  it was asked for
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _line(self) -> bytes:
        assert self._process.stdout  # noqa: S101  it was asked for
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._left:
            if not select.select([descriptor], [], [], max(0.0, self._ends_at - time.monotonic()))[0]:
                raise TimeoutError(f"it gave no answer within {WITHIN_S:g} s")
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                raise BrokenPipeError("it left")
            self._left += chunk
        line, _, self._left = self._left.partition(b"\n")
        return line


def _hook(env: Mapping[str, str], programs: Path) -> Finding:
    began = time.monotonic()
    try:
        done = subprocess.run(
            [str(programs / "palimp"), "hook", "Stop"],
            env=dict(env),
            input=b"{}",
            capture_output=True,
            timeout=HOOK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("hooks", "failure", f"A hook cannot be run: {error}.", "Install palimp again.")
    took_ms = (time.monotonic() - began) * 1000
    if done.returncode or done.stdout or done.stderr:
        text = f"A hook ended with {done.returncode} and said: {(done.stdout + done.stderr)[:200]!r}."
        return Finding("hooks", "failure", text, "Install palimp again.")
    return Finding("hooks", "well", f"One takes {took_ms:.0f} ms.")
