export { sqliteHost, type SqliteHostOptions } from './sqlite/sqlite-host.ts';
