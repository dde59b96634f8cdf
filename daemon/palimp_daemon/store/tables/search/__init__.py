"""SQL of searches among memories: by words, vectors, similarity."""
