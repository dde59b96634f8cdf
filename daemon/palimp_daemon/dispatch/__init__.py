"""One request in, one reply out: the dispatcher, the services and the handlers of every operation."""
