-- Which repository a folder holds, and which folders share one project.

-- The first commits of a project's repository: by them another repository at the same path is noticed, and a second
-- clone is known.
CREATE TABLE first_commits (
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    sha         TEXT    NOT NULL,
    PRIMARY KEY (project_id, sha)
) STRICT, WITHOUT ROWID;

CREATE INDEX first_commits_by_sha ON first_commits (sha);

-- Folders whose project is not that of their own row alone (store/links.py).
CREATE TABLE links (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    root        TEXT    NOT NULL,                            -- the folder
    state       TEXT    NOT NULL,                            -- clone; held, other, same
    project_id  INTEGER NOT NULL REFERENCES projects (id),   -- the shared project, or the one that was here before
    own_id      INTEGER REFERENCES projects (id),            -- the folder's own, where its rows are the other's now
    at          INTEGER NOT NULL
) STRICT;

CREATE INDEX links_by_root ON links (root);

-- What was the own project's when it was given to the other, so that it can be taken back.
CREATE TABLE linked_rows (
    link_id  INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
    kind     TEXT    NOT NULL,                               -- memory, change, compaction, document
    row_id   INTEGER NOT NULL,
    PRIMARY KEY (link_id, kind, row_id)
) STRICT, WITHOUT ROWID;
