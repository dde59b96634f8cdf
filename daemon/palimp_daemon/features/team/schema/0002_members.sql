-- Several people in one team: a login each, with a role in each project. Nobody but the server says whose a replica is.
-- Policies ask for session_user: it is the login, also within functions that run as the owner of the schema.
CREATE TABLE palimp.member (
    project     text        NOT NULL,              -- its key; '*': every project
    login       name        NOT NULL,
    role        text        NOT NULL CHECK (role IN ('reader', 'writer', 'admin')),
    is_made     boolean     NOT NULL,              -- the login was made for the team
    invited_by  name        NOT NULL,
    invited_at  timestamptz NOT NULL DEFAULT now(),
    revoked_at  timestamptz,
    PRIMARY KEY (project, login)
);

-- For all projects: a replica is one person's. Like palimp.team it is small, and would stand on every node.
CREATE TABLE palimp.replica (
    replica  text        PRIMARY KEY CHECK (replica ~ '^[0-9a-f]{16}$'),
    login    name        NOT NULL,
    since    timestamptz NOT NULL DEFAULT now()
);

-- Changes of membership and cleared texts, for admins.
CREATE TABLE palimp.audit (
    project  text        NOT NULL,
    number   bigint      GENERATED ALWAYS AS IDENTITY,
    at       timestamptz NOT NULL DEFAULT now(),
    login    name        NOT NULL,
    did      text        NOT NULL,
    whom     text        NOT NULL,
    PRIMARY KEY (project, number)
);

INSERT INTO palimp.member (project, login, role, is_made, invited_by)
    VALUES ('*', session_user, 'admin', false, session_user);
INSERT INTO palimp.replica (replica, login) SELECT DISTINCT replica, session_user FROM palimp.head;

-- The projects in which the caller has that role, or a higher one; '*' stands for all.
CREATE FUNCTION palimp.projects_with(wanted text) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.project FROM palimp.member m
    WHERE m.login = session_user AND m.revoked_at IS NULL
      AND array_position(ARRAY['reader', 'writer', 'admin'], m.role)
          >= array_position(ARRAY['reader', 'writer', 'admin'], wanted)
$$;

CREATE FUNCTION palimp.is_own(wanted text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM palimp.replica r WHERE r.replica = wanted AND r.login = session_user)
$$;

CREATE FUNCTION palimp.require_role(of_project text, wanted text) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM palimp.projects_with(wanted) p WHERE p IN ('*', of_project)) THEN
        RAISE EXCEPTION 'only one with the role % may do that', wanted USING ERRCODE = 'insufficient_privilege';
    END IF;
END $$;

-- Make the caller the owner of a replica that nobody has; return whose it is.
CREATE FUNCTION palimp.claim(wanted text) RETURNS name
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM palimp.projects_with('reader')) THEN
        RAISE EXCEPTION 'only a member may do that' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT EXISTS (SELECT FROM palimp.replica r WHERE r.replica = wanted) THEN
        IF (SELECT count(*) FROM palimp.replica r WHERE r.login = session_user) >= 200 THEN
            RAISE EXCEPTION '200 machines of one member are the most' USING ERRCODE = 'insufficient_privilege';
        END IF;
        INSERT INTO palimp.replica (replica, login) VALUES (wanted, session_user) ON CONFLICT DO NOTHING;
    END IF;
    RETURN (SELECT r.login FROM palimp.replica r WHERE r.replica = wanted);
END $$;

-- Keep palimp.head: up to which counter there is no hole. One that would leave a hole is refused.
CREATE FUNCTION palimp.advance() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    each record;
    former bigint;
    present bigint;
BEGIN
    FOR each IN SELECT project, replica, max(counter) AS last FROM added GROUP BY project, replica LOOP
        INSERT INTO palimp.head (project, replica, counter) VALUES (each.project, each.replica, 0)
            ON CONFLICT (project, replica) DO NOTHING;
        SELECT h.counter INTO former FROM palimp.head h
            WHERE h.project = each.project AND h.replica = each.replica FOR UPDATE;
        IF each.last > former THEN
            SELECT count(*) INTO present FROM palimp.op o
                WHERE o.project = each.project AND o.replica = each.replica
                  AND o.counter > former AND o.counter <= each.last;
            IF present <> each.last - former THEN
                RAISE EXCEPTION 'an operation is missing before number %', each.last
                    USING ERRCODE = 'check_violation';
            END IF;
            UPDATE palimp.head h SET counter = each.last WHERE h.project = each.project AND h.replica = each.replica;
        END IF;
        PERFORM pg_notify('palimp', each.project);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER advance AFTER INSERT ON palimp.op REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION palimp.advance();

-- Tell whether a body says of that operation that its text is gone, and nothing else. As its reader does, this takes the
-- last of two values with one name.
CREATE FUNCTION palimp.is_cleared(of_project text, of_replica text, of_counter bigint, body bytea) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    said jsonb := convert_from(body, 'UTF8')::jsonb;
BEGIN
    RETURN octet_length(body) <= 1024 AND jsonb_typeof(said) = 'object' AND said->>'kind' = 'cleared'
        AND said->>'project' = of_project AND said->>'replica' = of_replica AND said->>'counter' = of_counter::text
        AND said - ARRAY['version', 'project', 'replica', 'counter', 'stamp', 'kind', 'id'] = '{}';
END $$;

-- Take the texts out of operations of a replica of the caller's.
CREATE FUNCTION palimp.clear_ops(of_project text, of_replica text, counters bigint[], sums bytea[], bodies bytea[])
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed integer;
BEGIN
    PERFORM palimp.require_role(of_project, 'writer');
    IF NOT palimp.is_own(of_replica) OR EXISTS (
        SELECT FROM unnest(counters, bodies) AS n (counter, body)
        WHERE palimp.is_cleared(of_project, of_replica, n.counter, n.body) IS NOT true
    ) THEN
        RAISE EXCEPTION 'an operation may only be cleared' USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE palimp.op o SET body = n.body, sum = n.sum
        FROM unnest(counters, sums, bodies) AS n (counter, sum, body)
        WHERE o.project = of_project AND o.replica = of_replica AND o.counter = n.counter;
    GET DIAGNOSTICS changed = ROW_COUNT;
    INSERT INTO palimp.audit (project, login, did, whom)
        VALUES (of_project, session_user, format('cleared %s operations', changed), of_replica);
    RETURN changed;
END $$;

-- Tell whether a role is used in another database of this server, where other people may have made it.
CREATE FUNCTION palimp.is_used_elsewhere(who name) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
        WHERE r.rolname = who AND d.refclassid = 'pg_authid'::regclass
          AND d.dbid NOT IN (0, (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())))
$$;

-- Let a login in, which is made if there is none. The verifier is of its password, which never comes here. One that was
-- shut out gets another password only from an admin of all projects: a role is the whole server's.
CREATE FUNCTION palimp.add_member(who name, verifier text, of_project text, wanted text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_new boolean := NOT EXISTS (SELECT FROM pg_roles WHERE rolname = who);
    was_made boolean := EXISTS (SELECT FROM palimp.member m WHERE m.login = who AND m.is_made);
    was_in boolean := EXISTS (SELECT FROM palimp.member m WHERE m.login = who AND m.revoked_at IS NULL);
    has_new_password boolean := is_new OR (was_made AND NOT was_in);
BEGIN
    PERFORM palimp.require_role(of_project, 'admin');
    IF who = current_user THEN
        RAISE EXCEPTION 'the owner of the schema is an admin already' USING ERRCODE = 'duplicate_object';
    END IF;
    IF has_new_password AND NOT is_new THEN
        PERFORM palimp.require_role('*', 'admin');
        has_new_password := NOT palimp.is_used_elsewhere(who);
    END IF;
    IF has_new_password THEN
        IF verifier !~ '^SCRAM-SHA-256[$]' THEN
            RAISE EXCEPTION 'the password must come as a SCRAM verifier' USING ERRCODE = 'invalid_password';
        END IF;
        EXECUTE format(CASE WHEN is_new THEN 'CREATE' ELSE 'ALTER' END || ' ROLE %I LOGIN PASSWORD %L', who, verifier);
    END IF;
    INSERT INTO palimp.member AS m (project, login, role, is_made, invited_by)
        VALUES (of_project, who, wanted, is_new OR was_made, session_user)
        ON CONFLICT (project, login) DO UPDATE SET role = excluded.role, invited_by = excluded.invited_by,
            invited_at = now(), revoked_at = NULL
        WHERE m.project = of_project;
    IF NOT has_database_privilege(who, current_database(), 'CONNECT') THEN
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), who);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA palimp TO %I', who);
    EXECUTE format('GRANT SELECT ON palimp.team, palimp.member, palimp.replica, palimp.op, palimp.head, palimp.notice,'
                   ' palimp.audit TO %I', who);
    EXECUTE format('GRANT INSERT (project, replica, counter, sum, body) ON palimp.op TO %I', who);
    EXECUTE format('GRANT INSERT, UPDATE (body) ON palimp.notice TO %I', who);
    EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA palimp TO %I', who);
    INSERT INTO palimp.audit (project, login, did, whom) VALUES (of_project, session_user, 'added a ' || wanted, who);
    RETURN has_new_password;
END $$;

-- Let a login read and write nothing more: in one project, or in all ('*').
CREATE FUNCTION palimp.remove_member(who name, of_project text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was_made boolean := EXISTS (SELECT FROM palimp.member m WHERE m.login = who AND m.is_made);
BEGIN
    PERFORM palimp.require_role(of_project, 'admin');
    IF who = current_user THEN
        RAISE EXCEPTION 'the owner of the schema cannot be removed' USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE palimp.member m SET revoked_at = now()
        WHERE m.project = CASE WHEN of_project = '*' THEN m.project ELSE of_project END
          AND m.login = who AND m.revoked_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is no member', who USING ERRCODE = 'undefined_object';
    END IF;
    INSERT INTO palimp.audit (project, login, did, whom) VALUES (of_project, session_user, 'removed', who);
    IF EXISTS (SELECT FROM palimp.member m WHERE m.login = who AND m.revoked_at IS NULL) THEN
        RETURN;
    END IF;
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA palimp FROM %I', who);
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA palimp FROM %I', who);
    EXECUTE format('REVOKE ALL ON SCHEMA palimp FROM %I', who);
    IF was_made AND NOT palimp.is_used_elsewhere(who) THEN
        EXECUTE format('ALTER ROLE %I NOLOGIN', who);
    END IF;
    BEGIN
        PERFORM pg_terminate_backend(a.pid) FROM pg_stat_activity a
            WHERE a.usename = who AND a.datname = current_database();
    EXCEPTION WHEN insufficient_privilege THEN
        NULL;  -- what is connected reads nothing more, as it is no member
    END;
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA palimp FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA palimp FROM PUBLIC;

ALTER TABLE palimp.team ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE palimp.member ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE palimp.replica ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE palimp.audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE palimp.op ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE palimp.head ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE palimp.notice ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- The owner of the schema, as which the functions above run.
CREATE POLICY of_owner ON palimp.team TO CURRENT_USER USING (true);
CREATE POLICY of_owner ON palimp.member TO CURRENT_USER USING (true);
CREATE POLICY of_owner ON palimp.replica TO CURRENT_USER USING (true);
CREATE POLICY of_owner ON palimp.audit TO CURRENT_USER USING (true);
CREATE POLICY of_owner ON palimp.op TO CURRENT_USER USING (true);
CREATE POLICY of_owner ON palimp.head TO CURRENT_USER USING (true);

-- Everybody else. A list that does not depend on the row is read once for each statement.
CREATE POLICY of_members ON palimp.team FOR SELECT USING (EXISTS (SELECT palimp.projects_with('reader')));
CREATE POLICY of_members ON palimp.replica FOR SELECT USING (EXISTS (SELECT palimp.projects_with('reader')));
CREATE POLICY of_members ON palimp.member FOR SELECT USING (
    EXISTS (SELECT palimp.projects_with('reader')) AND (
        project = '*' OR '*' IN (SELECT palimp.projects_with('reader'))
        OR project IN (SELECT palimp.projects_with('reader'))));
CREATE POLICY of_admins ON palimp.audit FOR SELECT USING (
    '*' IN (SELECT palimp.projects_with('admin')) OR project IN (SELECT palimp.projects_with('admin')));
CREATE POLICY of_readers ON palimp.op FOR SELECT USING (
    '*' IN (SELECT palimp.projects_with('reader')) OR project IN (SELECT palimp.projects_with('reader')));
CREATE POLICY of_writers ON palimp.op FOR INSERT WITH CHECK (
    ('*' IN (SELECT palimp.projects_with('writer')) OR project IN (SELECT palimp.projects_with('writer')))
    AND palimp.is_own(replica));
CREATE POLICY of_readers ON palimp.head FOR SELECT USING (
    '*' IN (SELECT palimp.projects_with('reader')) OR project IN (SELECT palimp.projects_with('reader')));
CREATE POLICY of_readers ON palimp.notice FOR SELECT USING (
    '*' IN (SELECT palimp.projects_with('reader')) OR project IN (SELECT palimp.projects_with('reader')));
CREATE POLICY of_own ON palimp.notice FOR INSERT WITH CHECK (
    ('*' IN (SELECT palimp.projects_with('reader')) OR project IN (SELECT palimp.projects_with('reader')))
    AND palimp.is_own(replica));
CREATE POLICY of_own_again ON palimp.notice FOR UPDATE USING (
    ('*' IN (SELECT palimp.projects_with('reader')) OR project IN (SELECT palimp.projects_with('reader')))
    AND palimp.is_own(replica));

UPDATE palimp.team SET version = 2;
