import type { GuardOptions } from './guard/guard-options.ts';
import type { ProxyLogEntry } from './log-entry.ts';
import type { ProxyModel } from './providers/proxy-model.ts';

/** What {@link createInferenceProxy} takes. Times are in milliseconds. */
export type InferenceProxyOptions = GuardOptions & {
  /** What clients may ask for; nothing else is served. */
  models: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** Default: one JSON line on standard error. */
  log?: (entry: ProxyLogEntry) => void;
  /** Longest wait for the first event of an upstream. Default: 60 s. */
  firstEventTimeoutMs?: number;
  /** Longest wait between two events of an upstream. Default: 60 s. */
  eventTimeoutMs?: number;
  /** How long an inference goes on without a reader, so that a client may come back. Default: 0, it ends at once. */
  resumeGraceMs?: number;
  /** How long a finished stream can be read again. Default: 2 minutes. */
  keepFinishedMs?: number;
};

/** Web-standard: serve it with any server that speaks Request and Response, under any path. */
export type InferenceProxy = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same proxy, answering to these hosts too: for a server that knows where it listens. */
  readonly withHosts: (hosts: readonly string[]) => InferenceProxy;
};
