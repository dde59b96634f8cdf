-- Checks of rules, derived from the texts of memories in the background (store/tables/rule_checks.py).
CREATE TABLE rule_checks (
    seq        INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    checks     TEXT    NOT NULL,                     -- JSON: a list
    is_off     INTEGER NOT NULL DEFAULT 0            -- 1: a person took them off
) STRICT;

CREATE TABLE rules_derived (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    seq        INTEGER NOT NULL,                     -- memories up to this one were read
    version    INTEGER NOT NULL                      -- of the derivation
) STRICT;

-- How often a rule was told before an act, kept and broken.
CREATE TABLE rule_counts (
    seq          INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    session_id   INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    told         INTEGER NOT NULL DEFAULT 0,
    kept         INTEGER NOT NULL DEFAULT 0,
    broken       INTEGER NOT NULL DEFAULT 0,         -- before the session was told
    broken_told  INTEGER NOT NULL DEFAULT 0,         -- after it
    broken_at    INTEGER NOT NULL DEFAULT 0,         -- Unix milliseconds; 0: never
    act          TEXT    NOT NULL DEFAULT '',        -- the last that broke it
    PRIMARY KEY (seq, session_id)
) STRICT, WITHOUT ROWID;
