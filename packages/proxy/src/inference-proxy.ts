import type { ProxyLogEntry } from './log-entry.ts';
import type { ProxyModel } from './providers/proxy-model.ts';

/** What {@link createInferenceProxy} takes. Times are in milliseconds. */
export type InferenceProxyOptions = {
  /** What clients may ask for; nothing else is served. */
  models: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** Default: 1 MiB. */
  maxBodyBytes?: number;
  /** Origins of other sites whose pages may use the proxy. Default: none. */
  allowedOrigins?: readonly string[];
  /**
   * The names and addresses that this proxy answers to, besides those of this machine (`localhost`, `127.0.0.1`,
   * `[::1]`): `chat.example` at any port, `chat.example:8443` at that one. A request for another host is refused,
   * because a page of another site can let its own name point here. Default: none, or any host with `authorize`.
   */
  allowedHosts?: readonly string[];
  /** Lets a request through, or not; ask your own sign-in here. Default: everybody. */
  authorize?: (request: Request) => boolean | Promise<boolean>;
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
