-- Memories that capture found and nobody confirmed yet (store/tables/proposals.py).
CREATE TABLE proposals (
    seq  INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    at   INTEGER NOT NULL                            -- Unix milliseconds
) STRICT;

-- When a session was last told that proposals wait, and how many did then.
CREATE TABLE inbox_told (
    project_id  INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    at          INTEGER NOT NULL,
    waiting     INTEGER NOT NULL
) STRICT;

-- What was captured before waits, too, unless somebody pinned it or said what it replaces.
INSERT INTO proposals (seq, at)
    SELECT m.seq, m.created_at FROM memories m
    WHERE m.source = 'transcript' AND m.quote != '' AND m.kind != 'summary'
        AND m.seq NOT IN (SELECT seq FROM pins)
        AND m.seq NOT IN (SELECT newer FROM memory_links WHERE said_by IN ('user', 'agent') AND undone_at IS NULL);
