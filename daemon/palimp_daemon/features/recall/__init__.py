"""One answer of many sources."""
