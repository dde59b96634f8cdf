-- Of the times that a session was told a rule, those that it has forgotten since, as its context was compacted.
ALTER TABLE rule_counts ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
