"""Everything short-lived: the relay of an agent session, and the command line."""
