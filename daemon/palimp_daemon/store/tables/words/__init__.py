"""SQL of words: the memories' vocabulary, and spellings not in it."""
