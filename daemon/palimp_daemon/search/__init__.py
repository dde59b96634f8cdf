"""Full-text search: queries, two engines, ranking, snippets. Nothing here writes a memory."""
