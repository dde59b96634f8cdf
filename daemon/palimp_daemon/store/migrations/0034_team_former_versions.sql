-- A version that was edited before it was sent stays on this machine (features/team/sending.py). If it stands
-- again, as its edit is undone, deleted or erased, it may be sent.
CREATE TRIGGER memories_team_stands AFTER UPDATE OF superseded_by ON memories
WHEN old.superseded_by IS NOT NULL AND EXISTS (SELECT 1 FROM team_projects WHERE project_id = new.project_id) BEGIN
    INSERT OR REPLACE INTO team_pending (project_id, field, number) VALUES (new.project_id, 'memory', new.seq);
END;
