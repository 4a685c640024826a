import { type FullSessionStore, type RowStorage, rowSessions } from '@vitrine/core/stores';

/**
 * Sessions of many owners in one place. It is a store itself, of the application's own sessions, which belong to no
 * principal; those of a person are reached through `of`.
 */
export type ServerSessions = FullSessionStore & {
  /** The store of one owner: the id of a principal. Others' sessions are not there for it, whatever their ids. */
  readonly of: (ownerId: string) => FullSessionStore;
  /** The rows of one owner, for `createSessionRoutes`. */
  readonly rows: (ownerId: string) => RowStorage;
  /** Closes what the store itself has opened; whatever is asked afterwards rejects. */
  readonly close: () => Promise<void>;
};

/** The owner of what belongs to nobody: no principal has an empty id. */
const application = '';

export function serverSessions(
  rows: (ownerId: string) => RowStorage,
  close: () => Promise<void>,
): ServerSessions {
  const of = (ownerId: string): FullSessionStore => rowSessions(rows(ownerId));
  return { ...of(application), of, rows, close };
}
