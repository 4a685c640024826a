/**
 * The tables, by the version that brought them: a file of an older one gets those that it lacks. Bytes of files stand
 * once for an owner; beside them which session holds which, with the time since when (in milliseconds), as long as no
 * stored message of it speaks of the file, or when it was put again for another message.
 */
const versions = [
  `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, owner TEXT NOT NULL, id TEXT NOT NULL, head TEXT NOT NULL, records INTEGER NOT NULL,
    UNIQUE (owner, id)) STRICT;
  CREATE TABLE rows (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, name TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (session, name)) STRICT;
  CREATE TABLE records (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (session, number)) STRICT;`,
  `
  CREATE TABLE files (
    owner TEXT NOT NULL, hash TEXT NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (owner, hash)) STRICT;
  CREATE TABLE holds (
    owner TEXT NOT NULL, hash TEXT NOT NULL, id TEXT NOT NULL, since INTEGER,
    PRIMARY KEY (owner, hash, id)) STRICT;
  CREATE INDEX holds_of_session ON holds (owner, id);
  CREATE INDEX waiting_holds ON holds (since) WHERE since IS NOT NULL;`,
  `ALTER TABLE holds ADD COLUMN again INTEGER;`,
];

export const sqliteTablesVersion = versions.length;

/** What makes the tables of today out of those of a version; 0 for a file without any. */
export function tablesSince(version: number): string {
  return versions.slice(version).join('');
}
