"""Wheels of this tree and of a later one, installed as users do, in a folder with spaces and letters of no ASCII.

    packages.py            run by `make packages`; needs the package registry for palimp's dependencies

Nothing of the source tree is reachable from there. First one installation is used and taken back; then the two stand
side by side, as they do when somebody updates one of them. Prints a line for each thing it saw and exits with 1 at the
first that is not as it should be.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import mcp_clients
from mcp_clients import BareClient
from running_daemon import end_daemon, owner_pids, palimp_environment, temporary_home, wait_until

from palimp_protocol.env.paths import database_path

ROOT = Path(__file__).parents[2]
PACKED = (
    *("protocol", "clients", "daemon", "shim", "systemd"),
    *("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "LICENSES", "constraints.txt"),
)
LATER = "9.9.0"
RUN_S = 300.0
WITHIN_S = 30.0


class Installed:
    """A virtual environment with a wheel of palimp in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"

    def python(self, code: str, env: dict[str, str], folder: Path) -> str:
        return run([str(self.bin / "python"), "-c", code], env, folder)

    def palimp(self, env: dict[str, str], folder: Path, *arguments: str, code: int = 0) -> str:
        return run([str(self.bin / "palimp"), *arguments], env, folder, code=code)

    def client(self, env: dict[str, str], folder: Path) -> BareClient:
        mcp_clients.SHIM[:] = [str(self.bin / "palimp-shim")]
        return BareClient(env, folder)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="größe und raum ") as made:
        work = Path(made)
        wheel, later_wheel = wheels(work)
        old = installed(work / "alte umgebung", wheel)
        new = installed(work / "neue umgebung", later_wheel, beside=old)
        with home() as env:
            used_and_taken_back(old, env)
        with home() as env:
            updated(old, new, env)
        with home() as env:
            no_loop(old, new, env)
    print("packages: all passed")


def used_and_taken_back(one: Installed, env: dict[str, str]) -> None:
    """Two commands, a session, the doctor, and out again."""
    folder = Path(env["HOME"])
    (folder / "mein projekt").mkdir()
    where = one.python("import palimp_daemon, sys; print(palimp_daemon.__file__); print(sys.path)", env, folder)
    expect(str(ROOT) not in where, f"the source tree is reachable: {where}")
    related = one.python(
        "from palimp_daemon.search.related_words import related_words; print(related_words('picture'))", env, folder
    )
    expect("photo" in related, f"the table of related words is not there: {related}")
    one.palimp(env, folder, "install")
    registered = json.loads((folder / ".claude.json").read_text())["mcpServers"]["palimp"]["command"]
    mcp_clients.SHIM[:] = [registered]
    client = BareClient(env, folder / "mein projekt")
    client.initialize()
    expect(client.ask(1, "save_memory", text="Paths have spaces.").startswith("Saved"), "nothing could be saved")
    hooks = json.loads((folder / ".claude/settings.json").read_text())["hooks"]
    for event, [group] in hooks.items():
        told = json.dumps({"session_id": "s", "cwd": str(folder / "mein projekt"), "source": "startup"})
        said = run(["/bin/sh", "-c", group["hooks"][0]["command"]], env, folder, text=told)
        expect(event != "SessionStart" or "Paths have spaces" in said, f"{event}: {said}")
    client.close()
    report = one.palimp(env, folder, "doctor")
    expect("All is well" in report, report)
    one.palimp(env, folder, "uninstall", "--purge-data", "--yes")
    left = [str(path) for path in folder.rglob("*") if "mein projekt" not in str(path) and path.is_file()]
    expect(not left, f"left behind: {left}")
    print("a wheel in a folder with spaces and umlauts: installed, used, examined, and gone without a trace")


def updated(old: Installed, new: Installed, env: dict[str, str]) -> None:
    """A session of the old version goes on through the update; its database is refused by the old version after it."""
    folder = Path(env["HOME"]) / "project"
    folder.mkdir()
    there = old.client(env, folder)
    there.initialize()
    expect(there.ask(1, "save_memory", text="Said to the old one.").startswith("Saved"), "the old one saves nothing")
    before = owner_pids(env)
    later = new.client(env, folder)
    later.initialize()
    wait_until(lambda: owner_pids(env) not in ([], before), WITHIN_S, lambda: "the old daemon was not replaced")
    expect("Said to the old one" in later.ask(1, "recall"), "the new one lost what the old one knew")
    expect(there.read()["method"] == "notifications/tools/list_changed", "the old session was not told of new tools")
    expect("Said to the old one" in there.ask(2, "recall"), "the old session did not go on")
    expect(f'"version": "{LATER}+' in new.palimp(env, folder, "health", "--json"), "the new daemon is not the new one")
    expect(old.palimp(env, folder, "list") != "", "an old command does not work with the new daemon")
    said = old.palimp(env, folder, "search", "old", "--limit", "1000", code=2)
    expect("may be too old" in said, f"the old command does not say that it is old: {said}")
    daemon = owner_pids(env)
    expect([there.close(), later.close()] == [0, 0], "a relay did not end well")
    expect(owner_pids(env) == daemon, "the daemon was replaced again")
    print("a newer relay had the older daemon replaced, once; the older session went on and was told of new tools")

    new.palimp(env, folder, "stop")
    at = hashlib.sha256(Path(database_path(env)).read_bytes()).hexdigest()
    refused = old.palimp(env, folder, "add", "Too old.", code=4)
    expect("written by a newer palimp" in refused, f"the old daemon says: {refused}")
    old.palimp(env, folder, "stop")
    now = hashlib.sha256(Path(database_path(env)).read_bytes()).hexdigest()
    expect(now == at, "the old daemon wrote to the database")
    expect("Said to the old one" in new.palimp(env, folder, "list"), "the new one cannot read it any more")
    print("a database of a newer schema is refused by the older daemon, and not a byte of it is changed")


def no_loop(old: Installed, new: Installed, env: dict[str, str]) -> None:
    """Commands and relays of both, one after the other: at most one replacement, and everybody is served."""
    folder = Path(env["HOME"]) / "project"
    folder.mkdir()
    for number in range(4):
        for one in (old, new):
            client = one.client(env, folder)
            client.initialize()
            said = client.ask(number, "save_memory", text=f"Number {number} of {one.folder.name}.")
            expect(said.startswith("Saved"), said)
            expect(client.close() == 0, "a relay did not end well")
    total = json.loads(new.palimp(env, folder, "list", "--json"))["total"]
    expect(total == 8, f"{total} of 8 memories are there")
    log = (Path(database_path(env)).parent / "palimpd.log").read_text()
    starts = log.count('"event": "listening"')
    expect(starts <= 2, f"{starts} daemons were started")
    print(f"both versions in turn, eight sessions: {starts} daemons in all, nothing lost")


def wheels(work: Path) -> tuple[Path, Path]:
    """Return a wheel of this tree, and one of a later version with a newer schema."""
    trees = []
    for name in ("this", "later"):
        tree = work / name
        for packed in PACKED:
            source = ROOT / packed
            if source.is_dir():
                shutil.copytree(source, tree / packed, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                tree.mkdir(exist_ok=True)
                shutil.copy(source, tree / packed)
        trees.append(tree)
    version = trees[1] / "protocol/palimp_protocol/__init__.py"
    version.write_text(re.sub(r'__version__ = "[^"]+"', f'__version__ = "{LATER}"', version.read_text()))
    migrations = trees[1] / "daemon/palimp_daemon/store/migrations"
    number = max(int(path.name[:4]) for path in migrations.glob("*.sql")) + 1
    (migrations / f"{number:04}_later.sql").write_text("CREATE TABLE later (id INTEGER) STRICT;\n")
    found = []
    for tree in trees:
        run(
            [
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--quiet",
                "--no-deps",
                "--wheel-dir",
                str(tree / "wheel"),
                str(tree),
            ]
        )
        found += (tree / "wheel").glob("palimp-*.whl")
    return found[0], found[1]


def installed(folder: Path, wheel: Path, beside: Installed | None = None) -> Installed:
    """Return a new environment with *wheel* in it, and its dependencies, which it may borrow from the one *beside*."""
    run([sys.executable, "-m", "venv", str(folder)])
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if beside:
        [site] = (folder / "lib").glob("python*/site-packages")
        [other] = (beside.folder / "lib").glob("python*/site-packages")
        (site / "borrowed.pth").write_text(f"{other}\n")
        run([*pip, "--no-deps", "--force-reinstall", str(wheel)])
    else:
        run([*pip, "--constraint", str(ROOT / "constraints.txt"), str(wheel)])
    return Installed(folder)


@contextmanager
def home() -> Iterator[dict[str, str]]:
    """Yield an environment with a new home; no daemon that lives there is left."""
    with temporary_home() as folder:
        env = palimp_environment(folder)
        for name in ("PYTHONPATH", "VIRTUAL_ENV", "CLAUDE_PROJECT_DIR"):
            env.pop(name, None)
        try:
            yield env
        finally:
            end_daemon(env)


def run(
    command: list[str], env: dict[str, str] | None = None, folder: Path | None = None, *, code: int = 0, text: str = ""
) -> str:
    """Return what *command* printed; it must end with *code*."""
    done = subprocess.run(
        command, env=env or dict(os.environ), cwd=folder or "/", capture_output=True, text=True, check=False,
        input=text, timeout=RUN_S,
    )  # fmt: skip
    expect(done.returncode == code, f"{command}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + (done.stderr if code else "")


def expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise SystemExit(f"FAILED: {otherwise}")


if __name__ == "__main__":
    main()
