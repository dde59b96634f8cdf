"""SQL of sessions: their turns and transcripts, what they were given, what failed in them."""
