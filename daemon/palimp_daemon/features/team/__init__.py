"""Teams: memories of a project on several machines, exchanged as operations of each replica.

A replica is the memory of one machine. Triggers note changes (`store/migrations/0022_team.sql`); `sending` makes
operations of what differs from what all replicas heard last (the *registers*), `applying` writes those of others: of
two values the later stamp holds (`stamps`), and erased is for ever. So operations may arrive in any order, and twice. A
`transport` carries them.
"""
