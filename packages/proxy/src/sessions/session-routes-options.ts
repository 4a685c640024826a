import { wrongSetting } from '../kit/env-record.ts';
import type { RowStorage } from '@vitrine/persist';
import type { Authorize, GuardEnv } from '../guard/guard.ts';
import type { ProxyLogEntry } from '../operator/request-line.ts';
import type { OwnerLimits, RowPages } from './row-pages.ts';

/** Options of {@link createSessionRoutes}. */
export type SessionRoutesOptions = {
  /**
   * The store of the sessions: `sqliteSessions`, `postgresSessions`, or any object with the rows of an owner. Only
   * stores that enforce the given `limits` and read in pages keep an owner from filling the disk or the memory.
   */
  readonly store: {
    readonly rows: (ownerId: string, limits?: OwnerLimits) => RowStorage & Partial<RowPages>;
  };
  /** Identifies the caller, who owns its sessions. Null lets nobody in, and so does a function that throws. */
  readonly authorize: Authorize;
  readonly limits?: Partial<SessionLimits>;
  /** Origins of other sites whose pages may use the routes, exactly as browsers send them. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** The names that the routes answer to, besides those of this machine. Default: any. */
  readonly allowedHosts?: readonly string[];
  /** Called for each refused request but those for unknown sessions. Default: one JSON line on standard error. */
  readonly log?: (entry: ProxyLogEntry) => void;
};

/** Limits of size and time of a request, and of the stored data of one principal. */
export type SessionLimits = OwnerLimits & {
  /** Sessions of one principal. Default: 1,000. */
  readonly sessions: number;
  /**
   * Stored bytes of one principal, files included. Each head counts 1,024 more, each row or record 256 and each file
   * 512. Default: 256 MiB.
   */
  readonly bytes: number;
  /** Bytes of a head; lists consist of heads. Default: 64 KiB. */
  readonly headBytes: number;
  /** Bytes of one write: the changes of a session, and all of it in its first write. Default: 32 MiB. */
  readonly bodyBytes: number;
  /** Bytes of one file. Default: 32 MiB. */
  readonly fileBytes: number;
  /** Milliseconds for a body to arrive. Every 64 KiB that arrive extend the time by a second. Default: 30 s. */
  readonly bodyMs: number;
  /** Bytes of bodies that are read at once; one principal gets a quarter, or one body. Default: 256 MiB. */
  readonly heldBytes: number;
  /** Sessions, lists and files that are sent at once; one principal gets a quarter. Default: 16. */
  readonly reads: number;
};

const mebibyte = 1024 * 1024;

const defaults: SessionLimits = {
  sessions: 1000,
  bytes: 256 * mebibyte,
  headBytes: 64 * 1024,
  bodyBytes: 32 * mebibyte,
  fileBytes: 32 * mebibyte,
  bodyMs: 30_000,
  heldBytes: 256 * mebibyte,
  reads: 16,
};

/** The limits with their defaults; Infinity is none. @throws AgentError `agent-invalid` for no number above 0 */
export function sessionLimits(given: Partial<SessionLimits> = {}): SessionLimits {
  const names = Object.keys(defaults) as (keyof SessionLimits)[];
  const limits = names.map((name) => {
    const value: unknown = given[name] ?? defaults[name];
    if (typeof value === 'number' && value > 0) return [name, value] as const;
    const message = `createSessionRoutes: the limit ${name} is ${String(value)}; give a number above 0.`;
    throw wrongSetting(message);
  });
  return Object.fromEntries(limits) as SessionLimits;
}

/** Web-standard routes: serve them with `serveInferenceProxy`, or anything that speaks Request and Response. */
export type SessionRoutes = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same routes, which also answer to these hosts: for a server that knows its address. */
  readonly withHosts: (hosts: readonly string[]) => SessionRoutes;
};

/** Data of a request after its sign-in. */
export type SessionsEnv = {
  Bindings: GuardEnv['Bindings'];
  Variables: GuardEnv['Variables'] & { readonly rows: RowStorage & Partial<RowPages> };
};
