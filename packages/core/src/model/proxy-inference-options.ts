type HeaderRecord = Readonly<Record<string, string>>;

/** Options of `proxyInference`. Times are in milliseconds. */
export type ProxyInferenceOptions = {
  /** Address at which the proxy is mounted, e.g. `/api`; a trailing slash is ignored. */
  url: string;
  /** The model of requests without one. Default: the proxy's default model. */
  model?: string;
  /** Headers of every request; a function is called for each. */
  headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /**
   * The proxy's limit of file bytes in one request, before base64 (its `imageBytes`): a larger request fails before it
   * is sent. Default: unknown; the proxy rejects such requests.
   */
  imageBytes?: number;
  /** The fetch function. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /**
   * `firstEventMs`: longest wait for the first event (2 minutes). `idleMs`: longest time without a byte, pings
   * included, before the connection is replaced (1 minute). `totalMs`: longest time of a call (15 minutes). Infinity
   * is no limit.
   */
  timeouts?: { readonly firstEventMs?: number; readonly idleMs?: number; readonly totalMs?: number };
  /**
   * Number of attempts in a row to resume a broken connection, with growing pauses; an event resets the count, and
   * attempts of a hidden or offline page do not count. Default: 5 attempts; false for none.
   */
  reconnect?: { readonly attempts: number } | false;
  /** Called with every event type that this version does not know and skips, and their number in the call. */
  onUnknownEvent?: (type: string, count: number) => void;
};
