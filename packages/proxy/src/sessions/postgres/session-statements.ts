import { overhead } from '../session-quota.ts';
import { appendTypes, sessionFunctions, sessionTables } from './session-functions.ts';

/** The statements of sessions and their files. */
export type SessionStatement =
  | 'settings'
  | 'setup'
  | 'heads'
  | 'head'
  | 'pageRows'
  | 'pageRecords'
  | 'rows'
  | 'write'
  | 'append'
  | 'remove'
  | 'putFile'
  | 'getFile'
  | 'staleOwners'
  | 'sweepFiles';

/**
 * The statements over tables with a prefix. Each is one transaction. $1 is the owner, $2 the id. A page ends where the
 * sizes before an entry exceed a budget.
 */
export function sessionStatements(prefix: string): Record<SessionStatement, string> {
  const { sessions, rows, records, files, holds } = sessionTables(prefix);
  const stored = `stored AS (SELECT key, head, records, stamp FROM ${sessions} WHERE owner = $1 AND id = $2)`;
  const sized = (column: string, size: string): string =>
    `sum(octet_length(${size})) OVER (ORDER BY ${column}) - octet_length(${size}) AS before`;
  const page = (column: string): string => `
      SELECT 0 AS kind, stamp AS name, records AS number, head AS text, (SELECT count(*) FROM found) AS count FROM stored
      UNION ALL SELECT 1, ${column}, text, NULL FROM (SELECT *, ${sized('at', 'text')} FROM found) AS sized
      WHERE before < $4`;
  return {
    settings: `SELECT current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys`,
    setup: setupOf(prefix),
    heads: `
      WITH found AS (SELECT id, head, records FROM ${sessions} WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $4)
      SELECT id, head, records, (SELECT count(*) FROM found) AS count
      FROM (SELECT *, ${sized('id', 'head')} FROM found) AS sized WHERE before < $3 ORDER BY id`,
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
      FROM (SELECT *, ${sized('at', 'text')} FROM found) AS sized WHERE before < $4 ORDER BY at`,
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
