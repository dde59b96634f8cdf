-- A team's operations in PostgreSQL 15 or newer. Every key begins with the project, and every statement names one.
CREATE SCHEMA palimp;
REVOKE ALL ON SCHEMA palimp FROM PUBLIC;

CREATE TABLE palimp.team (
    one      integer PRIMARY KEY CHECK (one = 1),
    id       text    NOT NULL,
    version  integer NOT NULL                        -- of this schema
);

-- As bytes: PostgreSQL takes no NUL in a text, and a checksum must fit what comes back.
CREATE TABLE palimp.op (
    project   text        NOT NULL,
    replica   text        NOT NULL,
    counter   bigint      NOT NULL CHECK (counter > 0),
    sum       bytea       NOT NULL,
    body      bytea       NOT NULL CHECK (octet_length(body) <= 262144),
    received  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, replica, counter)
);

-- Up to which counter there are operations of each replica, without a hole.
CREATE TABLE palimp.head (
    project  text   NOT NULL,
    replica  text   NOT NULL,
    counter  bigint NOT NULL,
    PRIMARY KEY (project, replica)
);

CREATE TABLE palimp.notice (
    project  text  NOT NULL,
    replica  text  NOT NULL,
    body     bytea NOT NULL CHECK (octet_length(body) <= 65536),
    PRIMARY KEY (project, replica)
);

REVOKE ALL ON ALL TABLES IN SCHEMA palimp FROM PUBLIC;
