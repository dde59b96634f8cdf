-- Memories that sessions are told by themselves no more (store/tables/mutes.py).
CREATE TABLE mutes (
    seq  INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    at   INTEGER NOT NULL                            -- Unix milliseconds
) STRICT;

-- What sessions were given, when and why (store/tables/given.py). What counts as told already is in `injected`.
CREATE TABLE given (
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,                    -- of the session, from 1
    seq         INTEGER NOT NULL,                    -- the memory
    at          INTEGER NOT NULL,                    -- Unix milliseconds
    occasion    TEXT    NOT NULL,                    -- start, prompt, action
    why         TEXT    NOT NULL,                    -- of a start, what it fits; of an action, what the memory names
    PRIMARY KEY (session_id, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE failures_told ADD COLUMN at INTEGER NOT NULL DEFAULT 0;  -- Unix milliseconds; 0: not known
