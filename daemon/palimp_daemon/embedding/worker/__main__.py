"""Run the embedder in two lanes; the end of the first ends it.

Arguments: the model's runtime, path and checksum, and descriptors of two sockets, for queries and memories. Messages
are framed JSON (`runtime.framed_json`). In: a list of texts. Out: first, on the first socket, `{"model": name}` or
`{"problem": sentence}`; then per list `{"vectors": [base64, …]}`.
"""

import base64
import contextlib
import ctypes
import os
import socket
import sys
import threading
from collections.abc import Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import Protocol

from palimp_daemon.embedding.worker.model_file import ModelError, checked_file
from palimp_daemon.runtime.framed_json import receive_framed, send_framed
from palimp_daemon.runtime.process_limits import bound_address_space

ADDRESS_SPACE_BYTES = 3 * 1024**3
"""Bytes of address space, against leaks: a model's files and libraries map about one GiB."""

NICENESS = 10
"""Least niceness of the thread that embeds memories."""


class Model(Protocol):
    """A loaded model."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text."""
        ...


def main() -> None:
    """Load the model and answer until the input ends."""
    bound_address_space(ADDRESS_SPACE_BYTES)
    runtime, path, checksum, *lanes = sys.argv[1:]
    queries, memories = (socket.socket(fileno=int(lane)).makefile("rwb") for lane in lanes)
    try:
        model = load_model(runtime, checked_file(Path(path), checksum))
    except ModelError as error:
        send_framed(queries, {"problem": str(error)})
        return
    except Exception as error:  # noqa: BLE001  whatever the runtime says of a file that is no model
        send_framed(queries, {"problem": f"The model {path} cannot be loaded: {error}"})
        return
    _give_memory_back()
    send_framed(queries, {"model": checksum or path})
    threading.Thread(target=_answer_nicely, args=(memories, model), daemon=True).start()
    _answer(queries, model)
    os._exit(0)  # at once: the other thread may be in the middle of a text


def load_model(runtime: str, path: Path) -> Model:
    """Load the model at *path*; import its runtime only."""
    if runtime == "sentence-encoder":
        from palimp_daemon.embedding.worker.sentence_encoder import SentenceEncoder  # noqa: PLC0415

        return SentenceEncoder(path)
    from palimp_daemon.embedding.worker.model import Model as OnnxModel  # noqa: PLC0415

    return OnnxModel(path)


def _give_memory_back() -> None:
    with contextlib.suppress(OSError, AttributeError):  # musl and macOS have no such function, and need none
        ctypes.CDLL(None).malloc_trim(0)


def _answer_nicely(lane: BufferedIOBase, model: Model) -> None:
    with contextlib.suppress(OSError):  # where a thread has no niceness of its own, it has the process's
        own = os.getpriority(os.PRIO_PROCESS, 0)
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(own, NICENESS))
    _answer(lane, model)


def _answer(lane: BufferedIOBase, model: Model) -> None:
    while (texts := receive_framed(lane)) is not None:
        vectors = model.embed(texts)
        send_framed(lane, {"vectors": [base64.b64encode(vector).decode("ascii") for vector in vectors]})
        _give_memory_back()


if __name__ == "__main__":
    main()
