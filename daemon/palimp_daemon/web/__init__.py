"""The page for people: served on 127.0.0.1 while it is used, to the user whose daemon this is, and made of operations.

Nothing imports this room before the page is asked for; all that it shows and does, the dispatcher answers.
"""
