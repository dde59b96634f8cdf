"""Find memories in messages by rules, without a model.

A rule needs two signs, and skips sentences that ask, suppose, joke or are of the moment. Rules are in English;
`weighing` adds `signs` in seven languages.
"""
