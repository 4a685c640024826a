type HeaderRecord = Readonly<Record<string, string>>;

/** The address of the session server and the headers to send. */
export type HttpSessionsOptions = {
  /** The mount point of `createSessionRoutes` of @vitrine/proxy, for example `/api`. */
  url: string;
  /** Headers of every request; a function is called for each. Default: none. */
  headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /**
   * The longest time for an answer, in milliseconds; a file may take ten times as long. Infinity means no
   * limit. Default: 30 s.
   */
  timeoutMs?: number;
};
