-- Lists of one kind are in the order of time, too: without this all of that kind would be sorted for ten rows.
CREATE INDEX memories_kinds_by_time ON memories (project_id, kind, created_at);
