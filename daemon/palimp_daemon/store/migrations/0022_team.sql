-- A team: replicas that share memories of projects (store/tables/team_*.py). Without one all of these tables are empty.
CREATE TABLE team (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    id         TEXT    NOT NULL,                     -- hex
    place      TEXT    NOT NULL,                     -- where operations are exchanged: an absolute path
    replica    TEXT    NOT NULL,                     -- hex; this one
    name       TEXT    NOT NULL,                     -- as others see this one
    stamp      TEXT    NOT NULL DEFAULT ''           -- the last one that was given or seen
) STRICT;

CREATE TABLE team_projects (
    project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    key        TEXT    NOT NULL UNIQUE,              -- hex; the same on every replica
    shared_at  INTEGER NOT NULL                      -- Unix milliseconds
) STRICT;

-- Memories and links that changed since they were last sent; written by the triggers below, in the change's transaction.
CREATE TABLE team_pending (
    project_id INTEGER NOT NULL REFERENCES team_projects (project_id) ON DELETE CASCADE,
    field      TEXT    NOT NULL,                     -- memory, link
    number     INTEGER NOT NULL,                     -- memories.seq, memory_links.id
    stamp      TEXT    NOT NULL DEFAULT '',          -- of the change; '': not stamped yet
    due        INTEGER NOT NULL DEFAULT 0,           -- Unix milliseconds: when the hold is over
    problem    TEXT    NOT NULL DEFAULT '',          -- why it is not sent
    PRIMARY KEY (project_id, field, number)
) STRICT, WITHOUT ROWID;

-- Ids of memories that were erased: they never come back.
CREATE TABLE team_erased (
    project_id INTEGER NOT NULL REFERENCES team_projects (project_id) ON DELETE CASCADE,
    memory_id  TEXT    NOT NULL,
    PRIMARY KEY (project_id, memory_id)
) STRICT, WITHOUT ROWID;

-- Each value as all replicas last heard of it; the latest stamp holds.
CREATE TABLE team_registers (
    project_id INTEGER NOT NULL REFERENCES team_projects (project_id) ON DELETE CASCADE,
    entity     TEXT    NOT NULL,                     -- memories.id
    field      TEXT    NOT NULL,                     -- put, purged, pin, erased, or a relation and an older memory's id
    stamp      TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    PRIMARY KEY (project_id, entity, field)
) STRICT, WITHOUT ROWID;

-- Operations of this replica, in order and without a hole.
CREATE TABLE team_log (
    project_id INTEGER NOT NULL REFERENCES team_projects (project_id) ON DELETE CASCADE,
    replica    TEXT    NOT NULL,
    counter    INTEGER NOT NULL,
    entity     TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    is_cleared INTEGER NOT NULL DEFAULT 0,           -- 1: its text was erased, and is still to be where it was sent
    PRIMARY KEY (project_id, replica, counter)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_log_by_entity ON team_log (project_id, entity);

-- How far the operations of each other replica are applied.
CREATE TABLE team_heard (
    project_id INTEGER NOT NULL REFERENCES team_projects (project_id) ON DELETE CASCADE,
    replica    TEXT    NOT NULL,
    counter    INTEGER NOT NULL,
    PRIMARY KEY (project_id, replica)
) STRICT, WITHOUT ROWID;

-- Operations that cannot be applied: their memory is not here yet, or they are of a newer palimp.
CREATE TABLE team_parked (
    project_id INTEGER NOT NULL REFERENCES team_projects (project_id) ON DELETE CASCADE,
    replica    TEXT    NOT NULL,
    counter    INTEGER NOT NULL,
    waits_for  TEXT    NOT NULL,                     -- memories.id; '': a newer palimp
    why        TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    PRIMARY KEY (project_id, replica, counter)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_parked_by_memory ON team_parked (project_id, waits_for);

-- Memories that came from another replica, and its name.
CREATE TABLE team_authors (
    seq        INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    replica    TEXT    NOT NULL,
    name       TEXT    NOT NULL
) STRICT;

CREATE TRIGGER memories_team_insert AFTER INSERT ON memories
WHEN EXISTS (SELECT 1 FROM team_projects WHERE project_id = new.project_id) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number) VALUES (new.project_id, 'memory', new.seq);
END;

CREATE TRIGGER memories_team_update AFTER UPDATE OF project_id, title, content, tags, kind, deleted_at ON memories
WHEN EXISTS (SELECT 1 FROM team_projects WHERE project_id = new.project_id) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number) VALUES (new.project_id, 'memory', new.seq);
END;

CREATE TRIGGER memories_team_delete AFTER DELETE ON memories
WHEN EXISTS (SELECT 1 FROM team_projects WHERE project_id = old.project_id) BEGIN
    INSERT OR REPLACE INTO team_erased (project_id, memory_id) VALUES (old.project_id, old.id);
    DELETE FROM team_pending WHERE project_id = old.project_id AND field = 'memory' AND number = old.seq;
END;

CREATE TRIGGER memory_links_team_insert AFTER INSERT ON memory_links
WHEN new.said_by != 'inferred' AND EXISTS (SELECT 1 FROM team_projects) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number)
        SELECT m.project_id, 'link', new.id FROM memories m JOIN team_projects t ON t.project_id = m.project_id
        WHERE m.seq = new.newer;
END;

CREATE TRIGGER memory_links_team_update AFTER UPDATE OF undone_at ON memory_links
WHEN new.said_by != 'inferred' AND EXISTS (SELECT 1 FROM team_projects) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number)
        SELECT m.project_id, 'link', new.id FROM memories m JOIN team_projects t ON t.project_id = m.project_id
        WHERE m.seq = new.newer;
END;

CREATE TRIGGER pins_team_insert AFTER INSERT ON pins WHEN EXISTS (SELECT 1 FROM team_projects) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number)
        SELECT m.project_id, 'memory', m.seq FROM memories m JOIN team_projects t ON t.project_id = m.project_id
        WHERE m.seq = new.seq;
END;

CREATE TRIGGER pins_team_delete AFTER DELETE ON pins WHEN EXISTS (SELECT 1 FROM team_projects) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number)
        SELECT m.project_id, 'memory', m.seq FROM memories m JOIN team_projects t ON t.project_id = m.project_id
        WHERE m.seq = old.seq;
END;

-- Somebody confirmed it: now it may be shared.
CREATE TRIGGER proposals_team_delete AFTER DELETE ON proposals WHEN EXISTS (SELECT 1 FROM team_projects) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number)
        SELECT m.project_id, 'memory', m.seq FROM memories m JOIN team_projects t ON t.project_id = m.project_id
        WHERE m.seq = old.seq;
END;
