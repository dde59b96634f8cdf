-- Which model made a vector, and of which memories: vectors of two models are never compared.
CREATE TABLE vector_kinds (
    id      INTEGER PRIMARY KEY,
    factor  REAL    NOT NULL DEFAULT 1.0,     -- what brings cosines of the model to the scale of all
    name    TEXT    NOT NULL UNIQUE,
    model   TEXT    NOT NULL
) STRICT;

INSERT INTO vector_kinds (id, name, model) SELECT 1, name, name FROM vector_model;
DROP TABLE vector_model;

ALTER TABLE vectors ADD COLUMN kind INTEGER NOT NULL DEFAULT 1;
CREATE INDEX vectors_by_kind ON vectors (kind, seq);

-- Of memories whose own vector is of a model that knows English only: what questions in other languages are asked of.
CREATE TABLE other_vectors (
    seq     INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    vector  BLOB    NOT NULL,
    kind    INTEGER NOT NULL
) STRICT;
CREATE INDEX other_vectors_by_kind ON other_vectors (kind, seq);

CREATE TRIGGER memories_other_vector_stale AFTER UPDATE OF title, content ON memories BEGIN
    DELETE FROM other_vectors WHERE seq = new.seq;
END;

CREATE VIEW all_vectors AS
    SELECT seq, vector, kind FROM vectors UNION ALL SELECT seq, vector, kind FROM other_vectors;
