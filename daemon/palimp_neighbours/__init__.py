"""Features beside the core, a folder each; see `palimp_protocol.neighbours`."""
