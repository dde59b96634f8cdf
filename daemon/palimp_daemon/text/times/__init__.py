"""Read times in questions; callers use `window`, or `past` alone.

A wrong filter is worse than none: doubtful times count as none.
"""
