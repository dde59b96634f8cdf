"""Find memories in messages of users and agents by rules, without a model.

A wrong memory costs every later session: a rule needs two signs, and skips sentences that ask, suppose, joke or are
about the moment. Rules are in English only; `weighing` adds the weaker `signs`, in seven languages.
"""
