"""Clients' own memories of a project as a source of `recall`, stored in no file."""
