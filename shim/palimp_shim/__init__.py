"""Everything short-lived: a session's relay, and the command line."""
