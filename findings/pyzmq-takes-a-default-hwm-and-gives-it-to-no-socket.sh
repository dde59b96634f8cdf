#!/usr/bin/env bash
# 30 November 2026, pyzmq 27.3.0 (from PyPI) with the libzmq in it, Python 3.11.
#
# One would guess: `context.hwm = 2` is the high water mark of all sockets made from then on, as `context.linger = 0` is
# their linger. `socket.hwm = 2` sets the marks of both directions, and a context takes attributes for defaults.
# Seen: the context takes it and gives it back, and no socket has it: libzmq has no such option any more, the attribute
# of a socket is made of two others, and a default that fails is passed over. A queue that should hold four messages
# takes two thousand. context.sndhwm and context.rcvhwm work, and a name that does not exist is an AttributeError.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pyzmq==27.3.0"
"$folder/venv/bin/python" - <<'PYTHON'
import zmq


def taken(of_context=(), of_sockets=()):
    with zmq.Context() as context:
        context.linger = 0
        for name in of_context:
            setattr(context, name, 2)
            assert getattr(context, name) == 2
        with context.socket(zmq.PUSH) as push, context.socket(zmq.PULL) as pull:
            assert push.linger == pull.linger == 0, "other defaults have changed"
            for name in of_sockets:
                setattr(push, name, 2)
                setattr(pull, name, 2)
            pull.bind("inproc://queue")
            push.connect("inproc://queue")
            count = 0
            try:
                while True:
                    push.send(b"message", zmq.NOBLOCK)
                    count += 1
            except zmq.Again:
                return count, push.hwm


nothing = taken()
asked = {"hwm of the context": taken(of_context=["hwm"])}
asked["sndhwm and rcvhwm of the context"] = taken(of_context=["sndhwm", "rcvhwm"])
asked["hwm of the sockets"] = taken(of_sockets=["hwm"])
print(f"nothing: {nothing[0]} messages are taken, the socket says {nothing[1]}")
for what, (count, mark) in asked.items():
    print(f"{what} = 2: {count} messages are taken, the socket says {mark}")
assert asked.pop("hwm of the context") == nothing == (2000, 1000), "this has changed"
assert set(asked.values()) == {(4, 2)}, "the others have changed"
try:
    zmq.Context().hvm = 2
except AttributeError as error:
    print(f"hvm of the context = 2: {error}")
else:
    raise AssertionError("unknown names have changed")
PYTHON
