"""Recording code that was removed, and warning when an edit reintroduces it."""
