"""The embedder: a child process that turns texts into vectors (`palimp[semantic]`).

It frees its memory when idle, and may crash: search is lexical then. It imports nothing of the daemon but
`runtime.framed_json`.
"""
