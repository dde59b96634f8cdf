"""Teams: memories of a project on more than one machine, exchanged as operations of each replica.

Theory
------
A replica is the memory of one machine, whole. A change of a shared memory is noted in its own transaction (by triggers,
`store/migrations/0022_team.sql`). `sending` makes operations of what changed, once its hold is over: it compares each
value (texts, purged, pinned, links) with what all replicas last heard of it, the *registers*, so that a change that was
undone meanwhile sends nothing. An operation gets the next counter of its replica then, and never another.
`applying` writes the operations of other replicas into the store. Of two that set one value the one with the later
stamp (`stamps`) holds; erased is for ever. So the order in which operations arrive says nothing, and each may come
twice.

A *transport* (`transport`) carries the operations: it can tell which there are, append and read (`carried_folder`).
"""
