-- What memories name, as they write it: a key and its name, line by line (store/tables/memory_subjects.py).
CREATE TABLE memory_entities (
    seq    INTEGER PRIMARY KEY,
    named  TEXT NOT NULL
) STRICT;

CREATE TRIGGER memories_entities_deleted AFTER DELETE ON memories BEGIN
    DELETE FROM memory_entities WHERE seq = old.seq;
END;

-- Those of before are indexed anew, in slices.
DELETE FROM subjects_index;
