-- By this index searches find. In a team that has a database already it is made by a statement of its own that locks
-- nobody out (CONCURRENTLY), however long that takes; until then a search says so.
-- What was added last stands in a list, which each search reads whole: 256 kB of it at most.
CREATE INDEX op_words ON palimp.op USING gin (palimp.keys_of(project, body)) WITH (gin_pending_list_limit = 256);
