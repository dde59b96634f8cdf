"""palimp's daemon: the one owner of the database, behind one Unix socket.

Read `serve` first: it is the list of what the daemon consists of.
"""
