type HeaderRecord = Readonly<Record<string, string>>;

/** Where the proxy is, and what is sent along. Times are in milliseconds. */
export type ProxyInferenceOptions = {
  /** Where the proxy is mounted, e.g. `/api`; a slash at its end does not matter. */
  url: string;
  /** Used when a request names no model. Default: the proxy's default model. */
  model?: string;
  /** Sent with every request; a function is asked each time. */
  headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /**
   * The most bytes of files, before base64, that the proxy takes in one request (its `imageBytes`): a larger request
   * fails before it is sent. Default: not known, and the proxy says it.
   */
  imageBytes?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /**
   * `firstEventMs`: longest wait for the first event (2 minutes). `idleMs`: after so long without a byte, pings counted,
   * the connection is given up and made again (1 minute). `totalMs`: longest time of a call (15 minutes). Infinity is no limit.
   */
  timeouts?: {
    readonly firstEventMs?: number;
    readonly idleMs?: number;
    readonly totalMs?: number;
  };
  /**
   * How often in a row a connection that broke is made again, with growing pauses and where it broke off; an event that
   * comes begins the count anew. Default: 5 attempts; false for none.
   */
  reconnect?: { readonly attempts: number } | false;
  /** Told of every event whose type this version does not know, with how many there were in the call; it is skipped. */
  onUnknownEvent?: (type: string, count: number) => void;
};
