-- What one memory does to another, and who said so; and which memories are pinned (store/tables/memory_links.py, pins.py).
CREATE TABLE memory_links (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    newer      INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    older      INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    relation   TEXT    NOT NULL,                     -- replaces, narrows, disagrees
    said_by    TEXT    NOT NULL,                     -- text, agent, user, inferred, compact
    said       TEXT    NOT NULL DEFAULT '',          -- the words that say so, or the reason
    at         INTEGER NOT NULL,                     -- Unix milliseconds
    is_edit    INTEGER NOT NULL DEFAULT 0,           -- 1: the newer one was made as another version of the older one
    undone_at  INTEGER                               -- NULL: it holds
) STRICT;

-- One link that holds for each two memories and relation; and what is linked with a memory.
CREATE UNIQUE INDEX memory_links_by_older ON memory_links (older, newer, relation) WHERE undone_at IS NULL;
CREATE INDEX memory_links_by_newer ON memory_links (newer, older);
-- For the rows of memories that are deleted.
CREATE INDEX memory_links_of_older ON memory_links (older);

-- `memories.superseded_by` stays as what follows from the links: the memory that takes the place of another now.
INSERT INTO memory_links (newer, older, relation, said_by, at)
    SELECT m.superseded_by, m.seq, 'replaces', 'compact', coalesce(
        (SELECT max(c.at) FROM merged g JOIN compactions c ON c.id = g.compaction_id
            WHERE g.seq = m.seq AND g.into_seq = m.superseded_by),
        n.created_at)
    FROM memories m JOIN memories n ON n.seq = m.superseded_by ORDER BY m.seq;

CREATE TABLE pins (
    seq  INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    at   INTEGER NOT NULL
) STRICT;
