-- Search in operations: for projects that are not on the machine of somebody who asks. No text stands here twice.
-- A palimp that knows at least that version of the schema goes on: what came later it does not use.
ALTER TABLE palimp.team ADD COLUMN oldest integer NOT NULL DEFAULT 2;

-- What an operation is found by, as numbers that are made with the project, so that an index of them begins with it: the
-- ids of its memories and the words of its texts; of scripts that do not separate words, pairs of characters, too.
-- Nothing but ASCII parts words, whatever the locale.
CREATE FUNCTION palimp.keys_of(of_project text, body bytea) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp COST 20000 AS $$
DECLARE
    said jsonb;
    spoken text;
    keys integer[];
BEGIN
    said := convert_from(body, 'UTF8')::jsonb;  -- not in the declaration: its errors would not be caught
    spoken := lower(concat_ws(' ', said->>'id', said->>'older', said->>'title', said->>'text', said->>'tags'));
    keys := ARRAY(
        SELECT hashtext(of_project || word)
        FROM string_to_table(
            translate(spoken, E'\t\n\x0b\f\r!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~', repeat(' ', 37)), ' ') AS word
        WHERE word <> '' LIMIT 1000);
    IF octet_length(spoken) > length(spoken) THEN
        keys := keys || ARRAY(
            SELECT hashtext(of_project || substr(run.parts[1], at, 2))
            FROM regexp_matches(spoken, '[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{3,}', 'g') AS run (parts),
                 generate_series(1, length(run.parts[1]) - 1) AS at
            LIMIT 1000);
    END IF;
    RETURN keys;
EXCEPTION WHEN data_exception THEN
    RETURN '{}';
END $$;

-- Operations in which words of a text stand, and what was done to their memories. A word that stands in more than 500
-- operations of a project counts only with the others that do, so that no search ranks all that there is.
CREATE FUNCTION palimp.search(of_projects text[], said text, most integer)
RETURNS TABLE (project text, replica text, counter bigint, login name, body bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH wanted AS MATERIALIZED (
        SELECT DISTINCT p.key AS project, w.key
        FROM unnest(of_projects[1:1000]) AS p (key), LATERAL
             unnest(palimp.keys_of(p.key, convert_to(jsonb_build_object('text', said)::text, 'UTF8'))) AS w (key)
        WHERE EXISTS (SELECT FROM palimp.projects_with('reader') r WHERE r IN ('*', p.key))
    ), hit AS MATERIALIZED (
        SELECT w.project, w.key, f.replica, f.counter
        FROM wanted w, LATERAL (
            SELECT o.replica, o.counter FROM palimp.op o
            WHERE o.project = w.project AND palimp.keys_of(o.project, o.body) @> ARRAY[w.key] LIMIT 501
        ) AS f
    ), weight AS MATERIALIZED (
        SELECT h.project, h.key, count(*) AS times FROM hit h GROUP BY h.project, h.key
    ), frequent AS MATERIALIZED (
        SELECT w.project, array_agg(w.key) AS keys, sum(1 / ln(1 + w.times)) AS score
        FROM weight w WHERE w.times > 500 GROUP BY w.project
    ), scored AS (
        SELECT h.project, h.replica, h.counter, 1 / ln(1 + w.times) AS score
        FROM hit h JOIN weight w ON w.project = h.project AND w.key = h.key WHERE w.times <= 500
        UNION ALL
        SELECT q.project, f.replica, f.counter, q.score
        FROM frequent q, LATERAL (
            SELECT o.replica, o.counter FROM palimp.op o
            WHERE o.project = q.project AND palimp.keys_of(o.project, o.body) @> q.keys LIMIT 501
        ) AS f
    ), best AS MATERIALIZED (
        SELECT s.project, s.replica, s.counter, sum(s.score) AS score
        FROM scored s GROUP BY s.project, s.replica, s.counter
        ORDER BY score DESC, s.counter DESC LIMIT least(most, 200)
    ), found AS MATERIALIZED (
        SELECT o.project, o.replica, o.counter, o.body,
               sum(octet_length(o.body)) OVER (ORDER BY b.score DESC, b.counter DESC) AS bytes
        FROM best b JOIN palimp.op o
            ON o.project = b.project AND o.replica = b.replica AND o.counter = b.counter
    ), named AS MATERIALIZED (
        SELECT f.project, array_agg(DISTINCT n.key) AS keys
        FROM found f, LATERAL unnest(palimp.keys_of(f.project, convert_to(jsonb_build_object('id', convert_from(f.body, 'UTF8')::jsonb->>'id')::text, 'UTF8'))) AS n (key)
        WHERE f.bytes <= 4194304 GROUP BY f.project
    ), done AS (
        SELECT f.project, f.replica, f.counter, f.body FROM found f WHERE f.bytes <= 4194304
        UNION
        SELECT n.project, f.replica, f.counter, f.body
        FROM named n, LATERAL (
            SELECT o.replica, o.counter, o.body FROM palimp.op o
            WHERE o.project = n.project AND palimp.keys_of(o.project, o.body) && n.keys
                AND octet_length(o.body) <= 4096 LIMIT 5000
        ) AS f
    )
    SELECT d.project, d.replica, d.counter, CASE WHEN r.login = session_user THEN '' ELSE r.login END, d.body
    FROM done d JOIN palimp.replica r ON r.replica = d.replica
$$;

REVOKE ALL ON FUNCTION palimp.keys_of(text, bytea), palimp.search(text[], text, integer) FROM PUBLIC;
DO $$
DECLARE
    who name;
BEGIN
    FOR who IN SELECT DISTINCT m.login FROM palimp.member m JOIN pg_roles r ON r.rolname = m.login
               WHERE m.revoked_at IS NULL LOOP
        EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA palimp TO %I', who);
    END LOOP;
END $$;

UPDATE palimp.team SET version = 3;
