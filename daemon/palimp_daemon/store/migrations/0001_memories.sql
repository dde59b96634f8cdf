-- Projects, sessions and memories; remembered requests.
-- Times are Unix milliseconds. Order is by seq, never by time: clocks go back.

CREATE TABLE projects (
    id          INTEGER PRIMARY KEY,
    root        TEXT    NOT NULL UNIQUE,   -- absolute path; '' is the global scope
    name        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

INSERT INTO projects (id, root, name, created_at) VALUES (0, '', '', 0);

CREATE TABLE sessions (
    id          INTEGER PRIMARY KEY,
    key         TEXT    NOT NULL,          -- unique per client process
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    client      TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    UNIQUE (key, project_id)
) STRICT;

CREATE TABLE memories (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT    NOT NULL UNIQUE,
    project_id     INTEGER NOT NULL REFERENCES projects (id),
    session_id     INTEGER REFERENCES sessions (id),
    title          TEXT    NOT NULL,
    content        TEXT    NOT NULL,
    tags           TEXT    NOT NULL,       -- words between single spaces, none at the ends
    kind           TEXT    NOT NULL,
    source         TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER,
    deleted_at     INTEGER,
    superseded_by  INTEGER REFERENCES memories (seq)
) STRICT;

CREATE INDEX memories_by_project ON memories (project_id, seq);
-- What a search must know of each match, without touching the rows with their texts: a quarter of its time.
CREATE INDEX memories_scope ON memories (seq, project_id, deleted_at);
CREATE INDEX memories_by_session ON memories (session_id, seq);

-- The smallest hashes of each memory's words, by which near-duplicates are found (store/sketches.py).
CREATE TABLE sketches (
    hash  INTEGER NOT NULL,
    seq   INTEGER NOT NULL,
    PRIMARY KEY (hash, seq)
) STRICT, WITHOUT ROWID;

-- A write's request id and its reply, stored in the write's own transaction.
CREATE TABLE requests (
    id          BLOB    PRIMARY KEY,
    reply       BLOB    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the full-text index was built with (search/index.py); a difference rebuilds it.
CREATE TABLE search_index (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    engine   TEXT    NOT NULL,
    version  INTEGER NOT NULL
) STRICT;
