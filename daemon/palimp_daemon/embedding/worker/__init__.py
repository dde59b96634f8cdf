"""The embedder: a child process that turns texts into vectors (`palimp[semantic]`).

A process of its own, so that the model's memory comes back when it is not needed, its work takes no time from
the daemon's, and a crash in it is a lexical search. Nothing here imports anything of the daemon.
"""
