-- Who stores many memories at once has made their sums beforehand: calling back from the middle of a statement would
-- make it wait for the interpreter's lock with every row. Everybody else's are made here, as before.
DROP TRIGGER memories_sum_insert;
CREATE TRIGGER memories_sum_insert AFTER INSERT ON memories WHEN NOT EXISTS (SELECT 1 FROM sums WHERE seq = new.seq)
BEGIN
    INSERT INTO sums (seq, sum) VALUES (new.seq, palimp_sum(new.id, new.project_id, new.title, new.content, new.tags,
        new.kind, new.source, new.created_at, new.deleted_at, new.superseded_by, new.quote));
END;
