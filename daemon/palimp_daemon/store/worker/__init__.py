"""The thread that owns the connection: its mailbox, its queue and the group commit."""
