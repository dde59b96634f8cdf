"""Memories of elsewhere: one module for each kind of file, each giving the same records."""
