-- A memory that is moved out of a shared project is not sent from there any more, and its erasure still is.
CREATE TRIGGER memories_team_moved AFTER UPDATE OF project_id ON memories
WHEN old.project_id != new.project_id AND EXISTS (SELECT 1 FROM team_projects WHERE project_id = old.project_id) BEGIN
    DELETE FROM team_pending WHERE project_id = old.project_id AND field = 'memory' AND number = old.seq;
    DELETE FROM team_pending WHERE project_id = old.project_id AND field = 'link'
        AND number IN (SELECT id FROM memory_links WHERE newer = old.seq OR older = old.seq);
END;

DROP TRIGGER memories_team_delete;
CREATE TRIGGER memories_team_delete AFTER DELETE ON memories WHEN EXISTS (SELECT 1 FROM team_projects) BEGIN
    INSERT OR REPLACE INTO team_erased (project_id, memory_id)
        SELECT p.project_id, old.id FROM team_projects p WHERE p.project_id = old.project_id
            OR EXISTS (SELECT 1 FROM team_registers r WHERE r.project_id = p.project_id AND r.entity = old.id);
    DELETE FROM team_pending WHERE project_id = old.project_id AND field = 'memory' AND number = old.seq;
END;

DELETE FROM team_pending WHERE field = 'memory'
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.seq = number AND m.project_id = team_pending.project_id);
