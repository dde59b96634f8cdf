"""Read times in questions; callers use `window`, or `past` alone.

A wrong filter is worse than none: a doubtful time is none, and a phrase that is in no table is missed.
"""
