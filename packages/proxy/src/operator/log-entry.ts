/**
 * What became of a request: its model call was `completed`, `failed` or `cancelled` (by a client, or because nobody read
 * it any more), the proxy itself `failed`, it was `refused`, or answered without asking a model: models listed, a stream `read` or ended.
 */
export type RequestOutcome = 'completed' | 'failed' | 'cancelled' | 'refused' | 'read';

/**
 * One line per request: never a prompt, an answer, a key or a header. A call of a model has it when its stream has
 * ended, everything else at once. What is not known is null.
 */
export type ProxyLogEntry = {
  /** Of this request alone; its answer has it as `x-request-id`, and a problem in its JSON too. */
  readonly requestId: string;
  /** Method and pattern, e.g. `GET /v1/inference/:id`; `other` for what the proxy has no route for. */
  readonly route: string;
  readonly outcome: RequestOutcome;
  /** The code of what went wrong. */
  readonly code: string | null;
  readonly status: number;
  /** Who asked, as `authorize` said it. */
  readonly principal: string | null;
  readonly model: string | null;
  /** Of the stream, as in `x-inference-id`. */
  readonly id: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** In the currency of the model's `price`. */
  readonly cost: number | null;
  /** Milliseconds to the end of the stream, or to the answer. */
  readonly ms: number;
  /** Milliseconds to the first event of the model. */
  readonly firstEventMs: number | null;
  /** What the upstream said when it failed, secrets masked, at most 300 characters. It is not sent to clients. */
  readonly cause: string | null;
  /** What to do, with provider, model and the environment variable to look at. */
  readonly hint: string | null;
};

/** The default log: a line of JSON on standard error. */
export function logLine(entry: ProxyLogEntry): void {
  console.error(JSON.stringify({ at: new Date().toISOString(), ...entry }));
}
