#!/usr/bin/env bash
# 30 November 2026, anyio 4.16.0 with trio 0.35.0 (from PyPI), Python 3.11; alike on asyncio and trio.
#
# One would guess: `maxsize` of anyio.functools.lru_cache is how many answers are kept, as that of functools is.
# Seen: a call that raises takes a place for good, though nothing of it is kept. After `maxsize` of them (128, where
# nothing is said) the cache holds one answer, and two keys that are asked in turn are worked out each time. The other
# way round, calls that run at once are all kept: six answers where maxsize is 2. cache_info() says 2 of 2 both times.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "anyio==4.16.0" "trio==0.35.0"
"$folder/venv/bin/python" - <<'PYTHON'
import functools

import anyio
from anyio.functools import lru_cache

worked_out = []


def answer(key):
    worked_out.append(key)
    if key == "bad":
        raise ValueError(key)
    return key


@functools.lru_cache(maxsize=2)
def plain(key):
    return answer(key)


@lru_cache(maxsize=2)
async def cached(key):
    await anyio.sleep(0)
    return answer(key)


async def asked_in_turn(ask):
    for _ in range(2):
        try:
            await ask("bad")
        except ValueError:
            pass
    worked_out.clear()
    for key in "abababab":
        await ask(key)
    return "".join(worked_out)


async def asked_at_once(ask):
    cached.cache_clear()
    async with anyio.create_task_group() as group:
        for key in "abcdef":
            group.start_soon(ask, key)
    worked_out.clear()
    for key in "abcdef":
        await ask(key)
    return "".join(worked_out)


async def ask_plain(key):
    return plain(key)


async def main(loop):
    print(f"functools: after two failures {await asked_in_turn(ask_plain)!r} of 'abababab' are worked out")
    assert "".join(worked_out) == "ab", "functools has changed"
    turn = await asked_in_turn(cached), cached.cache_info()
    once = await asked_at_once(cached), cached.cache_info()
    print(f"{loop}: after two failures {turn[0]!r} of 'abababab' are worked out, {turn[1]}")
    print(f"{loop}: after six at once {once[0]!r} of 'abcdef' are worked out again, {once[1]}")
    assert turn[0] == "abababab" and once[0] == "", "this has changed"
    assert turn[1].currsize == once[1].currsize == 2, "this has changed"
    plain.cache_clear()
    cached.cache_clear()


for loop in ("asyncio", "trio"):
    anyio.run(main, loop, backend=loop)
PYTHON
