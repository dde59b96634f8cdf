"""What is taken from a session: the transcript's words, with secrets taken out."""
