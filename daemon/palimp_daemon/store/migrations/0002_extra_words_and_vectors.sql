-- What is indexed of a memory besides what it says (search/extra.py); filled when the index is built.
ALTER TABLE memories ADD COLUMN extra TEXT NOT NULL DEFAULT '';

-- What memories mean, where palimp[semantic] is installed: 384 signed bytes each. A missing one is made some time.
CREATE TABLE vectors (
    seq     INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    vector  BLOB    NOT NULL
) STRICT;

CREATE TRIGGER memories_vector_stale AFTER UPDATE OF title, content ON memories BEGIN
    DELETE FROM vectors WHERE seq = new.seq;
END;

-- The model that made the vectors; another one makes them all anew.
CREATE TABLE vector_model (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    name  TEXT    NOT NULL
) STRICT;
