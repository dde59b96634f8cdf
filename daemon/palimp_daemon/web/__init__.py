"""The web page for people, on 127.0.0.1, for the daemon's own user.

Imported only when asked for. It reads and changes everything through the dispatcher.
"""
