-- Former texts of documents, and the sections of the present ones for ranked search.
-- Documents are files of a worktree (tree); what is here of the present ones can be made again at any time.

CREATE TABLE doc_versions (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    tree     TEXT    NOT NULL,
    slug     TEXT    NOT NULL,
    title    TEXT    NOT NULL,
    done     TEXT    NOT NULL,             -- what replaced it: edited, deleted
    at       INTEGER NOT NULL,
    length   INTEGER NOT NULL,             -- characters
    packed   BLOB    NOT NULL              -- zlib
) STRICT;

CREATE INDEX doc_versions_by_slug ON doc_versions (tree, slug, id);

CREATE TABLE documents (
    id        INTEGER PRIMARY KEY,
    tree      TEXT    NOT NULL,
    slug      TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    mtime_ns  INTEGER NOT NULL,
    size      INTEGER NOT NULL,
    hash      BLOB    NOT NULL,
    UNIQUE (tree, slug)
) STRICT;

CREATE TABLE sections (
    id           INTEGER PRIMARY KEY,
    document_id  INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    heading      TEXT    NOT NULL,
    line         INTEGER NOT NULL,
    content      TEXT    NOT NULL,
    extra        TEXT    NOT NULL          -- see search/extra.py
) STRICT;

CREATE INDEX sections_by_document ON sections (document_id);
