"""The features, a package each."""
