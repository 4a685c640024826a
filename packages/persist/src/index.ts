// Stores of sessions, and what is done with stored sessions.
export {
  clearSessions,
  deleteSession,
  eraseDeletedSessions,
  renameSession,
  restoreSession,
} from './manage/change-sessions.ts';
export { exportSession } from './manage/export-session.ts';
export { importSession } from './manage/import-session.ts';
export { memorySessions } from './drivers/memory/memory-sessions.ts';
export { localStorageSessions } from './drivers/local-storage/local-storage-rows.ts';
export { indexedDBSessions } from './drivers/indexed-db/indexed-db-rows.ts';
export { browserSessions } from './drivers/browser-sessions.ts';
export { httpSessions } from './drivers/http/http-sessions.ts';

// The API for writing a store; applications that use stores need none of it.
export { attachSession } from './attach-session.ts';
export { rowSessions } from './rows/row-sessions.ts';
export {
  type BlobRows,
  type RowAppend,
  type RowStorage,
  type RowWrite,
  type StoredHead,
  type StoredRows,
} from './rows/row-storage.ts';
export type {
  BlobStore,
  FullSessionStore,
  RawSession,
  SaveOptions,
  ServedSessions,
  SessionAppend,
  SessionBranch,
  SessionCheckpoint,
  SessionHead,
  SessionLoad,
  StoredJournal,
  TakenEpoch,
  WriteOptions,
} from '@vitrine/core/internal/session/store/session-store';
export type { OutboxCommand, SessionOutbox } from '@vitrine/core/internal/session/store/session-outbox';
export type { MovingSession, SessionMove } from '@vitrine/core/internal/session/store/session-move';
export type {
  LinkConnection,
  LinkedId,
  TabChannel,
  TabLink,
} from '@vitrine/core/internal/session/store/tab-link';

// Types that compilers write.
export type { RawSessionDocument } from './manage/export-session.ts';
export type { ImportOptions } from './manage/import-session.ts';
export type { PlainSession } from './manage/plain-session.ts';
export type { SessionDocument } from './manage/session-document-shape.ts';
export type { BrowserSessionsOptions } from './drivers/browser-sessions.ts';
export type { HttpSessionsOptions } from './drivers/http/http-protocol.ts';
export type { IndexedDBSessionsOptions } from './drivers/indexed-db/indexed-db-rows.ts';
export type { LocalStorageSessionsOptions } from './drivers/local-storage/local-storage-rows.ts';
export type { Place } from './link/protocol.ts';
export type { BlobRow } from './rows/row-storage.ts';
