"""Make transcripts as clients leave them: sessions of many turns, of which nearly all bytes are results of tools.

    python benchmarks/make_transcripts.py FOLDER MEGABYTES [--client claude-code|codex] [--seed 1]

Writes MEGABYTES (10⁶ bytes) of sessions below FOLDER, laid out as the client does: FOLDER is CLAUDE_CONFIG_DIR or
CODEX_HOME then. The same arguments make the same bytes. What is said in a session is about a few topics, in words of a
vocabulary of 40,000 whose frequencies fall as in real texts, and in identifiers; one turn in two hundred has a secret.
About 95 of a hundred bytes are results of tools: listings, logs, sources, JSON.
"""

import argparse
import datetime
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synthetic import Words

PROJECTS = 25
"""Folders that the sessions are spread over."""

OUTPUT_MEDIAN_BYTES = 3_500
"""Half of the results of tools are longer."""

OUTPUT_SPREAD = 1.25
"""Of the logarithm of their length: the mean is twice the median."""

OUTPUT_BYTES_MAX = 400_000
POOL_BYTES = 8_000_000
"""Bytes of lines of which results are cut out."""

BEGAN = datetime.datetime(2026, 1, 5, 8, tzinfo=datetime.UTC)


def main() -> None:
    """Write the sessions, and print how many there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--client", choices=("claude-code", "codex"), default="claude-code")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    writer = ClaudeCode(options.seed) if options.client == "claude-code" else Codex(options.seed)
    left, sessions = options.megabytes * 1e6, 0
    while left > 0:
        path, lines = writer.session(sessions)
        path = options.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"\n".join(lines) + b"\n"
        path.write_bytes(data)
        left -= len(data)
        sessions += 1
    print(f"{sessions:,} sessions, {(options.megabytes * 1e6 - left) / 1e6:,.0f} MB, in {options.folder}")


class Talk:
    """What is said and what tools print, without a client's form."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._words = Words(seed)
        lines: list[bytes] = []
        size = 0
        while size < POOL_BYTES:
            lines.append(json.dumps(self._line(len(lines)) + "\n", ensure_ascii=False)[1:-1].encode())
            size += len(lines[-1])
        self._pool = b"".join(lines)

    def topics(self) -> list[str]:
        """Return words that a session comes back to."""
        return self._words.query(30).split() + [self._words.one_identifier() for _ in range(10)]

    def request(self, topics: list[str]) -> str:
        """Return what a person types."""
        return self._about(topics, int(self.chance.lognormvariate(3.0, 0.8)) + 3)

    def statement(self, topics: list[str]) -> str:
        """Return what an agent says, sometimes with a list or some code."""
        text = self._about(topics, int(self.chance.lognormvariate(4.0, 0.7)) + 5)
        if self.chance.random() < 0.3:
            text += "\n\n" + "\n".join(f"- {self._about(topics, 8)}" for _ in range(self.chance.randint(2, 6)))
        if self.chance.random() < 0.15:
            text += f"\n\n```python\nreturn {self._words.one_identifier()}({self._words.one_identifier()})\n```"
        return text

    def output(self) -> bytes:
        """Return what a tool prints, as the inside of a JSON string."""
        size = min(OUTPUT_BYTES_MAX, int(OUTPUT_MEDIAN_BYTES * self.chance.lognormvariate(0, OUTPUT_SPREAD)))
        start = self._pool.find(b"\\n", self.chance.randrange(len(self._pool) - OUTPUT_BYTES_MAX - 1_000)) + 2
        return self._pool[start : self._pool.find(b"\\n", start + size) + 2]

    def _about(self, topics: list[str], count: int) -> str:
        words = self._words.text(count).split(" ")
        for place in range(self.chance.randrange(4), count, 4):
            words[place] = topics[int(len(topics) * self.chance.random() ** 2)]
        if self.chance.random() < 0.005:
            words.append(f"password={self.chance.randbytes(9).hex()}")
        return " ".join(words).capitalize() + "."

    def _line(self, number: int) -> str:
        one, other = self._words.one_identifier(), self._words.one_identifier()
        return (
            f"{number % 900:6d}\t    return {one}(self.{other}, timeout={number % 60})  # {self._words.text(4)}",
            f"2026-01-05T08:{number % 60:02d}:00Z INFO {one} {self._words.text(6)} in {number % 997} ms",
            f'{{"path": "{one}", "size": {number}, "kind": "{other}", "text": "{self._words.text(8)}"}}',
            f"src/{one}/{other}.py:{number % 400}: {self._words.text(9)}",
            f"    at {one} (/home/user/project/{other}.js:{number % 300}:{number % 80})",
        )[number % 5]


class ClaudeCode:
    """Sessions as Claude Code keeps them."""

    def __init__(self, seed: int) -> None:
        self._talk = Talk(seed)
        self._chance = self._talk.chance
        self._at = BEGAN

    def session(self, number: int) -> tuple[Path, list[bytes]]:
        """Return where a session is kept, and its lines."""
        project = f"/home/user/project-{number % PROJECTS}"
        key = uuid_of(self._chance)
        base = {"isSidechain": False, "userType": "external", "cwd": project, "sessionId": key, "version": "2.1.332"}
        lines = [dumped({"type": "permission-mode", "permissionMode": "default", "sessionId": key})]
        topics = self._talk.topics()
        for _ in range(int(self._chance.lognormvariate(1.8, 0.9)) + 1):
            lines += self._exchange(base, topics)
        return Path("projects", project.replace("/", "-"), f"{key}.jsonl"), lines

    def _exchange(self, base: dict[str, Any], topics: list[str]) -> Iterator[bytes]:
        yield self._line(base, "user", {"role": "user", "content": self._talk.request(topics)})
        for _ in range(int(self._chance.lognormvariate(1.3, 0.8)) + 1):
            message, call = f"msg_{self._chance.randbytes(12).hex()}", f"toolu_{self._chance.randbytes(12).hex()}"
            if self._chance.random() < 0.6:
                yield self._said(base, message, {"type": "text", "text": self._talk.statement(topics)})
            given = {"command": self._talk.request(topics), "description": "run it"}
            yield self._said(base, message, {"type": "tool_use", "id": call, "name": "Bash", "input": given})
            yield self._result(base, call)
        yield self._said(
            base, f"msg_{self._chance.randbytes(12).hex()}", {"type": "text", "text": self._talk.statement(topics)}
        )

    def _said(self, base: dict[str, Any], message: str, block: dict[str, Any]) -> bytes:
        usage = {"input_tokens": 4, "cache_read_input_tokens": 18_000, "output_tokens": 210}
        whole = {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [block],
            "usage": usage,
        }
        return self._line(base, "assistant", whole)

    def _result(self, base: dict[str, Any], call: str) -> bytes:
        message = {
            "role": "user",
            "content": [{"tool_use_id": call, "type": "tool_result", "content": "¦", "is_error": False}],
        }
        line = self._line(base, "user", message, toolUseResult={"stdout": "¦", "stderr": "", "interrupted": False})
        return line.replace("¦".encode(), self._talk.output(), 1).replace("¦".encode(), self._talk.output(), 1)

    def _line(self, base: dict[str, Any], kind: str, message: dict[str, Any], **more: Any) -> bytes:
        self._at += datetime.timedelta(seconds=self._chance.random() * 30)
        entry = {"parentUuid": uuid_of(self._chance), **base, "type": kind, "message": message}
        return dumped({**entry, "uuid": uuid_of(self._chance), "timestamp": stamp(self._at), **more})


class Codex:
    """Sessions as Codex keeps them."""

    def __init__(self, seed: int) -> None:
        self._talk = Talk(seed)
        self._chance = self._talk.chance
        self._at = BEGAN

    def session(self, number: int) -> tuple[Path, list[bytes]]:
        """Return where a session is kept, and its lines."""
        key, began = uuid_of(self._chance), self._at
        meta = {"id": key, "timestamp": stamp(began), "cwd": f"/home/user/project-{number % PROJECTS}", "source": "cli"}
        meta["base_instructions"] = {"text": "You are an agent. " * 900}
        lines = [self._line("session_meta", meta)]
        topics = self._talk.topics()
        for _ in range(int(self._chance.lognormvariate(1.8, 0.9)) + 1):
            lines += self._exchange(topics)
        return Path("sessions", f"{began:%Y/%m/%d}", f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{key}.jsonl"), lines

    def _exchange(self, topics: list[str]) -> Iterator[bytes]:
        request = self._talk.request(topics)
        yield self._said("user", "input_text", request)
        yield self._line("event_msg", {"type": "user_message", "message": request, "images": []})
        for _ in range(int(self._chance.lognormvariate(1.3, 0.8)) + 1):
            if self._chance.random() < 0.6:
                yield self._said("assistant", "output_text", self._talk.statement(topics))
            call, given = (
                f"call_{self._chance.randbytes(12).hex()}",
                json.dumps({"command": self._talk.request(topics)}),
            )
            yield self._line(
                "response_item", {"type": "function_call", "name": "shell", "arguments": given, "call_id": call}
            )
            output = self._line("response_item", {"type": "function_call_output", "call_id": call, "output": "¦"})
            yield output.replace("¦".encode(), self._talk.output() + self._talk.output(), 1)
        yield self._said("assistant", "output_text", self._talk.statement(topics))

    def _said(self, role: str, kind: str, text: str) -> bytes:
        return self._line("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    def _line(self, kind: str, payload: dict[str, Any]) -> bytes:
        self._at += datetime.timedelta(seconds=self._chance.random() * 30)
        return dumped({"timestamp": stamp(self._at), "type": kind, "payload": payload})


def dumped(entry: dict[str, Any]) -> bytes:
    """Return a line as JavaScript and Rust write it: no spaces, no escapes of what is not ASCII."""
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False).encode()


def stamp(at: datetime.datetime) -> str:
    """Return a time as clients write it."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def uuid_of(chance: random.Random) -> str:
    """Return an id as of UUID 4."""
    digits = chance.randbytes(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


if __name__ == "__main__":
    main()
