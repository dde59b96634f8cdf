"""A stand-in for OpenCode: it loads the plugin into Node.js and calls its hooks as the program does."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

from nodejs import NODE

from palimp_clients.opencode.install import plugin_text

DRIVER: Final = Path(__file__).with_suffix(".mjs")
SESSION: Final = "ses_1"


class OpenCode:
    """One process of OpenCode's in *folder*, with the plugin as it is installed."""

    def __init__(self, env: Mapping[str, str], folder: Path, programs: Path) -> None:
        plugin = Path(env["HOME"], "plugin.mjs")
        plugin.write_bytes(plugin_text(programs))
        self._folder = folder
        self._uses = 0
        assert NODE
        self._process = subprocess.Popen(
            [NODE, str(DRIVER), str(plugin), str(folder)],
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let it end; what it printed beside its answers is lost."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()

    def call(self, hook: str, given: Any = None, output: Any = None) -> tuple[str | None, Any]:
        """Call a hook; return what it threw, and what it made of *output*."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([hook, given, output]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["denied"], answer["output"]

    def event(self, kind: str, session: str = SESSION, **info: Any) -> None:
        """Tell the plugin of an event."""
        given = {"event": {"type": kind, "properties": {"sessionID": session, "info": {"id": session, **info}}}}
        assert self.call("event", given)[0] is None

    def prompt(self, text: str, session: str = SESSION) -> list[dict[str, Any]]:
        """Send a prompt; return the parts that the plugin added to it."""
        message = {"message": {"id": "msg_1", "sessionID": session}, "parts": [{"type": "text", "text": text}]}
        denied, output = self.call("chat.message", {"sessionID": session}, message)
        assert denied is None
        return output["parts"][1:]

    def system(self, first: str = "You are opencode, a tool.", session: str = SESSION) -> list[str]:
        """Ask for the system's text; return what the plugin added to it."""
        denied, output = self.call("experimental.chat.system.transform", {"sessionID": session}, {"system": [first]})
        assert denied is None
        return output["system"][1:]

    def use(self, tool: str, session: str = SESSION, **args: Any) -> str:
        """Use a tool unless that is denied; return the denial, or what the agent is told beside the result."""
        self._uses += 1
        given = {"tool": tool, "sessionID": session, "callID": f"call_{self._uses}"}
        denied, _ = self.call("tool.execute.before", given, {"args": args})
        if denied is not None:
            return denied
        if tool == "write":
            Path(args["filePath"]).write_text(args["content"], encoding="utf-8", errors="replace")
        exit_code = {"exit": args["exit"]} if "exit" in args else {}
        result = {"title": tool, "output": "done", "metadata": exit_code}
        denied, output = self.call("tool.execute.after", {**given, "args": args}, result)
        assert denied is None
        return output["output"].removeprefix("done").strip()
