-- Replicas of a team's database, and to which login the server says they belong; '': the login of this machine.
-- Without a row: a folder, which is one person's.
CREATE TABLE team_replicas (
    replica    TEXT    PRIMARY KEY,                  -- hex
    login      TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
