-- Turns of sessions; and hunks that take less room: their state as a number, and no index for a foreign key.

ALTER TABLE changes ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;  -- of the session, from 1; 0: from git, or not known

CREATE INDEX changes_by_session ON changes (session_id, turn) WHERE session_id IS NOT NULL;

CREATE TABLE smaller_hunks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    change_id  INTEGER NOT NULL,                     -- no foreign key: its index would be a fortieth of the database
    path_id    INTEGER NOT NULL REFERENCES paths (id),
    line       INTEGER NOT NULL,
    gone       INTEGER NOT NULL,                     -- lines that are nowhere else; 0: nothing to watch for
    state      INTEGER NOT NULL,                     -- watched, pending, returned (on purpose), dismissed: store/hunks.py
    cited      INTEGER NOT NULL DEFAULT 0,           -- how often somebody was told of it
    packed     BLOB    NOT NULL                      -- changes/packing.py
) STRICT;

INSERT INTO smaller_hunks (id, change_id, path_id, line, gone, state, cited, packed)
    SELECT id, change_id, path_id, line, gone,
        CASE state WHEN 'watched' THEN 0 WHEN 'pending' THEN 1 WHEN 'returned' THEN 2 ELSE 3 END, cited, packed
    FROM hunks;

-- Numbers of hunks that were forgotten are not given out again.
DELETE FROM sqlite_sequence WHERE name = 'smaller_hunks';
INSERT INTO sqlite_sequence (name, seq) SELECT 'smaller_hunks', seq FROM sqlite_sequence WHERE name = 'hunks';

DROP TABLE hunks;
ALTER TABLE smaller_hunks RENAME TO hunks;

CREATE INDEX hunks_by_path ON hunks (path_id);
CREATE INDEX hunks_pending ON hunks (change_id) WHERE state = 1;
