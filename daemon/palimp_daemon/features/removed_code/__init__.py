"""Record removed code, and warn when an edit reintroduces it."""
