-- What no machine of the team sends: patterns (RE2) that each reads before it sends, set by the owner of the schema.
ALTER TABLE palimp.team ADD COLUMN patterns text[] NOT NULL DEFAULT '{}' CHECK (cardinality(patterns) <= 50);
UPDATE palimp.team SET version = 4;
