"""Verbatim turns and git messages, found below memories."""
