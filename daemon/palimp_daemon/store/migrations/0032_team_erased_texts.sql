-- A hash of each erased text, with the team's id as its key: it is not to come back under another id.
ALTER TABLE team_erased ADD COLUMN text TEXT NOT NULL DEFAULT '';  -- hex; '': not known
CREATE INDEX team_erased_by_text ON team_erased (text) WHERE text != '';
