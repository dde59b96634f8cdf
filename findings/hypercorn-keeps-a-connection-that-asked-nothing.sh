#!/usr/bin/env bash
# 29 November 2026, hypercorn 0.18.0 with trio 0.35.0 (from PyPI), Python 3.11.
#
# One would guess: a connection is over for the server as soon as its client has closed it.
# Seen, on trio: where the client has read its answer it is over. Where it closes without having asked anything, as a look
# whether the port is open does, the tasks of the connection live on until keep_alive_timeout is over (30 s here). A server
# that lets in so many connections at once counts these, too.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "hypercorn==0.18.0" "trio==0.35.0"
"$folder/venv/bin/python" - <<'PYTHON'
import trio
from hypercorn.config import Config
from hypercorn.trio import serve

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for _ in range(2):
            asked = await receive()
            await send({"type": f"{asked['type']}.complete"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


async def left_after(port: int, *, asks: bool) -> int:
    before = trio.lowlevel.current_statistics().tasks_living
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    if asks:
        await stream.send_all(REQUEST)
        answer = b""
        while not answer.endswith(b"ok"):
            answer += await stream.receive_some()
    await stream.aclose()
    await trio.sleep(3)
    return trio.lowlevel.current_statistics().tasks_living - before


async def main():
    config = Config()
    config.bind, config.errorlog, config.accesslog = ["127.0.0.1:0"], None, None
    config.keep_alive_timeout = 30
    async with trio.open_nursery() as nursery:
        [address] = await nursery.start(serve, app, config)
        port = int(address.rpartition(":")[2])
        await left_after(port, asks=True)  # the first one also starts what stays for all
        asked = await left_after(port, asks=True)
        silent = await left_after(port, asks=False)
        nursery.cancel_scope.cancel()
    print(f"tasks that are left 3 s after the client closed: {asked} where it had its answer, {silent} where it asked nothing")
    assert asked == 0 and silent > 0, "this has changed"


trio.run(main)
PYTHON
