"""All paths, as functions of an environment; no file is touched, so both sides agree.

State: `PALIMP_HOME`, else `$XDG_STATE_HOME/palimp`, else `~/.local/state/palimp`. Socket: `PALIMP_SOCKET`, else
`palimp.sock` in `PALIMP_HOME`, in `$XDG_RUNTIME_DIR/palimp`, or in the state folder's `run`. Text, since importing
`Path` is a tenth of a hook's start.
"""

import os
import pwd
from collections.abc import Mapping
from os.path import join

from palimp_protocol.limits import SOCKET_PATH_BYTES_MAX

Environment = Mapping[str, str]


def problem_of(env: Environment) -> str:
    """Return a fault of *env*'s paths, or empty."""
    for name in ("HOME", "PALIMP_HOME", "PALIMP_SOCKET"):
        if env.get(name, "/")[:1] not in ("", "/"):
            return f"{name} is {env[name]!r}; it must be an absolute path."
    if not _fits(env.get("PALIMP_SOCKET", "")):
        return f"PALIMP_SOCKET is too long: the path of a socket has at most {SOCKET_PATH_BYTES_MAX} bytes."
    return ""


def home_directory(env: Environment) -> str:
    """Return the user's home folder: HOME, else the user table's."""
    if home := env.get("HOME"):
        return home
    try:
        return pwd.getpwuid(os.getuid()).pw_dir  # expanduser would take an empty HOME for the root folder
    except KeyError:
        return os.path.expanduser("~")


def state_directory(env: Environment) -> str:
    """Return the database's folder."""
    if chosen := env.get("PALIMP_HOME"):
        return chosen
    base = env.get("XDG_STATE_HOME")
    # The XDG specification says that a relative path there is to be ignored.
    root = base if base and base.startswith("/") else join(home_directory(env), ".local", "state")
    return join(root, "palimp")


def config_home(env: Environment) -> str:
    """Return the folder of programs' settings."""
    base = env.get("XDG_CONFIG_HOME")
    return base if base and base.startswith("/") else join(home_directory(env), ".config")


def config_path(env: Environment) -> str:
    """Return the user's configuration file."""
    return join(config_home(env), "palimp", "config.toml")


def database_path(env: Environment) -> str:
    """Return the memories' database."""
    return join(state_directory(env), "palimp.db")


def conversations_path(env: Environment) -> str:
    """Return the conversations' database."""
    return join(state_directory(env), "conversations.db")


def lock_path(env: Environment) -> str:
    """Return the file whose lock makes an owner. It is never removed."""
    return join(state_directory(env), "palimp.lock")


def address_path(env: Environment) -> str:
    """Return the file with the owner's address."""
    return join(state_directory(env), "palimp.address")


def log_path(env: Environment) -> str:
    """Return the log of daemons started by clients."""
    return join(state_directory(env), "palimpd.log")


def switches_path(env: Environment) -> str:
    """Return the file of switched-off projects."""
    return join(state_directory(env), "palimp.off")


def token_path(env: Environment) -> str:
    """Return the file of HTTP's token."""
    return join(state_directory(env), "http.token")


def kept_page_path(env: Environment) -> str:
    """Return the file of the page's last browsers."""
    return join(state_directory(env), "page.json")


def frame_key_path(env: Environment) -> str:
    """Return the file of the key for stored texts' marks."""
    return join(state_directory(env), "palimp.frame-key")


def spool_directory(env: Environment) -> str:
    """Return the folder of hooks' records."""
    return join(state_directory(env), "spool")


def captures_directory(env: Environment) -> str:
    """Return the folder of conversations waiting for capture."""
    return join(state_directory(env), "captures")


def spawn_lock_path(env: Environment) -> str:
    """Return the file locked while a client starts the daemon."""
    return join(state_directory(env), "spawn.lock")


def handover_path(env: Environment) -> str:
    """Return the file with the client version that last replaced a daemon, and the time."""
    return join(state_directory(env), "handover")


def stopped_path(env: Environment) -> str:
    """Return the file with the last `palimp stop`'s time."""
    return join(state_directory(env), "stopped")


def socket_path(env: Environment, *, user_id: int) -> str:
    """Return the daemon's socket; *user_id* keys a short path under /tmp for one over 107 bytes."""
    if chosen := env.get("PALIMP_SOCKET"):
        return chosen
    runtime = env.get("XDG_RUNTIME_DIR")
    if env.get("PALIMP_HOME"):
        wanted = join(state_directory(env), "palimp.sock")
    elif runtime and runtime.startswith("/"):
        wanted = join(runtime, "palimp", "palimp.sock")
    else:
        wanted = join(state_directory(env), "run", "palimp.sock")
    return wanted if _fits(wanted) else _short(wanted, user_id)


def socket_beside_store(env: Environment, *, user_id: int) -> str:
    """Return the socket for a daemon whose usual one is another state folder's."""
    wanted = join(state_directory(env), "run", "palimp.sock")
    return wanted if _fits(wanted) else _short(wanted, user_id)


def is_own_name(name: str) -> bool:
    """Tell whether a file *name* is one of palimp's."""
    return name.startswith(_OWN_BEGINNINGS) or name in _OWN_NAMES


_OWN_BEGINNINGS = (
    "palimp",
    ".palimp-",
    "conversations.db",
    "conversations.mark",
    "conversations.reserve",
    "conversations.damaged",
)
"""Of conversations, only the database's files: a `conversations.json` may be foreign."""

_OWN_NAMES = frozenset(
    ("http.token", "page.json", "spool", "captures", "spawn.lock", "handover", "stopped", "install.json", "run")
)
"""Our other names in the state folder."""


def _fits(path: str) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES_MAX


def _short(path: str, user_id: int) -> str:
    import hashlib  # noqa: PLC0415  several milliseconds that the relay rarely needs

    digest = hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    return f"/tmp/palimp-{user_id}-{digest}/palimp.sock"  # noqa: S108  made 0700 and owner-checked
