"""JSON decoders, made once: a class's first decoding in msgspec is not thread-safe."""

import threading
from functools import cache
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

_making: Final = threading.Lock()


def decoder_of(kind: type[T]) -> "msgspec.json.Decoder[T]":
    """Return the JSON decoder for *kind*."""
    with _making:  # `cache` alone lets two threads make the same one
        return _new_decoder(kind)


@cache
def _new_decoder(kind: Any) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(kind)
