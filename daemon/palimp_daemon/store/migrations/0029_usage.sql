-- What sessions were given by weeks, and what came of it: numbers alone (store/tables/usage_counts.py).
CREATE TABLE usage (
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    week        INTEGER NOT NULL,                    -- its Monday in UTC, in days since 1970
    client      TEXT    NOT NULL,
    moment      TEXT    NOT NULL,                    -- start, prompt, action, subagent, asked, opened, tools
    times       INTEGER NOT NULL DEFAULT 0,
    characters  INTEGER NOT NULL DEFAULT 0,
    memories    INTEGER NOT NULL DEFAULT 0,
    used        INTEGER NOT NULL DEFAULT 0,          -- of the memories, those that were used then
    PRIMARY KEY (project_id, week, client, moment)
) STRICT, WITHOUT ROWID;

-- What came of a memory that a session was given. 0: not looked at, 1: nothing, 2: its words were written, 3: it was opened.
ALTER TABLE given ADD COLUMN outcome INTEGER NOT NULL DEFAULT 0;
