-- How long hooks took, as counts of buckets, and how large the files are, by days in UTC (store.tables.sessions.daily_measures.py).
CREATE TABLE hook_times (
    day     INTEGER NOT NULL,                        -- since 1970
    moment  TEXT    NOT NULL,                        -- start, prompt, action, subagent, after, end
    bucket  INTEGER NOT NULL,
    times   INTEGER NOT NULL,
    PRIMARY KEY (day, moment, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_sizes (
    day                 INTEGER PRIMARY KEY,
    memories_bytes      INTEGER NOT NULL,
    conversations_bytes INTEGER NOT NULL
) STRICT;

-- Few disagree, of very many links.
CREATE INDEX memory_links_disagreeing ON memory_links (id) WHERE relation = 'disagrees';
