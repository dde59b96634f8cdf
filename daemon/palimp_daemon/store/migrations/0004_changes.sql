-- Code that was taken out: changes, their hunks, what they are found by, and what is in the tree now.

CREATE TABLE changes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    session_id  INTEGER REFERENCES sessions (id),   -- NULL: from git
    commit_sha  TEXT    NOT NULL,                    -- '' : from a session
    tool        TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    is_pending  INTEGER NOT NULL                     -- 1: the turn that made it is not over
) STRICT;

CREATE INDEX changes_pending ON changes (session_id) WHERE is_pending;
CREATE INDEX changes_by_time ON changes (project_id, at);
CREATE UNIQUE INDEX changes_by_commit ON changes (project_id, commit_sha) WHERE commit_sha != '';

CREATE TABLE paths (
    id          INTEGER PRIMARY KEY,
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    path        TEXT    NOT NULL,                    -- within the project, with /
    UNIQUE (project_id, path)
) STRICT;

CREATE TABLE hunks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    change_id  INTEGER NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
    path_id    INTEGER NOT NULL REFERENCES paths (id),
    line       INTEGER NOT NULL,
    gone       INTEGER NOT NULL,                     -- lines that are nowhere else; 0: nothing to watch for
    state      TEXT    NOT NULL,                     -- pending, watched, returned (on purpose), dismissed
    cited      INTEGER NOT NULL DEFAULT 0,           -- how often somebody was told of it
    packed     BLOB    NOT NULL                      -- changes/packing.py
) STRICT;

CREATE INDEX hunks_by_path ON hunks (path_id, id);
CREATE INDEX hunks_by_change ON hunks (change_id);

-- Features of the watched hunks. The project is in the hash (store/changes.py).
CREATE TABLE fingerprints (
    hash     INTEGER NOT NULL,
    hunk_id  INTEGER NOT NULL,
    PRIMARY KEY (hash, hunk_id)
) STRICT, WITHOUT ROWID;

-- By what version of the features, and by which engine, hunks were indexed; a difference indexes them anew.
CREATE TABLE changes_index (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    version  TEXT    NOT NULL
) STRICT;

-- Lines that a session added, so that what it takes out again itself is known at once.
CREATE TABLE session_lines (
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    hash        INTEGER NOT NULL,
    PRIMARY KEY (session_id, hash)
) STRICT, WITHOUT ROWID;

-- Whom we told of what, so that nobody is told twice.
CREATE TABLE tellings (
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    hunk_id     INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (session_id, hunk_id)
) STRICT, WITHOUT ROWID;

-- What is in the working trees now: the lines of each file, and how many files have each line.
CREATE TABLE trees (
    id          INTEGER PRIMARY KEY,
    root        TEXT    NOT NULL UNIQUE,
    checked_at  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tree_files (
    id        INTEGER PRIMARY KEY,
    tree_id   INTEGER NOT NULL REFERENCES trees (id) ON DELETE CASCADE,
    path      TEXT    NOT NULL,
    mtime_ns  INTEGER NOT NULL,
    size      INTEGER NOT NULL,
    lines     BLOB    NOT NULL,                      -- eight bytes each
    UNIQUE (tree_id, path)
) STRICT;

CREATE TABLE live_lines (
    hash   INTEGER PRIMARY KEY,                      -- the tree is in the hash
    files  INTEGER NOT NULL
) STRICT;

-- How far git's history has been read.
CREATE TABLE imports (
    project_id  INTEGER PRIMARY KEY REFERENCES projects (id),
    newest      TEXT    NOT NULL,                    -- all of the first-parent line up to here has been read,
    oldest      TEXT    NOT NULL,                    -- down to here; '' : to its beginning or our bound
    commits     INTEGER NOT NULL,
    at          INTEGER NOT NULL
) STRICT;

CREATE TABLE counters (
    name   TEXT    PRIMARY KEY,
    value  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
