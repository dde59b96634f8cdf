"""Decoders of JSON, of which each is made once, and by one thread at a time.

msgspec describes a class when it is first decoded, and the daemon decodes in several threads: the store's, those for
long texts, and the event loop. Two of them must not make a description at the same moment, so all are made here.
"""

import threading
from functools import cache
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

_making: Final = threading.Lock()


def decoder_of(kind: type[T]) -> "msgspec.json.Decoder[T]":
    """Return the decoder of JSON that holds a *kind*."""
    with _making:  # `cache` alone lets two threads make the same one
        return _new_decoder(kind)


@cache
def _new_decoder(kind: Any) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(kind)
