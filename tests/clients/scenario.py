"""What every client with hooks must do, played with its real program against a scripted model.

One session takes a function out of a file, saves a decision with a tool, and says another in its text. A day later a
second session is shown the decision before it does anything, and is denied to put the function back until it tries
again. Further ones are reminded of a rule, and held to it. What was installed is gone afterwards, to the byte.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import apsw
from client import RealClient
from retry_helper import KEEP, RENAMED, RETRY
from running_daemon import palimp_environment, temporary_home, wait_until
from scripted_models import Script, serve

PALIMP: Final = str(Path(sys.executable).with_name("palimp"))
RUN_S: Final = 120
"""Seconds for one command: a client starts in some seconds on a machine that does more than this."""

SAVED: Final = "The ledger uses integer cents because floats lost a cent in March"
SAID: Final = "We decided to ship the parser behind a flag, because Zürich tests it first."
DECIDED: Final = "We decided to number invoices by year, because the tax office asks for it."
WHY: Final = "it hides outages from the callers"
RULE: Final = "Commit messages in English."
PROMPT: Final = "Write the ledger export with the sums in integer cents, and make its calls more robust."
HELD_TO: Final = "Use pnpm, never npm."
BROKEN: Final = "npm install --offline || true"
REMINDED: Final = "goes against what the user asked for"
REFUSED: Final = "palimp refused this"
DENIED: Final = "reintroduces code that was removed"
DAY_MS: Final = 86_400_000


class FailedError(Exception):
    """Something was not as it should be; the message says what."""


@dataclass
class Stage:
    """A project in a home of its own, in which clients' programs run."""

    home: Path
    project: Path
    script: Script
    address: str
    env: dict[str, str]

    def configure(self, client: RealClient) -> None:
        """Have *client* talk to the scripted model."""
        self.env |= client.configure(self.home, self.address)

    def run(self, command: list[str]) -> str:
        """Run *command* in the project, and return what it printed.

        Raises:
            FailedError: it exited with something other than 0.
        """
        done = subprocess.run(
            command,
            env=self.env | {"PWD": str(self.project)},  # as a shell has it; OpenCode goes by it
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        said = f"{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
        expect(done.returncode == 0, f"{' '.join(command)} exited with {done.returncode}:\n{said}")
        return done.stdout

    def session(self, client: RealClient, prompt: str, *steps: dict[str, Any]) -> list[str]:
        """Play *steps* in a session of *client*; return what the model was shown, request by request."""
        self.script.play(*steps)
        self.run(client.command(prompt))
        expect(not self.script.steps, f"these steps were never asked for: {self.script.steps}")
        return [_shown(turn) for turn in self.script.turns]

    def palimp(self, *arguments: str) -> str:
        """Run palimp and return what it printed."""
        return self.run([PALIMP, *arguments])

    def sessions(self) -> list[str]:
        """Return the clients of the project's sessions, newest first."""
        return [each["client"] for each in json.loads(self.palimp("sessions", "--json"))["sessions"]]

    def let_a_day_pass(self) -> None:
        """Move what was recorded a day back, with the daemon stopped."""
        self.palimp("stop")
        state = Path(self.env["PALIMP_HOME"])
        database = apsw.Connection(str(state / "palimp.db"))
        database.execute("UPDATE changes SET at = at - ?", (DAY_MS,))
        database.close()
        self._start_again()

    def restart(self) -> None:
        """Let another daemon take over."""
        self.palimp("stop")
        self._start_again()

    def _start_again(self) -> None:
        (Path(self.env["PALIMP_HOME"]) / "stopped").unlink()  # nobody meant it to stay away
        self.palimp("health")


def _shown(request: dict[str, Any]) -> str:
    """Return what the model was shown by *request*, but for the tools."""
    return json.dumps({key: value for key, value in request.items() if key != "tools"}, ensure_ascii=False)


@contextmanager
def stage() -> Iterator[Stage]:
    """Yield a project with one file, `client.py`, in a home of its own, and a scripted model."""
    with temporary_home() as home, serve(script := Script()) as address:
        env = palimp_environment(home)
        env["PALIMP_HOOKS_PATIENCE"] = "20"  # a check that is late lets the edit through, which is not what is shown
        here = Stage(home, home / "mine", script, address, env)
        here.project.mkdir()
        (here.project / "client.py").write_text(KEEP + RETRY, encoding="utf-8")
        here.run(["git", "init", "-q"])
        here.run(["git", "add", "."])
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        here.run(["git", *identity, "commit", "-qm", "Talk to the server"])
        yield here


def play(client: RealClient) -> str:
    """Play the scenario with *client*; return what was seen.

    Raises:
        FailedError: something was not as it should be.
    """
    with stage() as here:
        here.configure(client)
        before = _files_of(here)
        _uninstall(client, here, before, install(client, here), is_untouched=True)
        paths = install(client, here)
        _first_session(client, here)
        here.let_a_day_pass()
        _second_session(client, here)
        held = _held_to_a_rule(client, here)
        seen = held + (f"{client.also(here, client)}; " if client.also else "")
        _uninstall(client, here, before, paths, is_untouched=False)
    return f"told at its start, denied with the reason, recorded, captured; {seen}and gone to the byte"


def _first_session(client: RealClient, here: Stage) -> None:
    """It removes a function, saves a decision and says another."""
    file = here.project / "client.py"
    here.session(
        client,
        f"Remove the retry helper: {WHY}. {DECIDED}",
        *client.reading(file),
        client.edit(file, RETRY, ""),
        client.write(here.project / "plan.md", "# Plan\n\nThe parser first.\n"),
        *client.connected,
        client.save(SAVED),
        {"text": f"The retry helper is gone. {SAID}"},
    )
    expect(file.read_text() == KEEP, f"the function was not removed: {file.read_text()}")
    expect((here.project / "plan.md").exists(), "the new file was not written")
    expect(SAVED in here.palimp("list", "--json"), "nothing was saved through the tool")
    log = here.palimp("changes", "log", "--json")
    expect("retry_with_backoff" in log and WHY in log, f"the edit was not recorded with its reason: {log}")
    comes(here, "Zürich", "search", "--kind", "conversation", "parser behind a flag Zürich", "--json")
    if not client.tells_end:
        here.restart()
    comes(here, "tax office", "review", "--json")
    expect(here.sessions()[:1] == [client.name], f"the session has another client's name: {here.sessions()}")


def comes(here: Stage, word: str, *command: str) -> None:
    """Wait until palimp's *command* says *word*: sessions are looked through in the background."""
    said = ""

    def is_there() -> bool:
        nonlocal said
        found = subprocess.run(  # it exits with 1 as long as it finds nothing
            [PALIMP, *command],
            env=here.env,
            cwd=here.project,
            capture_output=True,
            text=True,
            check=False,
            timeout=RUN_S,
        )
        said = found.stdout + found.stderr
        return word in said

    wait_until(is_there, RUN_S, lambda: f"palimp {' '.join(command)} does not say {word}: {said}")


def _second_session(client: RealClient, here: Stage) -> None:
    """It is told, denied, and let through."""
    file = here.project / "client.py"
    here.palimp("add", RULE, "--kind", "preference")
    again = client.edit(file, KEEP, KEEP + RENAMED)
    committing = [client.shell("git commit --allow-empty -qm x || true")] if client.shell else []
    shown = here.session(client, PROMPT, *committing, *client.reading(file), again, again, {"text": "done"})
    expect(SAVED in shown[0], f"the second session was not shown what the first had saved: {shown[0][-4000:]}")
    expect("bear on this prompt" in shown[0], f"the prompt did not bring its memory: {shown[0][-4000:]}")
    is_told = "on what you are about to do" in shown[1] and RULE in shown[1]
    expect(is_told or not committing, f"it was not told what is known of commits before one: {shown[1][-4000:]}")
    _, _, denial = shown[-2].partition(DENIED)  # what the model saw before it tried again
    expect(bool(denial), f"the edit was not denied: {shown[-2][-4000:]}")
    expect(WHY in denial, f"the denial lacks its reason: {denial[:2000]}")
    expect(file.read_text() == KEEP + RENAMED, f"the second attempt did not pass: {file.read_text()}")
    expect(here.sessions()[:2] == [client.name] * 2, f"sessions have other clients' names: {here.sessions()}")


def _held_to_a_rule(client: RealClient, here: Stage) -> str:
    """Sessions are reminded of a rule, and once it is enforced refused once; what went through is counted."""
    if not client.shell:
        return ""
    step = client.shell(BROKEN)
    made = here.palimp("rules", "add", HELD_TO, "--command", "npm *", "--instead", "pnpm", "--json")
    number = json.loads(made)["rules"][0]["id"]
    shown = here.session(client, "What is installed?", step, {"text": "Nothing."})
    expect(REMINDED in shown[1] and HELD_TO in shown[1], f"it was not reminded of the rule: {shown[1][-4000:]}")
    here.palimp("rules", "enforce", number)
    shown = here.session(client, "Look once more.", step, step, {"text": "Nothing."})
    expect(REFUSED in shown[1] and HELD_TO in shown[1], f"it was not refused: {shown[1][-4000:]}")
    expect(shown[2].count(REFUSED) == 1, f"the same act did not pass when it was sent again: {shown[2][-4000:]}")
    comes(here, '"overruled": 1', "rules", "--json")
    comes(here, '"broken_told": 2', "rules", "--json")
    return "reminded of a rule, refused once when it was enforced, counted; "


def install(client: RealClient, here: Stage) -> list[Path]:
    """Install palimp, and return which files were written."""
    said = here.palimp("install", "--client", client.name, "--no-history")
    paths = [Path(line.split(maxsplit=1)[1]) for line in said.splitlines() if line.startswith(("made ", "changed "))]
    expect(bool(paths), f"nothing was installed: {said}")
    return paths


def _uninstall(
    client: RealClient, here: Stage, before: dict[Path, bytes], paths: list[Path], *, is_untouched: bool
) -> None:
    """What the client did not change is as it was, to the byte; what it did has nothing of palimp in it."""
    said = here.palimp("uninstall", "--client", client.name)
    for path in paths:
        data = path.read_bytes() if path.exists() else None
        if not is_untouched and f"{path} was changed since by somebody else" in said:
            print(f"  {client.name} has written to {path.name} itself; what is palimp's was taken out of it")
            expect(data is None or b"palimp" not in data, f"palimp is still in {path}: {data!r}")
        else:
            expect(data == before.get(path), f"{path} is not as it was: {data!r}")


def _files_of(here: Stage) -> dict[Path, bytes]:
    """Return the files in the home."""
    return {path: path.read_bytes() for path in here.home.rglob("*") if path.is_file()}


def expect(is_so: bool, otherwise: str) -> None:
    """Fail with *otherwise* unless *is_so*.

    Raises:
        FailedError: it is not.
    """
    if not is_so:
        raise FailedError(otherwise)
