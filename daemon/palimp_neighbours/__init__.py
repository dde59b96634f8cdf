"""Features beside the core, a folder each; listed and described in `palimp_protocol.neighbours`."""
