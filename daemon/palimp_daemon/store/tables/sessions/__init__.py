"""SQL of sessions: turns, transcripts, given memories, failed commands."""
