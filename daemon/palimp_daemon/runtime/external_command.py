"""Run the user's program with a prompt on stdin and the answer on stdout, within bounds."""

import os
import shlex
import signal
import subprocess
from typing import Final

import trio

from palimp_protocol.hooks import HOOKS_OFF

COMMAND_S: Final = 60.0
"""Seconds for the program: a model's answer takes some ten."""

OUTPUT_BYTES_MAX: Final = 256 * 1024
"""Bytes of its answer."""


class CommandError(Exception):
    """The program gave no answer; the reason quotes neither prompt nor output."""


async def answer_of(command: str, prompt: str, *, has_hooks: bool = False) -> str:
    """Run *command* with *prompt* on stdin; return its output. Our hooks are off unless *has_hooks*.

    Raises:
        CommandError: it cannot be started, failed, took too long or said too much.
    """
    try:
        words = shlex.split(command)
        if not words:
            raise CommandError("it is empty")
        process = await trio.lowlevel.open_process(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **({} if has_hooks else {HOOKS_OFF: "1"})},  # hooks might run it again
        )
    except (OSError, ValueError) as error:
        raise CommandError(f"it cannot be started: {error}") from None
    try:
        with trio.move_on_after(COMMAND_S):
            output = await _exchange(process, prompt.encode("utf-8", "replace"))
            code = await process.wait()
            if code:
                raise CommandError(f"it exited with {code}")
            return output.decode("utf-8", "replace")
        raise CommandError(f"it took longer than {COMMAND_S:.0f} s")
    finally:
        _kill_group(process)
        with trio.CancelScope(shield=True):
            await process.wait()
            if process.stdio:
                await trio.aclose_forcefully(process.stdio)


async def _exchange(process: trio.Process, prompt: bytes) -> bytes:
    output, says_too_much = bytearray(), False
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None  # noqa: S101, PT018  they are pipes

    async def tell() -> None:
        try:
            await stdin.send_all(prompt)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it answers without having read all
        finally:
            await trio.aclose_forcefully(stdin)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        while chunk := await stdout.receive_some(1 << 16):
            output += chunk
            if says_too_much := len(output) > OUTPUT_BYTES_MAX:
                break
        nursery.cancel_scope.cancel()
    if says_too_much:  # out here, where it is no group of errors
        raise CommandError(f"it said more than {OUTPUT_BYTES_MAX} bytes")
    return bytes(output)


def _kill_group(process: trio.Process) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
