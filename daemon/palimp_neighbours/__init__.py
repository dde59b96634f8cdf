"""Features beside the core, a folder for each; `palimp_protocol.neighbours` lists them and says what a folder holds."""
