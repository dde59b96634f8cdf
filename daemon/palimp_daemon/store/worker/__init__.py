"""Own the connection: mailbox, queue, group commit."""
