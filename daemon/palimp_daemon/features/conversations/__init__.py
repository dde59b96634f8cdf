"""The second tier: verbatim turns and git messages, found below memories."""
