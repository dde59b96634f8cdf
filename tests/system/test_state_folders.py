"""Whose a state folder is: a copy has a daemon of its own, and nobody but its user makes anything in it."""

import ctypes
import json
import os
import resource
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp_clients import BareClient
from running_daemon import end_daemon, owner_pids, palimp_environment, wait_until

from palimp_protocol.env import file_lock, paths

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
NOBODY = 65534
AT_ONCE_S = 15.0
"""Seconds for an answer that needs no wait, on a loaded machine; what waits for a daemon takes 25."""

PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 8, 47, 2
LINUX_CAPABILITY_VERSION_3, CAP_DAC_READ_SEARCH = 0x20080522, 1 << 2
"""Of prctl(2), capset(2) and capabilities(7)."""

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to be two users")


def run(
    env: dict[str, str], *arguments: str, before: Callable[[], None] | None = None, timeout_s: float = 60.0
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PALIMP, *arguments],
        env=env,
        cwd="/",
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        timeout=timeout_s,
        stdin=subprocess.DEVNULL,
        preexec_fn=before,
    )


def as_nobody() -> None:
    """Be another user, who may read everything, since the tests' Python may lie in a folder of root's; not write."""
    libc = ctypes.CDLL(None, use_errno=True)
    os.setgroups([])
    os.setgid(NOBODY)
    libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setuid(NOBODY)
    header = struct.pack("Ii", LINUX_CAPABILITY_VERSION_3, 0)
    sets = struct.pack("6I", *[CAP_DAC_READ_SEARCH] * 3, 0, 0, 0)
    if libc.capset(header, sets) or libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 2, 0, 0):
        raise OSError(ctypes.get_errno(), "the capabilities cannot be set")


def everything_in(folder: Path) -> set[tuple[str, int]]:
    return {(str(path), path.lstat().st_uid) for path in [folder, *folder.rglob("*")]}


# --- copies --------------------------------------------------------------------------------------


def by_home(env: dict[str, str], home: Path, copy: Path) -> tuple[dict[str, str], Path, dict[str, str]]:
    """PALIMP_HOME names the folder."""
    return env, home / "state", env | {"PALIMP_HOME": str(copy)}


def by_xdg(env: dict[str, str], home: Path, copy: Path) -> tuple[dict[str, str], Path, dict[str, str]]:
    """Both have one runtime folder, and so the same place for a socket."""
    (home / "runtime").mkdir(mode=0o700)
    first = {name: value for name, value in env.items() if name != "PALIMP_HOME"}
    first |= {"XDG_RUNTIME_DIR": str(home / "runtime"), "XDG_STATE_HOME": str(home / "one")}
    return first, home / "one" / "palimp", first | {"XDG_STATE_HOME": str(copy.parent)}


@pytest.mark.parametrize("layout", [by_home, by_xdg])
@pytest.mark.parametrize("first_asks", ["stop", "list", "mcp"])
def test_a_copied_folder_has_a_daemon_of_its_own(env, home: Path, layout: Callable, first_asks: str):
    """Whatever is asked of the copy first, the original's daemon stays, and what is saved goes where it was meant."""
    copy = home / "two" / "palimp"
    one, folder, two = layout(env, home, copy)
    assert run(one, "add", "In both folders.").returncode == 0
    (pid,) = owner_pids(one)
    copy.parent.mkdir()
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.sock"))

    if first_asks == "mcp":
        client = BareClient(two)
        client.initialize()
        client.ask(1, "save_memory", text="Only in the copy.")
        assert client.close() == 0
    else:
        run(two, first_asks)
        assert run(two, "add", "Only in the copy.").returncode == 0

    assert owner_pids(one) == [pid]
    assert owner_pids(two) not in ([], [pid])
    assert "Only in the copy" in run(two, "list").stdout
    assert "Only in the copy" not in run(one, "list").stdout
    assert run(two, "stop").returncode == 0
    assert owner_pids(one) == [pid]
    end_daemon(one)
    end_daemon(two)


def test_a_link_and_a_folder_that_was_moved_are_the_same_store(env, home: Path):
    """The daemon that runs serves the link; after the move the next one has what was saved."""
    assert run(env, "add", "Kept all the while.").returncode == 0
    (pid,) = owner_pids(env)
    link = home / "link"
    link.symlink_to(home / "state")
    linked = env | {"PALIMP_HOME": str(link)}
    assert json.loads(run(linked, "health", "--json").stdout)["pid"] == pid

    assert run(env, "stop").returncode == 0
    moved = home / "moved"
    (home / "state").rename(moved)
    assert "Kept all the while" in run(env | {"PALIMP_HOME": str(moved)}, "list").stdout
    end_daemon(env | {"PALIMP_HOME": str(moved)})


# --- other users ---------------------------------------------------------------------------------


@pytest.fixture
def theirs(home: Path) -> dict[str, str]:
    """The environment of a home that belongs to another user."""
    home.chmod(0o711)  # so that the other user gets in
    folder = home / "nobody"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    env = palimp_environment(folder, PALIMP_HOOKS_PATIENCE="100")
    env.pop("PALIMP_HOME")
    yield env
    end_daemon(env)


COMMANDS = [["list"], ["add", "x"], ["health"], ["stop"], ["install"], ["doctor"], ["hook", "SessionStart"]]


@needs_root
@pytest.mark.parametrize("has_store", [False, True], ids=["new", "used"])
def test_root_makes_nothing_in_a_home_of_somebody_else(theirs, has_store: bool):
    """Whatever is run; it is told whose the home is. The daemon by itself refuses, too."""
    folder = Path(theirs["HOME"])
    if has_store:
        assert run(theirs, "add", "Theirs.", before=as_nobody).returncode == 0
        assert run(theirs, "stop", before=as_nobody).returncode == 0
    before = everything_in(folder)
    for command in COMMANDS:
        done = run(theirs, *command)
        assert f"(uid {NOBODY})" in done.stdout + done.stderr, command
        assert "chown 0" not in done.stdout
    daemon = subprocess.run(
        [sys.executable, "-m", "palimp_daemon"], env=theirs, capture_output=True, text=True, check=False
    )
    assert f"(uid {NOBODY})" in daemon.stderr
    assert everything_in(folder) == before
    assert run(theirs, "add", "Served as ever.", before=as_nobody).returncode == 0


@needs_root
@pytest.mark.parametrize("name", ["spawn.lock", "palimpd.log", "palimp.lock"])
def test_a_user_is_served_though_root_left_a_file_in_the_folder(theirs, name: str):
    """An older palimp did that with sudo. The folder is the user's, so the file can be replaced."""
    assert run(theirs, "add", "Before.", before=as_nobody).returncode == 0
    assert run(theirs, "stop", before=as_nobody).returncode == 0
    left = Path(paths.state_directory(theirs)) / name
    left.unlink(missing_ok=True)
    left.touch(mode=0o600)

    with left.open():  # the file that replaces it has another inode
        done = run(theirs, "list", before=as_nobody)

    assert (done.returncode, "Before" in done.stdout) == (0, True), done.stderr


@needs_root
def test_a_lock_that_somebody_else_holds_is_not_replaced(theirs):
    """Two files of one name would be two owners of one database: the user is told what to do."""
    assert run(theirs, "add", "Before.", before=as_nobody).returncode == 0
    assert run(theirs, "stop", before=as_nobody).returncode == 0
    lock = Path(paths.lock_path(theirs))
    lock.unlink()
    held = file_lock.take(lock)
    done = run(theirs, "list", before=as_nobody, timeout_s=AT_ONCE_S)
    file_lock.release(held)
    assert f"sudo chown {NOBODY} {lock}" in done.stderr
    assert lock.stat().st_uid == 0


# --- folders that cannot be used -----------------------------------------------------------------


def under_a_file(home: Path) -> str:
    (home / "file").write_text("")
    return str(home / "file" / "state")


def not_utf8(home: Path) -> str:
    return os.fsdecode(os.fsencode(home) + b"/st\xffate")


def of_the_kernel(_: Path) -> str:
    return "/proc/palimp"


@pytest.mark.parametrize("place", [under_a_file, not_utf8, of_the_kernel])
@pytest.mark.parametrize("command", [["list"], ["install"]], ids=["list", "install"])
def test_a_folder_that_cannot_be_used_is_said_at_once(env, home: Path, place: Callable, command: list[str]):
    """One sentence that names it; no traceback, and nobody waits for a daemon that cannot be."""
    (home / ".claude").mkdir()
    folder = place(home)
    done = run(env | {"PALIMP_HOME": folder}, *command, timeout_s=AT_ONCE_S)
    assert done.returncode not in (0, 1)
    assert "Traceback" not in done.stderr
    assert os.fsencode(folder).decode("utf-8", "backslashreplace") in done.stderr


def test_a_disk_without_locks_is_said_at_once(env):
    """NFS without a lock daemon: nobody waits for a daemon that cannot be."""
    code = (
        "import errno, fcntl, sys\n"
        "def flock(*_): raise OSError(errno.ENOLCK, 'No locks available')\n"
        "fcntl.flock = flock\n"
        "from palimp_shim.cli.main import main; sys.argv[1:] = ['add', 'One.']; sys.exit(main())"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=AT_ONCE_S)
    assert done.returncode not in (0, 1)
    assert f"({file_lock.NO_LOCKS} (No locks available))" in done.stderr
    assert "PALIMP_HOME" in done.stderr


def test_little_memory_is_said_at_once(env):
    """A limit of the shell: too little for the database and for ZeroMQ is enough for the command that says so."""

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (200 * 1024**2, 200 * 1024**2))

    done = run(env, "add", "One.", before=little, timeout_s=AT_ONCE_S)
    assert done.returncode not in (0, 1)
    assert "only 200 MB of memory here (ulimit -v)" in done.stderr


def test_a_container_without_the_runtime_folder_that_its_environment_names_is_served(env, home: Path):
    """The socket lies beside the database then."""
    lacking = {name: value for name, value in env.items() if name != "PALIMP_HOME"}
    lacking |= {"XDG_RUNTIME_DIR": "/proc/nowhere", "XDG_STATE_HOME": str(home / "states")}
    assert run(lacking, "add", "One.").returncode == 0
    assert "One" in run(lacking, "list").stdout
    end_daemon(lacking)


@needs_root
def test_a_session_in_a_home_that_cannot_be_written_is_told_at_once(theirs):
    """Its client gets the reason as the answer to each request."""
    os.chown(theirs["HOME"], 0, 0)
    command = [sys.executable, "-m", "palimp_shim.relay.relay_loop"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    relay = subprocess.Popen(
        command,
        env=theirs,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=as_nobody,  # noqa: PLW1509  no test has threads then
    )
    relay.stdin.write(json.dumps(request).encode() + b"\n")
    relay.stdin.flush()
    answer = json.loads(relay.stdout.readline())
    relay.communicate(timeout=AT_ONCE_S)
    assert "Permission denied" in answer["error"]["message"]
    assert paths.state_directory(theirs) in answer["error"]["message"]


# --- what lies in it ---


def test_every_file_that_palimp_makes_is_known_for_its_own(daemon, env):
    """A folder with nothing else is closed to others; were one not known, it would stay open."""
    Path(env["PALIMP_HOME"]).chmod(0o755)
    assert run(env, "add", "One.").returncode == 0
    assert run(env, "http", "enable", "--port", "0").returncode == 0
    assert run(env, "conversations", "--read").returncode in (0, 1)
    daemon.stop()
    conversations = Path(paths.conversations_path(env))
    conversations.write_bytes(b"no database")
    wait_until(lambda: (run(env, "conversations").returncode, conversations.with_suffix(".damaged").exists())[1], 60)
    names = [path.name for path in Path(env["PALIMP_HOME"]).iterdir()]
    assert {"conversations.db", "conversations.damaged", "palimp.db", "http.token"} <= {*names}
    assert [name for name in names if not paths.is_own_name(name)] == []
    end_daemon(env)
    daemon.start()
    assert stat.S_IMODE(Path(env["PALIMP_HOME"]).stat().st_mode) == 0o700


# --- descriptors ---------------------------------------------------------------------------------


def test_a_session_that_the_daemon_has_no_descriptors_for_is_told_at_once(env):
    """With the reason and what to do; those that are served go on, and who comes when one has left is served."""

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    assert run(env, "list", before=few).returncode in (0, 1)  # it starts the daemon, which inherits the limit
    clients: list[BareClient] = []
    while len(clients) < 20:
        client = BareClient(env)
        client.request("init", "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO})
        answer = client.answer("init")
        if "error" in answer:
            break
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        clients.append(client)
    assert "file descriptors" in answer["error"]["message"]
    assert "ulimit -n" in answer["error"]["message"]
    refused = run(env, "list", timeout_s=AT_ONCE_S)
    assert "file descriptors" in refused.stderr
    for number, each in enumerate(clients):
        assert "of" in each.ask(number, "recall", query="x")
    client.kill()  # it would take the place
    assert clients.pop().close() == 0
    assert run(env, "list").returncode in (0, 1)


INFO = {"name": "bare", "version": "1"}


# --- what is there and is no file ----------------------------------------------------------------


WRONG_REASONS = ("Traceback", "gave no answer", "disk is full")


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


def as_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("put", [as_pipe, as_folder])
def test_no_file_of_the_state_folder_is_waited_for_when_something_else_is_in_its_place(tmp_path, put):
    """Each command is answered at once: by what it is for, or with the path and a reason."""
    first = palimp_environment(tmp_path)
    assert run(first, "add", "Retries are capped.").returncode == 0
    run(first, "stop")
    state = Path(paths.state_directory(first))
    made = {path.name for path in state.iterdir() if path.is_file() and not path.name.endswith("-wal")}
    assert {"palimp.db", "palimp.mark", "palimp.address"} <= made
    for name in sorted({*made, "conversations.db", "conversations.mark"}):
        env = palimp_environment(tmp_path, PALIMP_HOME=str(tmp_path / f"without-{name}"))
        shutil.copytree(state, env["PALIMP_HOME"], ignore=shutil.ignore_patterns("*.sock"))
        here = Path(env["PALIMP_HOME"], name)
        here.unlink(missing_ok=True)
        put(here)
        for command in (["list"], ["conversations"], ["add", "Once more."], ["stop"]):
            answered = run(env, *command, timeout_s=AT_ONCE_S)
            told = answered.stdout + answered.stderr
            assert not any(words in told for words in WRONG_REASONS), (name, command, told)
            assert command != ["list"] or "capped" in told or env["PALIMP_HOME"] in told, (name, told)
        end_daemon(env)
