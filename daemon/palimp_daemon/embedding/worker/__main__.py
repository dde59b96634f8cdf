"""The child process: texts in, vectors out, in two lanes; the end of the first ends it.

Its arguments are what runs the model, its path, its checksum, and the descriptors of two sockets: for queries, and for
memories.
Each message is framed JSON (`runtime.framed_json`). In: a list of texts. Out: on the first socket
`{"model": name}` or `{"problem": sentence}`, then on each for each list `{"vectors": [base64, …]}`.
"""

import base64
import contextlib
import ctypes
import os
import resource
import socket
import sys
import threading
from collections.abc import Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import Protocol

from palimp_daemon.embedding.worker.model_file import ModelError, checked_file
from palimp_daemon.runtime.framed_json import receive_framed, send_framed

ADDRESS_SPACE_BYTES = 3 * 1024**3
"""Far above what the model needs (its files and libraries map about one); a leak ends here."""

NICENESS = 10
"""Of the thread that embeds memories, at least: behind everything that somebody waits for."""


class Model(Protocol):
    """A loaded model."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text."""
        ...


def main() -> None:
    """Load the model that the arguments name and answer until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    runtime, path, checksum, *lanes = sys.argv[1:]
    queries, memories = (socket.socket(fileno=int(lane)).makefile("rwb") for lane in lanes)
    try:
        model = loaded(runtime, checked_file(Path(path), checksum))
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


def loaded(runtime: str, path: Path) -> Model:
    """Return the model at *path*; only what runs it is imported."""
    if runtime == "sentence-encoder":
        from palimp_daemon.embedding.worker.sentence_encoder import SentenceEncoder  # noqa: PLC0415

        return SentenceEncoder(path)
    from palimp_daemon.embedding.worker.model import Model as OnnxModel  # noqa: PLC0415

    return OnnxModel(path)


def _give_memory_back() -> None:
    """Have the C library return to the kernel what loading the model or a long text took: a third of the memory."""
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
