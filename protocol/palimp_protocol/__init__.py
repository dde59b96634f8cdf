"""What both sides of palimp's socket share: no socket, no database; what the relay imports is standard library."""

__version__ = "0.1.0"
