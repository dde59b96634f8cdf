-- Digests, merges that can be undone, and where imported memories came from.

-- With all that its condition names, so that what is alive is counted without touching a row.
DROP INDEX memories_alive;
CREATE INDEX memories_alive ON memories (project_id, kind, seq, deleted_at, superseded_by)
    WHERE deleted_at IS NULL AND superseded_by IS NULL;

-- What a digest of a span of time asks for.
CREATE INDEX memories_by_time ON memories (project_id, created_at);

-- What gave way to a memory; few have, so it is small.
CREATE INDEX memories_superseded ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

-- The last digest of a project: what is new since then is told by the next.
CREATE TABLE digests (
    project_id  INTEGER PRIMARY KEY REFERENCES projects (id),
    at          INTEGER NOT NULL,
    seq         INTEGER NOT NULL                     -- the newest memory then
) STRICT;

CREATE TABLE compactions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    at          INTEGER NOT NULL
) STRICT;

CREATE INDEX compactions_by_project ON compactions (project_id, id);

-- What a compaction marked as superseded, and by what.
CREATE TABLE merged (
    compaction_id  INTEGER NOT NULL REFERENCES compactions (id) ON DELETE CASCADE,
    seq            INTEGER NOT NULL,
    into_seq       INTEGER NOT NULL,
    PRIMARY KEY (compaction_id, seq)
) STRICT, WITHOUT ROWID;

-- Where imported memories came from, so that importing again changes nothing.
CREATE TABLE imported (
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    origin      BLOB    NOT NULL,                    -- a hash of the source and its name for it
    seq         INTEGER NOT NULL,
    PRIMARY KEY (project_id, origin)
) STRICT, WITHOUT ROWID;
