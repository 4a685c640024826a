import { overhead } from './row-pages.ts';

export type SessionStatement = keyof ReturnType<typeof sessionStatements>;

/** The statements over tables with a prefix, each a transaction. $1 is the owner, $2 the id. */
export function sessionStatements(prefix: string) {
  const { sessions, rows, records, files, holds } = sessionTables(prefix);
  const stored = `stored AS (SELECT key, head, records, stamp FROM ${sessions} WHERE owner = $1 AND id = $2)`;
  const sizeBefore = (column: string, size: string): string =>
    `sum(octet_length(${size})) OVER (ORDER BY ${column}) - octet_length(${size}) AS before`;
  const page = (column: string): string => `
      SELECT 0 AS kind, stamp AS name, records AS number, head AS text, (SELECT count(*) FROM found) AS count FROM stored
      UNION ALL SELECT 1, ${column}, text, NULL FROM (SELECT *, ${sizeBefore('at', 'text')} FROM found) AS sized
      WHERE before < $4`;
  return {
    settings: `SELECT current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys`,
    setup: setupOf(prefix),
    heads: `
      WITH found AS (SELECT id, head, records FROM ${sessions} WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $4)
      SELECT id, head, records, (SELECT count(*) FROM found) AS count
      FROM (SELECT *, ${sizeBefore('id', 'head')} FROM found) AS sized WHERE before < $3 ORDER BY id`,
    head: `SELECT head, records FROM ${sessions} WHERE owner = $1 AND id = $2`,
    // Archived rows are read by name only.
    pageRows: `
      WITH ${stored}, found AS (
        SELECT name AS at, text FROM ${rows}, stored
        WHERE session = key AND name > $3 AND left(name, 4) <> 'run.' ORDER BY name LIMIT $5
      ) ${page('at, NULL')} ORDER BY kind, name`,
    pageRecords: `
      WITH ${stored}, found AS (
        SELECT number AS at, text FROM ${records}, stored
        WHERE session = key AND number >= $3 AND number < $6 ORDER BY number LIMIT $5
      ) ${page('NULL, at')} ORDER BY kind, number`,
    rows: `
      WITH found AS (
        SELECT at, row.name, text FROM unnest($3::text[]) WITH ORDINALITY AS wanted (name, at)
        JOIN ${rows} AS row ON row.name = wanted.name JOIN ${sessions} ON session = key
        WHERE owner = $1 AND id = $2
      ) SELECT at, name, text, (SELECT count(*) FROM found) AS count
      FROM (SELECT *, ${sizeBefore('at', 'text')} FROM found) AS sized WHERE before < $4 ORDER BY at`,
    write: `SELECT ${prefix}write_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS done`,
    append: `SELECT ${prefix}append_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS done`,
    remove: `SELECT ${prefix}remove_session($1, $2, $3, $4) AS done`,
    putFile: `SELECT ${prefix}put_session_file($1, $2, $3, $4, $5, $6)`,
    getFile: `SELECT type, bytes FROM ${files} WHERE owner = $1 AND hash = $2`,
    // A file that is a day old and unused was left by a page that died after the upload.
    staleOwners: `SELECT DISTINCT owner FROM ${holds} WHERE since < now() - interval '1 day' LIMIT 100`,
    sweepFiles: `SELECT ${prefix}sweep_session_files($1)`,
  };
}

/** Creates the tables and upgrades older ones. When all exist, servers that start later lock nothing. */
function setupOf(prefix: string): string {
  const { sessions, rows, records, files, holds, usage } = sessionTables(prefix);
  const size = `octet_length(text) + ${overhead.row}`;
  return `
      SELECT pg_advisory_xact_lock(hashtext('${sessions}'));
      DO $setup$ BEGIN IF to_regclass('${usage}') IS NULL THEN
        CREATE TABLE IF NOT EXISTS ${sessions} (
          key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, id text NOT NULL, head text NOT NULL,
          records int NOT NULL, UNIQUE (owner, id));
        CREATE TABLE IF NOT EXISTS ${rows} (
          session bigint REFERENCES ${sessions} ON DELETE CASCADE, name text, text text NOT NULL,
          PRIMARY KEY (session, name));
        CREATE TABLE IF NOT EXISTS ${records} (
          session bigint REFERENCES ${sessions} ON DELETE CASCADE, number int, text text NOT NULL,
          PRIMARY KEY (session, number));
        CREATE TABLE IF NOT EXISTS ${files} (
          owner text, hash text, type text NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (owner, hash));
        CREATE TABLE IF NOT EXISTS ${holds} (
          owner text, hash text, id text, since timestamptz, again timestamptz, PRIMARY KEY (owner, hash, id));
        CREATE INDEX IF NOT EXISTS ${prefix}session_holds_of ON ${holds} (owner, id);
        CREATE INDEX IF NOT EXISTS ${prefix}session_holds_waiting ON ${holds} (since) WHERE since IS NOT NULL;
        ALTER TABLE ${sessions} ADD COLUMN bytes bigint NOT NULL DEFAULT 0, ADD COLUMN stamp text NOT NULL DEFAULT '';
        CREATE TABLE ${usage} (owner text PRIMARY KEY, sessions bigint NOT NULL, bytes bigint NOT NULL);
        UPDATE ${sessions} SET bytes = octet_length(head) + ${overhead.head}
          + coalesce((SELECT sum(${size}) FROM ${rows} WHERE session = key), 0)
          + coalesce((SELECT sum(${size}) FROM ${records} WHERE session = key), 0);
        INSERT INTO ${usage} (owner, sessions, bytes) SELECT owner, sum(filled), sum(size) FROM (
          SELECT owner, EXISTS (SELECT FROM ${rows} WHERE session = key)::int AS filled, bytes AS size FROM ${sessions}
          UNION ALL SELECT owner, 0, octet_length(bytes) + ${overhead.file} FROM ${files}) AS kept GROUP BY owner;
        DROP TRIGGER IF EXISTS held ON ${holds};
        DROP TRIGGER IF EXISTS gone ON ${holds};
        DROP FUNCTION IF EXISTS ${prefix}hold_session_files();
        ${sessionFunctions(prefix)}
        CREATE TRIGGER gone AFTER DELETE ON ${holds} REFERENCING OLD TABLE AS gone
          FOR EACH STATEMENT EXECUTE FUNCTION ${prefix}free_session_files();
      ELSIF to_regprocedure('${prefix}append_session(${appendTypes})') IS NULL THEN
        ${sessionFunctions(prefix)}
      END IF; END $setup$;`;
}

function sessionTables(prefix: string) {
  return {
    sessions: `${prefix}sessions`,
    rows: `${prefix}session_rows`,
    records: `${prefix}session_records`,
    files: `${prefix}session_files`,
    holds: `${prefix}session_holds`,
    usage: `${prefix}session_usage`,
  };
}

/** Error codes that PostgreSQL raises when an owner exceeds a limit. */
export const quotaCodes = { VT001: 'sessions', VT002: 'bytes' } as const;

/**
 * The functions that write. Each locks its owner in `usage` first, so that the writes of one owner see each other's
 * counts and never deadlock. One that raises has written nothing.
 */
function sessionFunctions(prefix: string): string {
  const parts = [usageFunctions, writeFunction, appendFunction, removeFunction, fileFunctions];
  return parts.map((part) => part(prefix)).join('');
}

function usageFunctions(prefix: string): string {
  const { rows, usage } = sessionTables(prefix);
  return `
    CREATE OR REPLACE FUNCTION ${prefix}lock_session_owner(whose text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO ${usage} (owner, sessions, bytes) VALUES (whose, 0, 0) ON CONFLICT DO NOTHING;
      PERFORM 1 FROM ${usage} WHERE owner = whose FOR UPDATE;
    END $$;
    CREATE OR REPLACE FUNCTION ${prefix}count_of_session(stored bigint, session_id text) RETURNS int LANGUAGE sql AS $$
      SELECT (left(session_id, 1) <> '-' AND EXISTS (SELECT FROM ${rows} WHERE session = stored))::int
    $$;
    CREATE OR REPLACE FUNCTION ${prefix}count_session_usage(
      whose text, more_sessions bigint, more_bytes bigint, most_sessions bigint, most_bytes bigint
    ) RETURNS void LANGUAGE plpgsql AS $$ DECLARE found ${usage}; BEGIN
      UPDATE ${usage} SET sessions = greatest(0, sessions + more_sessions), bytes = greatest(0, bytes + more_bytes)
      WHERE owner = whose RETURNING * INTO found;
      IF more_sessions > 0 AND found.sessions > most_sessions THEN
        RAISE EXCEPTION 'the owner may keep no more sessions' USING ERRCODE = 'VT001';
      END IF;
      IF more_bytes > 0 AND found.bytes > most_bytes THEN
        RAISE EXCEPTION 'the owner may keep no more bytes' USING ERRCODE = 'VT002';
      END IF;
    END $$;`;
}

function writeFunction(prefix: string): string {
  const { sessions, rows, records } = sessionTables(prefix);
  const size = `octet_length(text) + ${overhead.row}`;
  return `
    CREATE OR REPLACE FUNCTION ${prefix}write_session(
      whose text, session_id text, new_head text, names text[], texts text[], hashes text[], old_head text,
      old_records int, dropped text[], most_sessions bigint, most_bytes bigint
    ) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE found ${sessions}; grown bigint; part bigint; was_session int := 0; is_session int; BEGIN
      PERFORM ${prefix}lock_session_owner(whose);
      IF old_head IS NULL THEN
        INSERT INTO ${sessions} (owner, id, head, records) VALUES (whose, session_id, new_head, 0)
        ON CONFLICT (owner, id) DO NOTHING RETURNING * INTO found;
        IF found.key IS NULL THEN RETURN false; END IF;
        grown := octet_length(new_head) + ${overhead.head};
      ELSE
        SELECT * INTO found FROM ${sessions}
        WHERE owner = whose AND id = session_id AND head = old_head AND records = old_records FOR UPDATE;
        IF found.key IS NULL THEN RETURN false; END IF;
        was_session := ${prefix}count_of_session(found.key, session_id);
        grown := octet_length(new_head) - octet_length(old_head);
        WITH gone AS (DELETE FROM ${records} WHERE session = found.key RETURNING ${size} AS size)
        SELECT coalesce(sum(gone.size), 0) INTO part FROM gone;
        grown := grown - part;
        IF dropped IS NULL THEN
          WITH gone AS (DELETE FROM ${rows} WHERE session = found.key RETURNING ${size} AS size)
          SELECT coalesce(sum(gone.size), 0) INTO part FROM gone;
        ELSE
          WITH gone AS (
            DELETE FROM ${rows} USING (SELECT unnest(dropped) AS name UNION SELECT unnest(names)) AS wanted
            WHERE session = found.key AND ${rows}.name = wanted.name RETURNING ${size} AS size)
          SELECT coalesce(sum(gone.size), 0) INTO part FROM gone;
        END IF;
        grown := grown - part;
      END IF;
      WITH come AS (
        INSERT INTO ${rows} (session, name, text) SELECT found.key, row.name, row.text
        FROM unnest(names, texts) AS row (name, text) RETURNING ${size} AS size)
      SELECT coalesce(sum(come.size), 0) INTO part FROM come;
      grown := grown + part;
      UPDATE ${sessions} SET head = new_head, records = 0, bytes = bytes + grown, stamp = gen_random_uuid()::text
      WHERE key = found.key;
      is_session := ${prefix}count_of_session(found.key, session_id);
      PERFORM ${prefix}count_session_usage(whose, is_session - was_session, grown, most_sessions, most_bytes);
      PERFORM ${prefix}hold_session_files(whose, session_id, hashes, true);
      RETURN true;
    END $$;`;
}

/** The types of what `append_session` takes: a database whose function takes less is an older one. */
const appendTypes = 'text, text, text, text, text, int, text[], bigint, text[], text[], text[], bigint';

function appendFunction(prefix: string): string {
  const { sessions, rows, records } = sessionTables(prefix);
  const size = `octet_length(text) + ${overhead.row}`;
  return `
    DROP FUNCTION IF EXISTS ${prefix}append_session(text, text, text, text, text, int, text[], bigint);
    CREATE OR REPLACE FUNCTION ${prefix}append_session(
      whose text, session_id text, new_head text, record text, old_head text, old_records int, hashes text[],
      most_bytes bigint, names text[], texts text[], dropped text[], most_sessions bigint
    ) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE found bigint; grown bigint; part bigint; was_session int; BEGIN
      PERFORM ${prefix}lock_session_owner(whose);
      grown := coalesce(octet_length(new_head) - octet_length(old_head), 0)
        + coalesce(octet_length(record) + ${overhead.row}, 0);
      UPDATE ${sessions} SET head = coalesce(new_head, head), records = records + (record IS NOT NULL)::int
      WHERE owner = whose AND id = session_id AND head = old_head AND records = old_records RETURNING key INTO found;
      IF found IS NULL THEN RETURN false; END IF;
      IF record IS NOT NULL THEN
        INSERT INTO ${records} (session, number, text) VALUES (found, old_records, record);
      END IF;
      was_session := ${prefix}count_of_session(found, session_id);
      WITH gone AS (
        DELETE FROM ${rows} WHERE session = found AND name = ANY (dropped || names) RETURNING ${size} AS size)
      SELECT coalesce(sum(gone.size), 0) INTO part FROM gone;
      grown := grown - part;
      WITH come AS (
        INSERT INTO ${rows} (session, name, text) SELECT found, row.name, row.text
        FROM unnest(names, texts) AS row (name, text) RETURNING ${size} AS size)
      SELECT coalesce(sum(come.size), 0) INTO part FROM come;
      grown := grown + part;
      -- Whoever reads it in pages would find rows of two heads.
      UPDATE ${sessions} SET bytes = bytes + grown,
        stamp = CASE WHEN cardinality(names || dropped) = 0 THEN stamp ELSE gen_random_uuid()::text END
      WHERE key = found;
      PERFORM ${prefix}count_session_usage(
        whose, ${prefix}count_of_session(found, session_id) - was_session, grown, most_sessions, most_bytes);
      PERFORM ${prefix}hold_session_files(whose, session_id, hashes, false);
      RETURN true;
    END $$;`;
}

function removeFunction(prefix: string): string {
  const { sessions, holds } = sessionTables(prefix);
  return `
    CREATE OR REPLACE FUNCTION ${prefix}remove_session(
      whose text, session_id text, old_head text, old_records int
    ) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE found ${sessions}; was_session int; BEGIN
      PERFORM ${prefix}lock_session_owner(whose);
      SELECT * INTO found FROM ${sessions} WHERE owner = whose AND id = session_id
        AND (old_head IS NULL OR (head = old_head AND records = old_records)) FOR UPDATE;
      IF found.key IS NULL AND old_head IS NOT NULL THEN RETURN false; END IF;
      IF found.key IS NOT NULL THEN
        was_session := ${prefix}count_of_session(found.key, session_id);
        DELETE FROM ${sessions} WHERE key = found.key;
        PERFORM ${prefix}count_session_usage(whose, -was_session, -found.bytes, NULL, NULL);
      END IF;
      DELETE FROM ${holds} WHERE owner = whose AND id = session_id;
      RETURN true;
    END $$;`;
}

function fileFunctions(prefix: string): string {
  const { files, holds, usage } = sessionTables(prefix);
  return `
    CREATE OR REPLACE FUNCTION ${prefix}hold_session_files(
      whose text, session_id text, hashes text[], only_these boolean
    ) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
      IF hashes IS NULL THEN
        DELETE FROM ${holds} WHERE owner = whose AND id = session_id;
        RETURN;
      END IF;
      INSERT INTO ${holds} AS held (owner, hash, id, since)
      SELECT DISTINCT whose, hash, session_id, NULL::timestamptz FROM unnest(hashes) AS hash
      ON CONFLICT (owner, hash, id) DO UPDATE SET since = NULL, again = NULL
      WHERE held.since IS NOT NULL OR held.again IS NOT NULL;
      IF NOT only_these THEN RETURN; END IF;
      DELETE FROM ${holds} WHERE owner = whose AND id = session_id AND since IS NULL AND again IS NULL
        AND hash <> ALL (hashes);
      UPDATE ${holds} SET since = again, again = NULL
      WHERE owner = whose AND id = session_id AND again IS NOT NULL AND hash <> ALL (hashes);
    END $$;
    CREATE OR REPLACE FUNCTION ${prefix}free_session_files() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      WITH freed AS (
        DELETE FROM ${files} AS file USING (SELECT DISTINCT owner, hash FROM gone) AS gone
        WHERE file.owner = gone.owner AND file.hash = gone.hash AND NOT EXISTS
          (SELECT FROM ${holds} AS other WHERE other.owner = file.owner AND other.hash = file.hash)
        RETURNING file.owner, octet_length(file.bytes) + ${overhead.file} AS size
      ), sums AS (SELECT owner, sum(size) AS size FROM freed GROUP BY owner)
      UPDATE ${usage} AS used SET bytes = greatest(0, used.bytes - sums.size) FROM sums
      WHERE used.owner = sums.owner;
      RETURN NULL;
    END $$;
    DROP FUNCTION IF EXISTS ${prefix}put_session_file(text, text, text, text, bytea);
    CREATE OR REPLACE FUNCTION ${prefix}put_session_file(
      whose text, session_id text, name text, kind text, content bytea, most_bytes bigint
    ) RETURNS void LANGUAGE plpgsql AS $$ DECLARE is_new int; BEGIN
      PERFORM ${prefix}lock_session_owner(whose);
      INSERT INTO ${holds} AS held (owner, hash, id, since) VALUES (whose, name, session_id, now())
      ON CONFLICT (owner, hash, id) DO UPDATE SET
        since = CASE WHEN held.since IS NULL THEN NULL ELSE now() END,
        again = CASE WHEN held.since IS NULL THEN now() END;
      INSERT INTO ${files} (owner, hash, type, bytes) VALUES (whose, name, kind, content) ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS is_new = ROW_COUNT;
      PERFORM ${prefix}count_session_usage(
        whose, 0, is_new * (octet_length(content) + ${overhead.file}), NULL, most_bytes);
    END $$;
    CREATE OR REPLACE FUNCTION ${prefix}sweep_session_files(whose text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
      PERFORM ${prefix}lock_session_owner(whose);
      DELETE FROM ${holds} WHERE owner = whose AND since < now() - interval '1 day';
    END $$;`;
}
