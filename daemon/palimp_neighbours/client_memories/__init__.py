"""Clients' own memories of a project: a source of `recall`, in a store that is in no file."""
