// The API for writing a store; applications that use stores need none of it.
export { rowSessions } from '../session/stores/rows/row-sessions.ts';
export { storedHeadTag } from '../session/stores/rows/stored-head-tag.ts';
export { storedHeadVersion } from '../session/stores/rows/stored-head-version.ts';
export {
  type BlobRow,
  type BlobRows,
  isArchived,
  type RowAppend,
  type RowStorage,
  type RowWrite,
  type StoredHead,
  type StoredRows,
} from '../session/stores/rows/row-storage.ts';
export type {
  BlobOptions,
  BlobStore,
  FullSessionStore,
  RawSession,
  SaveOptions,
  SessionAppend,
  SessionBranch,
  SessionCheckpoint,
  SessionHead,
  SessionLoad,
  SessionRecord,
  SessionStore,
  StoredJournal,
  TakenEpoch,
  WriteOptions,
  WriterOptions,
} from '../session/stores/session-store.ts';
export type { OutboxCommand, SessionOutbox } from '../session/stores/session-outbox.ts';
export type { TabChannel, TabLink } from '../session/stores/tab-link.ts';
