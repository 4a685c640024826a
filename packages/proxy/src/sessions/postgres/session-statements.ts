import { type FileStatement, fileStatements } from './file-statements.ts';

/** The statements of sessions and their files. */
export type SessionStatement =
  | FileStatement
  | 'settings'
  | 'setup'
  | 'heads'
  | 'head'
  | 'read'
  | 'rows'
  | 'create'
  | 'replace'
  | 'append'
  | 'remove';

/**
 * The statements over tables whose names begin with a prefix. Each is one change and whole. The row of the session is
 * compared and locked first: who waited for another writer compares again with what that one has left. $1 is the
 * owner, $2 the id.
 */
export function sessionStatements(prefix: string): Record<SessionStatement, string> {
  const sessions = `${prefix}sessions`;
  const rows = `${prefix}session_rows`;
  const records = `${prefix}session_records`;
  const { setup, hold, letGo, waitOn, letGoOfAll, ...ofFiles } = fileStatements(prefix);
  const one = 'owner = $1 AND id = $2';
  const put = `put AS (
      INSERT INTO ${rows} (session, name, text)
      SELECT key, row.name, row.text FROM stored, unnest($4::text[], $5::text[]) AS row (name, text)
      ON CONFLICT (session, name) DO UPDATE SET text = excluded.text
    ), held AS (${hold('stored', '$6')}
    ), gone AS (${letGo('stored', '$6')}
    ), waiting AS (${waitOn('stored', '$6')}
    )
    SELECT key FROM stored`;
  return {
    ...ofFiles,
    settings: `SELECT current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys`,
    setup: `
      SELECT pg_advisory_xact_lock(hashtext('${sessions}'));
      CREATE TABLE IF NOT EXISTS ${sessions} (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, id text NOT NULL, head text NOT NULL,
        records int NOT NULL, UNIQUE (owner, id));
      CREATE TABLE IF NOT EXISTS ${rows} (
        session bigint REFERENCES ${sessions} ON DELETE CASCADE, name text, text text NOT NULL,
        PRIMARY KEY (session, name));
      CREATE TABLE IF NOT EXISTS ${records} (
        session bigint REFERENCES ${sessions} ON DELETE CASCADE, number int, text text NOT NULL,
        PRIMARY KEY (session, number));
      ${setup}`,
    heads: `SELECT id, head, records FROM ${sessions} WHERE owner = $1`,
    head: `SELECT head, records FROM ${sessions} WHERE ${one}`,
    read: `
      WITH stored AS (SELECT key, head, records FROM ${sessions} WHERE ${one})
      SELECT 0 AS kind, NULL AS name, records AS number, head AS text FROM stored
      UNION ALL SELECT 1, name, NULL, text FROM ${rows}, stored WHERE session = key AND name NOT LIKE 'run.%'
      UNION ALL SELECT 2, NULL, number, text FROM ${records}, stored WHERE session = key
      ORDER BY kind, number`,
    rows: `SELECT name, text FROM ${rows} JOIN ${sessions} ON session = key WHERE ${one} AND name = ANY($3::text[])`,
    create: `
      WITH stored AS (
        INSERT INTO ${sessions} (owner, id, head, records) VALUES ($1, $2, $3, 0)
        ON CONFLICT (owner, id) DO NOTHING RETURNING key
      ), ${put}`,
    replace: `
      WITH stored AS (
        UPDATE ${sessions} SET head = $3, records = 0 WHERE ${one} AND head = $7 AND records = $8 RETURNING key
      ), behind AS (
        DELETE FROM ${records} USING stored WHERE session = key
      ), dropped AS (
        DELETE FROM ${rows} USING stored
        WHERE session = key AND ($9::text[] IS NULL OR name = ANY($9)) AND name <> ALL($4)
      ), ${put}`,
    append: `
      WITH stored AS (
        UPDATE ${sessions} SET head = coalesce($3, head), records = records + ($4::text IS NOT NULL)::int
        WHERE ${one} AND head = $5 AND records = $6 RETURNING key
      ), behind AS (
        INSERT INTO ${records} (session, number, text) SELECT key, $6, $4 FROM stored WHERE $4 IS NOT NULL
      ), held AS (${hold('stored', '$7')}
      )
      SELECT key FROM stored`,
    remove: `
      WITH removed AS (
        DELETE FROM ${sessions} WHERE ${one} AND ($3::text IS NULL OR (head = $3 AND records = $4)) RETURNING key
      ), gone AS (${letGoOfAll('($3::text IS NULL OR EXISTS (SELECT FROM removed))')}
      )
      SELECT key FROM removed`,
  };
}
