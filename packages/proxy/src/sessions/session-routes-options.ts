import { AgentError } from '@vitrine/core';
import type { RowStorage } from '@vitrine/core/stores';
import type { Authorize } from '../guard/principal.ts';
import type { ProxyLogEntry } from '../operator/log-entry.ts';

/** What {@link createSessionRoutes} takes. */
export type SessionRoutesOptions = {
  /** Where sessions are kept: `sqliteSessions`, `postgresSessions`, or anything that has the rows of an owner. */
  readonly store: { readonly rows: (ownerId: string) => RowStorage };
  /**
   * Says who asks; ask your own sign-in here. Sessions belong to that principal: those of others are not there for it.
   * Null lets nobody in, and so does a function that throws.
   */
  readonly authorize: Authorize;
  readonly limits?: Partial<SessionLimits>;
  /** Origins of other sites whose pages may ask, exactly as browsers name them. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** The names that the routes answer to, besides those of this machine. Default: any. */
  readonly allowedHosts?: readonly string[];
  /** Default: one JSON line on standard error for each refused request, but for sessions that are not there. */
  readonly log?: (entry: ProxyLogEntry) => void;
};

/** How large a request may be, and how slow. */
export type SessionLimits = {
  /** Bytes of one write: what is new of a session, all of it at its first write. Default: 32 MiB. */
  readonly bodyBytes: number;
  /** Bytes of one file. Default: 32 MiB. */
  readonly fileBytes: number;
  /** Milliseconds that a body may take to arrive; every 64 KiB that have come are given a second more. Default: 30 s. */
  readonly bodyMs: number;
};

const mebibyte = 1024 * 1024;

const defaults: SessionLimits = {
  bodyBytes: 32 * mebibyte,
  fileBytes: 32 * mebibyte,
  bodyMs: 30_000,
};

/**
 * The limits with their defaults where none are given; Infinity is no limit.
 * @throws AgentError `agent-invalid` for a limit that is no number above 0: nothing would be larger than it.
 */
export function sessionLimits(given: Partial<SessionLimits> = {}): SessionLimits {
  const names = Object.keys(defaults) as (keyof SessionLimits)[];
  const limits = names.map((name) => {
    const value: unknown = given[name] ?? defaults[name];
    if (typeof value === 'number' && value > 0) return [name, value] as const;
    const message = `createSessionRoutes: the limit ${name} is ${String(value)}; give a number above 0.`;
    throw new AgentError('agent-invalid', message);
  });
  return Object.fromEntries(limits) as SessionLimits;
}

/** Web-standard, as a proxy is: serve it with `serveInferenceProxy`, or anything that speaks Request and Response. */
export type SessionRoutes = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same routes, answering to these hosts too: for a server that knows where it listens. */
  readonly withHosts: (hosts: readonly string[]) => SessionRoutes;
};
