-- What memories name: hashes of the names of paths, and of commands and their kinds (store/tables/memory_subjects.py).
CREATE TABLE memory_subjects (
    project_id  INTEGER NOT NULL,
    key         INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    PRIMARY KEY (project_id, key, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_subjects_by_memory ON memory_subjects (seq);

-- They go with their memory, whoever moves or deletes it.
CREATE TRIGGER memories_subjects_moved AFTER UPDATE OF project_id ON memories BEGIN
    UPDATE memory_subjects SET project_id = new.project_id WHERE seq = new.seq;
END;

CREATE TRIGGER memories_subjects_deleted AFTER DELETE ON memories BEGIN
    DELETE FROM memory_subjects WHERE seq = old.seq;
END;

-- By which rules they were made; a difference makes them anew.
CREATE TABLE subjects_index (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    version  INTEGER NOT NULL
) STRICT;

-- Commands that failed in a session, and what worked in it then (store/tables/failed_commands.py).
CREATE TABLE failed_commands (
    id          INTEGER PRIMARY KEY,
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id  INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    name        TEXT    NOT NULL,                -- program and what it was to do: `cargo build`
    command     TEXT    NOT NULL,                -- the whole line, without secrets, cut
    error       TEXT    NOT NULL,                -- a line that says why, without secrets, cut
    worked      TEXT    NOT NULL,                -- the line that did not fail then
    at          INTEGER NOT NULL                 -- Unix milliseconds
) STRICT;
CREATE INDEX failed_commands_by_name ON failed_commands (project_id, name, id);
CREATE INDEX failed_commands_by_session ON failed_commands (session_id);

-- What was told of them, once a session.
CREATE TABLE failures_told (
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    failure_id  INTEGER NOT NULL REFERENCES failed_commands (id) ON DELETE CASCADE,
    PRIMARY KEY (session_id, failure_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_told_by_failure ON failures_told (failure_id);
