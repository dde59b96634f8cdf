"""Rules: checks of memories, told before a breach, and counted."""
