/** Raised when the tables change. */
export const sqliteTablesVersion = 1;

export const sqliteTables = `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, owner TEXT NOT NULL, id TEXT NOT NULL, head TEXT NOT NULL, records INTEGER NOT NULL,
    UNIQUE (owner, id)) STRICT;
  CREATE TABLE rows (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, name TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (session, name)) STRICT;
  CREATE TABLE records (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (session, number)) STRICT;`;
