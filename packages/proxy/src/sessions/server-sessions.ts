import { type FullSessionStore, rowSessions } from '@vitrine/persist';
import type { OwnerLimits, ServerRows } from './row-pages.ts';

/** Sessions of many owners. It is itself the store of the application's own sessions; `of` gives that of a person. */
export type ServerSessions = FullSessionStore & {
  /** The store of one owner, by the id of a principal. It never shows sessions of others, whatever their ids. */
  readonly of: (ownerId: string) => FullSessionStore;
  /** The rows of one owner, for `createSessionRoutes`, which also sets the limits of the owner. */
  readonly rows: (ownerId: string, limits?: OwnerLimits) => ServerRows;
  /** Closes the resources that the store has opened; later calls reject. */
  readonly close: () => Promise<void>;
};

/** The owner of the application's own sessions: no principal has an empty id. */
const application = '';

export function serverSessions(rows: ServerSessions['rows'], close: () => Promise<void>): ServerSessions {
  const storeOf = (ownerId: string): FullSessionStore => rowSessions(rows(ownerId));
  return { ...storeOf(application), of: storeOf, rows, close };
}
