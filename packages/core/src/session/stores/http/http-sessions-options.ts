type HeaderRecord = Readonly<Record<string, string>>;

/** Where the server with the sessions is, and what is sent along. */
export type HttpSessionsOptions = {
  /** Where `createSessionRoutes` of @vitrine/proxy is mounted, e.g. `/api`. */
  url: string;
  /** Sent with every request; a function is asked each time. Default: none. */
  headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** The longest that an answer may take, in milliseconds; a file may take ten times as long. Infinity is no limit. Default: 30 s. */
  timeoutMs?: number;
};
