-- When an index that is made from other tables was found not to match them and was built anew (store/rebuilding.py).
CREATE TABLE rebuilds (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,                         -- Unix milliseconds
    name   TEXT    NOT NULL,                         -- what it is an index of, in words
    why    TEXT    NOT NULL                          -- a sentence, without what any memory says
) STRICT;
