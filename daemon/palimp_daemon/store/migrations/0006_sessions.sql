-- What a session's start asks for: the newest of some kinds, and how many there are.
CREATE INDEX memories_alive ON memories (project_id, kind, seq) WHERE deleted_at IS NULL AND superseded_by IS NULL;

-- What sessions did, what was captured from their transcripts, and what they were told.

ALTER TABLE memories ADD COLUMN quote TEXT NOT NULL DEFAULT '';      -- what a captured memory rests on

ALTER TABLE sessions ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;  -- last heard of; 0: only its writes are known
ALTER TABLE sessions ADD COLUMN ended_at INTEGER;
ALTER TABLE sessions ADD COLUMN recalls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN turns_captured INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN capture_due INTEGER NOT NULL DEFAULT 0;  -- 1: ended or compacted, not looked through yet
ALTER TABLE sessions ADD COLUMN context_seq INTEGER;                 -- newest memory when it was given context

-- How far a session's transcript was read, and what it was about so far.
CREATE TABLE transcripts (
    session_id  INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    path        TEXT    NOT NULL,
    read_to     INTEGER NOT NULL,
    head        TEXT    NOT NULL,
    digest      BLOB    NOT NULL
) STRICT;

-- Quotes that memories were made of, so that a transcript which is read again makes none twice.
CREATE TABLE captured (
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    hash        INTEGER NOT NULL,
    PRIMARY KEY (project_id, hash)
) STRICT, WITHOUT ROWID;

-- Memories that a session was given with a prompt.
CREATE TABLE injected (
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;
