-- Memories that sessions are told by themselves no more (store/tables/mutes.py).
CREATE TABLE mutes (
    seq  INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    at   INTEGER NOT NULL                            -- Unix milliseconds
) STRICT;
