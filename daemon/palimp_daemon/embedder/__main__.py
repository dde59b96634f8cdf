"""The child process: texts on standard input, vectors on standard output, the end of input ends it.

Each message is four bytes of length, most significant first, and JSON. In: a list of texts. Out: first
`{"model": name}` or `{"problem": sentence}`, then for each list `{"vectors": [base64, …]}`.
"""

import base64
import json
import os
import resource
import struct
import sys
from pathlib import Path
from typing import Any, BinaryIO

from palimp_daemon.embedder.model import Model, ModelError, checked_file

ADDRESS_SPACE_BYTES = 3 * 1024**3
"""Far above what the model needs (its files and libraries map about one); a leak ends here."""

NICENESS = 10
"""Behind everything that somebody waits for."""


def main() -> None:
    """Load the model that the arguments name (path, checksum) and answer until the input ends."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    path, checksum = sys.argv[1:3]
    try:
        model = Model(checked_file(Path(path), checksum))
    except ModelError as error:
        _send({"problem": str(error)})
        return
    except Exception as error:  # noqa: BLE001  whatever the runtime says of a file that is no model
        _send({"problem": f"The model {path} cannot be loaded: {error}"})
        return
    _send({"model": checksum or path})
    while (texts := _receive(sys.stdin.buffer)) is not None:
        vectors = model.embed(texts)
        _send({"vectors": [base64.b64encode(vector).decode("ascii") for vector in vectors]})


def _receive(stream: BinaryIO) -> Any:
    head = stream.read(4)
    return json.loads(stream.read(*struct.unpack("!I", head))) if len(head) == 4 else None


def _send(message: dict[str, Any]) -> None:
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(struct.pack("!I", len(body)) + body)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
