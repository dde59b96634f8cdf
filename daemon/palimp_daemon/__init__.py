"""palimp's daemon: the only owner of the database, behind one Unix socket.

Read `serve` first: it lists the daemon's parts.
"""
