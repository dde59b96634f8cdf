"""Read times in questions: others call `window`; `past` says whether a question is about the past.

`languages` has the words of seven languages, `unspaced` patterns for Japanese and Chinese, `spans` the calendar. No
module here has state or does I/O. A wrong filter is worse than none: a doubtful time is none, and a phrase that is in
no table here is missed.
"""
