"""Find what is worth remembering in messages of users and agents, by rules, without a model.

A wrong memory costs every later session: a rule wants two signs, and skips sentences that ask, suppose, joke or are
about the moment. Rules are English only; `weighing` adds them to the weaker `signs`, of seven languages.
"""
