-- What happens when an act would break a rule: 0: a reminder, 1: nothing, 2: the act is refused once, 3: the user is asked.
ALTER TABLE rule_checks RENAME COLUMN is_off TO at_breach;
ALTER TABLE rule_checks ADD COLUMN own TEXT;                            -- JSON: checks that a person made
ALTER TABLE rule_counts ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;  -- acts
ALTER TABLE rule_counts ADD COLUMN overruled INTEGER NOT NULL DEFAULT 0; -- of them, those that were sent again
-- Of the times that a session was told a rule, those that it has forgotten since, as its context was compacted.
ALTER TABLE rule_counts ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
