#!/usr/bin/env bash
# 30 November 2026, apsw 3.54.1.0 with trio 0.35.0 and anyio 4.16.0 (from PyPI), Python 3.11.
#
# One would guess: `async with connection` is a transaction, and one that is cancelled within is rolled back, as it is
# where an exception ends it.
# Seen: on asyncio it is rolled back. On trio, and with anyio on either loop, it stays open without a word, since the
# rollback is sent in the scope that is cancelled already. The connection then takes the next `async with` for a
# savepoint within it: its end raises nothing, no other connection sees its rows, and closing loses them.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "apsw==3.54.1.0" "trio==0.35.0" "anyio==4.16.0"
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio

import anyio
import apsw
import trio


async def within_asyncio(work):
    task = asyncio.create_task(work(lambda: task.cancel(), asyncio.sleep))
    await asyncio.wait([task])


async def within_trio(work):
    with trio.CancelScope() as scope:
        await work(scope.cancel, trio.sleep)


async def within_anyio(work):
    with anyio.CancelScope() as scope:
        await work(scope.cancel, anyio.sleep)


async def rows_after(file, cancelled_within):
    connection = await apsw.Connection.as_async(file)
    await connection.execute("CREATE TABLE notes(text)")

    async def work(cancel, sleep):
        async with connection:
            await connection.execute("INSERT INTO notes VALUES ('cancelled')")
            cancel()
            await sleep(60)

    await cancelled_within(work)
    async with connection:
        await connection.execute("INSERT INTO notes VALUES ('afterwards')")
    await connection.aclose()
    return [text for (text,) in apsw.Connection(file).execute("SELECT text FROM notes")]


kept = {
    "asyncio": asyncio.run(rows_after("asyncio.db", within_asyncio)),
    "trio": trio.run(rows_after, "trio.db", within_trio),
    "anyio on asyncio": anyio.run(rows_after, "anyio.db", within_anyio),
    "anyio on trio": anyio.run(rows_after, "anyio-trio.db", within_anyio, backend="trio"),
}
for loop, rows in kept.items():
    print(f"{loop}: after the connection is closed the file holds {rows}")
assert kept.pop("asyncio") == ["afterwards"], "asyncio has changed"
assert all(rows == [] for rows in kept.values()), "this has changed"
PYTHON
