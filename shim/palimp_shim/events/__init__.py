"""What tells the daemon of an event, whichever way a client reaches us: the request, and the file in which it waits."""
