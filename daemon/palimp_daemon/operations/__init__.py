"""The handlers of the operations: synchronous, over an open store, with the time passed in.

A handler is `handler(desk, request) -> reply`. It runs in the store thread: a read between two
transactions, a write in a savepoint of one. It raises `PalimpError` for expected failures; nothing it
wrote is kept then.
"""
