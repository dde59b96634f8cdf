-- A shared project may have several keys: it was renamed, or merged with another. Each has its own log, and a row of
-- its own in team_projects; memories, and all else that is known of them, stand under its home.
ALTER TABLE team_projects ADD COLUMN home INTEGER NOT NULL DEFAULT 0;     -- projects.id, which has a row here, too
ALTER TABLE team_projects ADD COLUMN stamp TEXT NOT NULL DEFAULT '';      -- when it was said that it goes on as this one
ALTER TABLE team_projects ADD COLUMN is_told INTEGER NOT NULL DEFAULT 1;  -- 0: the others are to be told so
UPDATE team_projects SET home = project_id;
