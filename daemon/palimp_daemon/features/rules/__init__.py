"""Rules: checks of memories, told before an act that breaks one, and counted."""
