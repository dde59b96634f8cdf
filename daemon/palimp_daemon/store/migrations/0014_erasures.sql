-- Erasures that were committed and whose text may still be in free pages, in segments of the indexes or in the log.
-- A row is written by the transaction that deletes, and removed once the database has been written anew.
CREATE TABLE erasures (
    id  INTEGER PRIMARY KEY AUTOINCREMENT,
    at  INTEGER NOT NULL
) STRICT;

-- Hashes of removed code that was erased (store/changes.py), so that a history that is read again does not bring it back.
CREATE TABLE erased_hunks (
    hash  INTEGER PRIMARY KEY
) STRICT;
