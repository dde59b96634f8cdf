"""SQL of searches among memories: by words, by vectors, by likeness."""
