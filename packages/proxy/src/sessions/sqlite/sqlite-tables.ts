/**
 * The tables, by the version that introduced them; an older file gets the missing ones. Bytes of a file are stored once
 * for an owner. Beside them is the list of sessions that hold it. A hold has a time in milliseconds while no stored
 * message of the session mentions the file, or when the file was uploaded again for another message. A session has its
 * size, and the stamp of its last whole write; `usage` has the sums of each owner.
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
  `
  ALTER TABLE sessions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET bytes = length(CAST(head AS BLOB)) + 1024
    + coalesce((SELECT sum(length(CAST(text AS BLOB)) + 256) FROM rows WHERE session = key), 0)
    + coalesce((SELECT sum(length(CAST(text AS BLOB)) + 256) FROM records WHERE session = key), 0);
  CREATE TABLE usage (
    owner TEXT NOT NULL PRIMARY KEY, sessions INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO usage (owner, sessions, bytes) SELECT owner, sum(sessions), sum(bytes) FROM (
    SELECT owner, EXISTS (SELECT 1 FROM rows WHERE session = key) AS sessions, bytes FROM sessions
    UNION ALL SELECT owner, 0, length(bytes) + 512 FROM files) GROUP BY owner;`,
];

export const sqliteTablesVersion = versions.length;

/** The statements that upgrade the tables of a version to the current ones; 0 stands for an empty file. */
export function tablesSince(version: number): string {
  return versions.slice(version).join('');
}
