"""The handlers of the operations: synchronous, over an open store, with the time passed in.

A handler has two parts. `prepare(request)` decides what can be decided from the request alone, in the
thread that took the request, so that the store thread does not spend its time on it. `work(desk, prepared)`
runs in the store thread: a read between two transactions, a write inside one. Either raises
`PalimpError` for expected failures; nothing that was written is kept then. What comes often and at once may have
a third, `works`, which does the work of several in fewer statements (`group_commit`).
"""
