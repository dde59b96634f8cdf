"""Rules over messages of users and agents that find what is worth remembering, without a model.

A wrong memory costs every later session. So each rule wants two signs, and skips a sentence that asks, supposes, jokes
or is about the moment. The rules are English only and know one way of writing; `weighing` adds them to the many weaker
`signs`, of seven languages, and decides.
"""
