-- Acts: who changed which memories when, with what is needed to take it back (store/tables/acts.py, steps.py).
CREATE TABLE acts (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id  INTEGER,                             -- NULL: at a terminal
    author      TEXT    NOT NULL,                    -- user, agent; unknown: before there were acts
    kind        TEXT    NOT NULL,
    at          INTEGER NOT NULL,                    -- Unix milliseconds
    steps       TEXT    NOT NULL,                    -- JSON
    undoes      INTEGER,                             -- the act that this one took back
    undone_by   INTEGER                              -- the act that took this one back; NULL: it is in effect
) STRICT;
CREATE INDEX acts_by_project ON acts (project_id, author, id);

-- Further steps of an act that took several transactions: an import, a compaction.
CREATE TABLE act_parts (
    act_id  INTEGER NOT NULL REFERENCES acts (id) ON DELETE CASCADE,
    number  INTEGER NOT NULL,                        -- of the act, from 1
    steps   TEXT    NOT NULL,
    PRIMARY KEY (act_id, number)
) STRICT, WITHOUT ROWID;

-- What could be undone before: links that somebody made, versions, and compactions.
INSERT INTO acts (project_id, author, kind, at, steps)
    SELECT project_id, 'unknown', kind, at, steps FROM (
        SELECT n.project_id, CASE WHEN l.is_edit THEN 'edit' ELSE 'supersede' END AS kind, l.at, l.id AS number,
            CASE WHEN l.is_edit
                THEN json_array(json_array('memory', l.newer, NULL, 1, 1), json_array('link', l.id, NULL, 1, 1))
                ELSE json_array(json_array('link', l.id, NULL, 1, 1)) END AS steps
        FROM memory_links l JOIN memories n ON n.seq = l.newer
        WHERE l.undone_at IS NULL AND l.said_by NOT IN ('compact', 'inferred')
        UNION ALL
        SELECT c.project_id, 'compact', c.at, c.id, json_group_array(json_array('link', l.id, NULL, 1, 1))
        FROM compactions c JOIN merged g ON g.compaction_id = c.id
            JOIN memory_links l ON l.older = g.seq AND l.newer = g.into_seq
        WHERE l.said_by = 'compact' AND l.undone_at IS NULL GROUP BY c.id
    ) ORDER BY at, number;

DELETE FROM linked_rows WHERE kind = 'compaction';
DROP TABLE merged;
DROP TABLE compactions;
