"""Rules over messages of users and agents that find what is worth remembering, without a model.

A wrong memory costs every later session: a rule wants two signs, and skips sentences that ask, suppose, joke or are
about the moment. The rules are English only; `weighing` adds them to the weaker `signs`, of seven languages, and
decides.
"""
