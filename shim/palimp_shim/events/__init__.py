"""The request that tells the daemon of an event, and the file in which it waits."""
