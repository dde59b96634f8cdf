"""Find memories in messages by rules, without a model.

A wrong memory costs every later session: a rule needs two signs, and skips sentences that ask, suppose, joke or are
about the moment. Rules are in English; `weighing` adds weaker `signs`, in seven languages.
"""
