"""Read times in questions; callers use `window`, or `past` alone.

No module here has state or does I/O. A wrong filter is worse than none: a doubtful time is none, and a phrase that is
in no table is missed.
"""
