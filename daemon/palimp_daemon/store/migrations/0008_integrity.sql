-- What was saved, said a second time, so that what is lost or altered is noticed (store/sums.py, store/ledger.py).

-- A sum of each memory, in pages of its own: a row that is gone, or is not what it was, differs.
CREATE TABLE sums (
    seq  INTEGER PRIMARY KEY,
    sum  INTEGER NOT NULL
) STRICT;

INSERT INTO sums (seq, sum)
    SELECT seq, palimp_sum(id, project_id, title, content, tags, kind, source, created_at, deleted_at, superseded_by, quote)
    FROM memories;

CREATE TRIGGER memories_sum_insert AFTER INSERT ON memories BEGIN
    INSERT INTO sums (seq, sum) VALUES (new.seq, palimp_sum(new.id, new.project_id, new.title, new.content, new.tags,
        new.kind, new.source, new.created_at, new.deleted_at, new.superseded_by, new.quote));
END;

CREATE TRIGGER memories_sum_update
AFTER UPDATE OF id, project_id, title, content, tags, kind, source, created_at, deleted_at, superseded_by, quote
ON memories BEGIN
    UPDATE sums SET sum = palimp_sum(new.id, new.project_id, new.title, new.content, new.tags,
        new.kind, new.source, new.created_at, new.deleted_at, new.superseded_by, new.quote) WHERE seq = new.seq;
END;

CREATE TRIGGER memories_sum_delete AFTER DELETE ON memories BEGIN
    DELETE FROM sums WHERE seq = old.seq;
END;

-- Which database this is, and how many groups of writes it has; the file palimp.mark says how many it must have.
CREATE TABLE ledger (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    identity  BLOB    NOT NULL,
    commits   INTEGER NOT NULL
) STRICT;

INSERT INTO ledger (one, identity, commits) VALUES (1, randomblob(16), 0);
