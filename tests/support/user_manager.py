"""A real `systemd --user` in namespaces of its own, as FACTS has it: nothing of the machine's is touched.

Needs root and `unshare`. The manager runs as an unprivileged user, as everybody's does, if that user can run this
Python at all; else as root.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from running_daemon import wait_until

SYSTEMD = "/lib/systemd/systemd"
NOBODY = 65534

# Waits for a line on its stdin when the manager runs, and ends it with the namespaces when that is closed.
INIT = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system "/run/user/$1"
for each in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
    if [ -e "$each/cgroup.procs" ] && mkdir "$each/$2" 2>/dev/null; then
        echo $$ > "$each/$2/cgroup.procs"
        chown -R "$1" "$each/$2"
    fi
done
chown "$1:$1" "/run/user/$1"
chmod 700 "/run/user/$1"
export XDG_RUNTIME_DIR="/run/user/$1" HOME="$3"
setpriv --reuid "$1" --regid "$1" --clear-groups $SYSTEMD --user >"$3/manager.log" 2>&1 &
for _ in $(seq 200); do
    case "$(setpriv --reuid "$1" --regid "$1" --clear-groups systemctl --user is-system-running 2>/dev/null)" in
        running|degraded) echo ready; break;;
    esac
    sleep 0.05
done
read -r _ || true
"""


def why_not() -> str:
    """Return why no manager can be run here; empty: it can be."""
    if os.getuid() != 0:
        return "a user manager of the test's own needs root"
    if missing := [name for name in ("unshare", "nsenter", "setpriv", "systemctl") if not shutil.which(name)]:
        return f"{', '.join(missing)} not installed"
    if not Path(SYSTEMD).exists():
        return "systemd is not installed"
    tried = subprocess.run(["unshare", "-m", "-C", "-p", "-f", "true"], capture_output=True, text=True, check=False)
    return f"namespaces are not allowed here: {tried.stderr.strip()}" if tried.returncode else ""


class NoManagerError(Exception):
    """The manager does not run here."""


class UserManager:
    """The manager, and a home in which palimp is used beside it."""

    def __init__(self, home: Path, user: int, init_pid: int) -> None:
        self.home = home
        self.user = user
        self._enter = ["nsenter", "--target", str(init_pid), "--mount", "--pid", "--cgroup", "--"]
        self._enter += ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"]
        self.env = {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": f"/run/user/{user}",
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "PALIMP_SEARCH_SEMANTIC": "off",
            "LANG": "C.UTF-8",
        }

    def command(self, *arguments: str) -> list[str]:
        """Return the command that runs *arguments* beside the manager."""
        return [*self._enter, *arguments]

    def run(self, *arguments: str, is_right: bool = True, text: str = "") -> str:
        """Run *arguments* beside the manager; return what they printed, or what they complained of."""
        done = subprocess.run(
            self.command(*arguments),
            env=self.env, cwd=self.home, capture_output=True, text=True, check=False, input=text, timeout=60,
        )  # fmt: skip
        assert (done.returncode == 0) == is_right, f"{arguments}: {done.stdout}{done.stderr}"
        return (done.stdout if is_right else done.stdout + done.stderr).strip()

    def palimp(self, *arguments: str, text: str = "") -> str:
        """Run `palimp`."""
        return self.run(str(Path(sys.executable).parent / "palimp"), *arguments, text=text)

    def systemctl(self, *arguments: str) -> str:
        """Run `systemctl --user`."""
        return self.run("systemctl", "--user", *arguments)

    def shows(self, unit: str, key: str) -> str:
        """Return a property of a unit."""
        return self.systemctl("show", unit, f"--property={key}", "--value")


@contextlib.contextmanager
def user_manager() -> Iterator[UserManager]:
    """Yield a running manager; afterwards nothing of it is left."""
    home = Path(tempfile.mkdtemp(prefix="palimp-", dir="/tmp"))
    user = NOBODY if _can_run_python(NOBODY) else 0
    os.chown(home, user, user)
    name = home.name
    process = subprocess.Popen(
        ["unshare", "-m", "-C", "-p", "-f", "--mount-proc", "--kill-child", "bash", "-c", INIT, "init",
         str(user), name, str(home)],
        env={**os.environ, "SYSTEMD": SYSTEMD}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            log = home / "manager.log"
            raise NoManagerError(log.read_text()[-500:] if log.exists() else "the namespaces could not be set up")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        yield UserManager(home, user, int(children[0]))
    finally:
        assert process.stdin
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        wait_until(lambda: _are_removed(name), 20)
        shutil.rmtree(home, ignore_errors=True)


def _are_removed(name: str) -> bool:
    """Remove the cgroups called *name* and those in them; tell whether they are gone: their processes end first."""
    for folder in [*Path("/sys/fs/cgroup").glob(name), *Path("/sys/fs/cgroup").glob(f"*/{name}")]:
        inner = [Path(at) for at, _, _ in os.walk(folder, topdown=False)]
        try:
            for each in inner:
                each.rmdir()
        except OSError:
            return False
    return True


def _can_run_python(user: int) -> bool:
    # By way of `env`: what setpriv itself starts is still looked up with root's rights.
    become = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "env"]
    tried = subprocess.run([*become, sys.executable, "-c", "import trio"], capture_output=True, check=False)
    return tried.returncode == 0
