"""SQL of words: the vocabulary of the memories, and other spellings of what is not in it."""
