-- Members of a team whose memories are told unasked here, as those of this machine are.
CREATE TABLE team_trusted (
    login      TEXT    PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Memories of others that nobody here kept: found by who asks, told to nobody else.
CREATE TABLE team_untold (
    seq        INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE
) STRICT;

INSERT INTO team_untold (seq)
    SELECT a.seq FROM team_authors a JOIN team_replicas r ON r.replica = a.replica WHERE r.login != '';
