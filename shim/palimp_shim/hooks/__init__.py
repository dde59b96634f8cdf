"""What a client runs when something happens in a session. The standard library only."""
