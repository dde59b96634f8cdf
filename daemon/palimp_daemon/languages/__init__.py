"""Languages of questions, texts and prompts: a file of words each, and their recognition."""
