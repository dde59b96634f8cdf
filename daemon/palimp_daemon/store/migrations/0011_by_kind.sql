-- What lists and counts ask for, of all memories and not of those alone that nothing replaced: none touches a row.
DROP INDEX memories_alive;
CREATE INDEX memories_by_kind ON memories (project_id, kind, seq, created_at, deleted_at, superseded_by);
