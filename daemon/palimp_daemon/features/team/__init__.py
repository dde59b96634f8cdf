"""Teams: memories of a project on several machines, exchanged as operations.

A replica is one machine's memory. Triggers note changes (`store/migrations/0022_team.sql`); `sending` makes operations
of values that differ from the *registers*, the values all replicas heard last; `applying` writes those of others: the
later stamp wins (`stamps`), and erased is for ever. So operations may arrive in any order, and twice.
"""
