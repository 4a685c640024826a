// The API for writing a store; applications that use stores need none of it.
export { isSessionId } from '../../kit/ids.ts';
export { serverInFront } from '../../kit/server-in-front.ts';
export { attachSession } from '../attach-session.ts';
export { rowSessions } from './rows/row-sessions.ts';
export { storedHeadTag } from './rows/head.ts';
export { storedHeadVersion } from './rows/head-shape.ts';
export {
  type BlobRows,
  isArchived,
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
} from './session-store.ts';
export type { OutboxCommand, SessionOutbox } from './session-outbox.ts';
export type { MovingSession, SessionMove } from './session-move.ts';
export type { LinkConnection, LinkedId, TabChannel, TabLink } from './tab-link.ts';
export { effectLog, type EffectRecords } from '../../run/effect-log.ts';
