-- Of the acts that were sent again against a rule, those of which a person has said since that the rule still holds.
ALTER TABLE rule_counts ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
CREATE INDEX rule_counts_overruled ON rule_counts (seq) WHERE overruled > answered;
