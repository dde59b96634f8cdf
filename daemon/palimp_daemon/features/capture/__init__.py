"""Extract memories from transcripts."""
