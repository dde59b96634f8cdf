"""Time in questions: the span that words name, an order, what is left to search for, and whether the past is asked for.

Theory
------
`window` is what others use, and `past` tells what asks for the past. A question is read in every language that is
known (`languages` has their words, `words` finds them, `phrases`, `points` and `grammar` put them together, `unspaced`
does the same for Japanese and Chinese); `spans` knows the calendar. No module here has state or does I/O. A wrong
filter is worse than none, so that whatever is doubtful is no time.
"""
