/** The statements of files. */
export type FileStatement = 'putFile' | 'getFile' | 'sweepFiles';

/** The statements over the tables of files whose names begin with a prefix, and the parts that those of sessions take. */
export type FileStatements = Record<FileStatement, string> & {
  /** Makes the tables, and what frees a file with the last session that holds it. */
  readonly setup: string;
  /** A session holds the files of a parameter from now on; `session` is a query that gives a row when it does. */
  readonly hold: (session: string, hashes: string) => string;
  /** It lets go of all others that a stored message spoke of. */
  readonly letGo: (session: string, hashes: string) => string;
  /** What was put again for another message waits for that one. */
  readonly waitOn: (session: string, hashes: string) => string;
  /** It lets go of everything where a condition is true. */
  readonly letGoOfAll: (condition: string) => string;
};

/**
 * Files stand once for an owner; beside them which session holds which, with the time since when, as long as no stored
 * message of it speaks of the file, or when it was put again for another message. Who holds a file, and who lets go of one, does so under a lock of its owner that
 * triggers take when the rows are written: what looks whether somebody else holds it sees what all before it have done.
 * Nobody waits for such rows under that lock, and a file is put after the row that holds it. $1 is the owner, $2 the id.
 */
export function fileStatements(prefix: string): FileStatements {
  const files = `${prefix}session_files`;
  const holds = `${prefix}session_holds`;
  const lock = (owner: string): string => `pg_advisory_xact_lock(hashtext('${files}'), hashtext(${owner}))`;
  const functions = `
        CREATE FUNCTION ${prefix}hold_session_files() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM ${lock('owner')} FROM (SELECT DISTINCT owner FROM held ORDER BY owner) AS owners;
          RETURN NULL;
        END $$;
        CREATE FUNCTION ${prefix}free_session_files() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM ${lock('owner')} FROM (SELECT DISTINCT owner FROM gone ORDER BY owner) AS owners;
          DELETE FROM ${files} AS file USING gone
          WHERE file.owner = gone.owner AND file.hash = gone.hash AND NOT EXISTS
            (SELECT FROM ${holds} AS other WHERE other.owner = file.owner AND other.hash = file.hash);
          RETURN NULL;
        END $$;
        CREATE FUNCTION ${prefix}put_session_file(
          whose text, session text, name text, kind text, content bytea) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO ${holds} AS held (owner, hash, id, since) VALUES (whose, name, session, now())
          ON CONFLICT (owner, hash, id) DO UPDATE SET
            since = CASE WHEN held.since IS NULL THEN NULL ELSE now() END,
            again = CASE WHEN held.since IS NULL THEN now() END;
          INSERT INTO ${files} (owner, hash, type, bytes) VALUES (whose, name, kind, content) ON CONFLICT DO NOTHING;
        END $$;`;
  return {
    putFile: `SELECT ${prefix}put_session_file($1, $2, $3, $4, $5)`,
    getFile: `SELECT type, bytes FROM ${files} WHERE owner = $1 AND hash = $2`,
    // What was put more than a day ago and never spoken of was left by a page that died in between.
    sweepFiles: `
      DELETE FROM ${holds} WHERE (owner, hash, id) IN (
        SELECT owner, hash, id FROM ${holds} WHERE since < now() - interval '1 day' FOR UPDATE SKIP LOCKED)`,
    hold: (session, hashes) => `
      INSERT INTO ${holds} AS held (owner, hash, id, since)
      SELECT DISTINCT $1, hash, $2, NULL::timestamptz FROM ${session}, unnest(${hashes}::text[]) AS hash
      ON CONFLICT (owner, hash, id) DO UPDATE SET since = NULL, again = NULL
      WHERE held.since IS NOT NULL OR held.again IS NOT NULL`,
    letGo: (session, hashes) => `
      DELETE FROM ${holds} USING ${session}
      WHERE owner = $1 AND id = $2 AND since IS NULL AND again IS NULL AND hash <> ALL (${hashes}::text[])`,
    waitOn: (session, hashes) => `
      UPDATE ${holds} SET since = again, again = NULL FROM ${session}
      WHERE owner = $1 AND id = $2 AND again IS NOT NULL AND hash <> ALL (${hashes}::text[])`,
    letGoOfAll: (condition) => `
      DELETE FROM ${holds} WHERE owner = $1 AND id = $2 AND ${condition}`,
    // Where they are there, servers that start later touch nothing that others work with.
    setup: `
      DO $setup$ BEGIN IF to_regclass('${holds}') IS NULL THEN
        CREATE TABLE ${files} (
          owner text, hash text, type text NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (owner, hash));
        CREATE TABLE ${holds} (owner text, hash text, id text, since timestamptz, again timestamptz, PRIMARY KEY (owner, hash, id));
        CREATE INDEX ON ${holds} (owner, id);
        CREATE INDEX ON ${holds} (since) WHERE since IS NOT NULL;
        ${functions}
        CREATE TRIGGER held AFTER INSERT ON ${holds} REFERENCING NEW TABLE AS held
          FOR EACH STATEMENT EXECUTE FUNCTION ${prefix}hold_session_files();
        CREATE TRIGGER gone AFTER DELETE ON ${holds} REFERENCING OLD TABLE AS gone
          FOR EACH STATEMENT EXECUTE FUNCTION ${prefix}free_session_files();
      END IF; END $setup$;`,
  };
}
