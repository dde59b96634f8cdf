"""Full-text search: words → MATCH, the two engines, and snippets. Nothing here writes a memory."""
