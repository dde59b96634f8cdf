"""B5: bytes that look for new ways through what reads other people's bytes, led by what they reach (atheris).

    python tests/fuzz/fuzz.py [SECONDS]

Each target runs SECONDS in a process of its own and must hold its promise for whatever it is given. An input that
breaks one is kept in tests/fuzz/found, and the exit code says so.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOUND = Path(__file__).with_name("found")
SUPPORT = Path(__file__).parents[1] / "support"
RECORDED = Path(__file__).parents[1] / "unit/clients"
"""What clients' programs wrote to hooks."""

ONCE_S = 1.0
"""Seconds in which one input must be read: a pattern that explodes takes minutes."""

RUNS = re.compile(r"Done (\d+) runs|#(\d+)\s")


def decoder() -> Callable[[bytes], None]:
    """Return what decodes frames and calls: a frame and a call, or a refusal that has a code."""
    from palimp_protocol import errors, operations
    from palimp_protocol.wire import decoding, frames

    operations = list(operations.OPERATIONS.values())

    def run(data: bytes) -> None:
        try:
            frames.decode([data[:2], data[2:26], data[26:]])
        except errors.FrameError as error:
            assert error.text
        try:
            call = decoding.decode_call(data[2:])
            decoding.decode_arguments(operations[data[0] % len(operations)] if data else operations[0], call.arguments)
        except errors.PalimpError as error:
            assert error.code is errors.ErrorCode.BAD_REQUEST

    return run


def query() -> Callable[[bytes], None]:
    """Return what makes searches: any text is one that both engines take."""
    import apsw

    from palimp_daemon.search import terms

    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE five USING fts5(content)")
    connection.execute("CREATE VIRTUAL TABLE four USING fts4(content)")

    def run(data: bytes) -> None:
        asked = terms.parse_query(data.decode("utf-8", "replace"))
        match = terms.match_expression(asked.terms[:32], asked.required)
        for operations in ("five", "four") if match else ():
            connection.execute(f"SELECT rowid FROM {operations} WHERE {operations} MATCH ?", (match,)).fetchall()

    return run


def slug() -> Callable[[bytes], None]:
    """Return what checks the names of documents: what passes stays in its folder."""
    from palimp_neighbours.documents.daemon import slug as slugs
    from palimp_protocol.errors import PalimpError

    folder = Path("/docs")

    def run(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        made = slugs.slug_of_path(text)
        assert not made or slugs.checked_slug(made) == made
        try:
            name = slugs.checked_slug(text)
        except PalimpError:
            return
        assert (folder / f"{name}.md").parent == folder
        assert not {".", "/", "\0"} & set(name)

    return run


def redactor() -> Callable[[bytes], None]:
    """Return what takes secrets out: in linear time, and nothing is left for a second time."""
    from palimp_daemon.text.redact import Redactor

    redacted = Redactor()

    def run(data: bytes) -> None:
        text = data.decode("utf-8", "replace") * 3
        began = time.monotonic()
        once = redacted(text)
        assert time.monotonic() - began < ONCE_S
        token = "ghp_" + "a1B2" * 9
        assert token not in redacted(f"{once}\n{token}\n")

    return run


def answers() -> Callable[[bytes], None]:
    """Return what sends arbitrary outcomes of every operation to the wire: each is one answer, and nothing escapes."""
    from any_reply import check_outcome, outcomes
    from hypothesis import HealthCheck, given, settings

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(outcomes())
    def check(outcome: tuple[str, object]) -> None:
        check_outcome(*outcome)

    return check.hypothesis.fuzz_one_input


def names() -> Callable[[bytes], None]:
    """Return what sends names and texts of any bytes in every text of every operation's reply, and of every error."""
    import msgspec
    from any_reply import check_outcome, filled

    from palimp_protocol.errors import ErrorCode, PalimpError
    from palimp_protocol.limits import FRAME_BYTES_MAX
    from palimp_protocol.operations import OPERATIONS
    from palimp_protocol.wire.decoding import encode_error

    operations = sorted(OPERATIONS)

    def run(data: bytes) -> None:
        text = data[1:].decode("utf-8", "surrogateescape")
        name = operations[data[0] % len(operations)] if data else operations[0]
        check_outcome(name, filled(msgspec.inspect.type_info(OPERATIONS[name].reply), text))
        assert len(encode_error(PalimpError(ErrorCode.INTERNAL, text, text))) < FRAME_BYTES_MAX

    return run


def dialects() -> Callable[[bytes], None]:
    """Return what reads what clients wrote to hooks, spoiled: nothing is raised; what is said is an event, or JSON."""
    from palimp_clients.dialects import client_in, dialect_named
    from palimp_clients.hooks.event import HookReply
    from palimp_protocol.hooks import HOOK_DEADLINES_S

    told = sorted(path for path in RECORDED.glob("*/hooks/*.json") if not path.name.endswith(".expected.json"))
    recorded = [
        (path.parents[1].name.replace("_", "-"), path.stem.partition("-")[0], path.read_bytes()) for path in told
    ]

    def run(data: bytes) -> None:
        way, which, where, rest = (*data[:3], data[3:]) if len(data) >= 3 else (0, 0, 0, data)
        client, name, whole = recorded[which % len(recorded)]
        at = where * len(whole) // 256
        spoiled = (whole[:at], whole[:at] + rest + whole[at:], whole[:at] + rest + whole[at + len(rest) :], rest)[
            way % 4
        ]
        given = _object_in(spoiled)
        if given is not None and way & 4:  # what is whole JSON, with a value of another kind somewhere
            given[list(given)[where % len(given)] if given else "x"] = _object_in(rest) or rest.decode(
                "utf-8", "replace"
            )
        text = rest.decode("utf-8", "replace")
        assert client_in(given or {}) in ("", "claude-code", "copilot", "cursor", "vscode")
        if (dialect := dialect_named(client)) is None or given is None:
            return
        event = dialect.event_of(name, given)
        assert event is None or (event.event in HOOK_DEADLINES_S and event.session and json.dumps(event.input))
        for reply in (HookReply(text), HookReply(denial=text), HookReply(text, text, text), HookReply()):
            output = dialect.output_of(event.event if event else name, reply)
            assert not output or isinstance(json.loads(output), dict)

    return run


def _object_in(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object that *data* is, as a hook reads it; None when it is none."""
    try:
        given: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


TARGETS = {each.__name__: each for each in (decoder, query, slug, redactor, answers, names, dialects)}


def watch(name: str) -> None:
    """Run one target under atheris until it is over."""
    import atheris

    with atheris.instrument_imports(include=["palimp_protocol", "palimp_clients", "palimp_daemon"]):
        run = TARGETS[name]()
    atheris.Setup(sys.argv, run)
    atheris.Fuzz()


def main() -> int:
    """Run every target for so many seconds and print a table; return 1 when one broke its promise."""
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    FOUND.mkdir(exist_ok=True)
    broken = 0
    print(f"{'target':<10} {'seconds':>7} {'inputs':>10}  result")
    for name in TARGETS:
        options = [f"-max_total_time={seconds}", f"-artifact_prefix={FOUND}/{name}-", "-max_len=4096", "-seed=1"]
        command = [sys.executable, __file__, "--watch", name, *options]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        counts = [int(one or other) for one, other in RUNS.findall(done.stderr)]
        print(f"{name:<10} {seconds:>7} {max(counts, default=0):>10,}  {'held' if not done.returncode else 'BROKEN'}")
        if done.returncode:
            broken = 1
            print(done.stderr[-2_000:])
    return broken


if __name__ == "__main__":
    if sys.argv[1:2] == ["--watch"]:
        sys.path.insert(0, str(SUPPORT))
        target = sys.argv.pop(2)
        sys.argv.remove("--watch")
        watch(target)
    else:
        sys.exit(main())
