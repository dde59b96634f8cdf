-- Memories that an agent saved for all projects, and nobody said yes to: they stand in their own (store/tables/wishes.py).
CREATE TABLE wishes (
    seq  INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    at   INTEGER NOT NULL                            -- Unix milliseconds
) STRICT;
