"""Errors of the store in callers' terms."""

import apsw

from palimp_daemon.store.checks.derived_indexes import is_of_an_index
from palimp_daemon.store.sqlite_connection import StoreDamagedError
from palimp_daemon.store.store import Store
from palimp_protocol.errors import MAY_BE_DONE, ErrorCode, PalimpError


def refusal(store: Store, error: apsw.Error, *, is_write: bool) -> PalimpError:
    """Return the answer for *error*; damage ends serving *store*, a broken index does not."""
    if isinstance(error, apsw.CorruptError | apsw.NotADBError) and not is_of_an_index(error):
        damage = StoreDamagedError(store.path, f"is damaged ({error})")
        store.damage = damage
        return damage
    text = f"The database refused ({type(error).__name__}: {error})."
    return PalimpError(
        ErrorCode.STORE_UNAVAILABLE, f"{text} {MAY_BE_DONE}" if is_write else text, "Run `palimp doctor`."
    )


def disk_full() -> PalimpError:
    """Return the answer on a full disk."""
    return PalimpError(
        ErrorCode.DISK_FULL, "The disk is full; nothing was stored.", "Free some space, then send it again."
    )


def bug_error(error: Exception, *, is_write: bool = True) -> PalimpError:
    """Return the answer for a bug of ours."""
    text = f"palimp failed on this request ({type(error).__name__})."
    return PalimpError(
        ErrorCode.INTERNAL, f"{text} {MAY_BE_DONE}" if is_write else text, "The traceback is in the daemon's log."
    )


def unsendable_error(error: Exception) -> PalimpError:
    """Return the answer if a bug, *error*, prevents sending the reply."""
    return PalimpError(
        ErrorCode.INTERNAL,
        f"palimp could not encode its answer ({type(error).__name__}). {MAY_BE_DONE}",
        "The traceback is in the daemon's log.",
    )
