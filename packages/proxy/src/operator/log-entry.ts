/**
 * The outcome of a request. Its model call was `completed`, `failed` or `cancelled` (by a client, or because nobody
 * read it any more). Otherwise the proxy itself `failed`, the request was `refused`, or it was answered without a
 * model: a list of models, a stream `read` or ended.
 */
export type RequestOutcome = 'completed' | 'failed' | 'cancelled' | 'refused' | 'read';

/**
 * One log line per request, without prompts, answers, keys or headers. The line of a model call is written when its
 * stream has ended, every other one at once. Unknown fields are null.
 */
export type ProxyLogEntry = {
  /** The id of this request; its answer has it as `x-request-id`, and a problem in its JSON as well. */
  readonly requestId: string;
  /** Method and pattern, e.g. `GET /v1/inference/:id`; `other` for an unknown route. */
  readonly route: string;
  readonly outcome: RequestOutcome;
  /** The code of the error. */
  readonly code: string | null;
  readonly status: number;
  /** The id of the caller, from `authorize`. */
  readonly principal: string | null;
  readonly model: string | null;
  /** The id of the stream, as in `x-inference-id`. */
  readonly id: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The cost in the currency of the model's `price`. */
  readonly cost: number | null;
  /** Milliseconds to the end of the stream, or to the answer. */
  readonly ms: number;
  /** Milliseconds to the first event of the model. */
  readonly firstEventMs: number | null;
  /** The upstream's error message, with masked secrets and at most 300 characters. It is not sent to clients. */
  readonly cause: string | null;
  /** The remedy, with provider, model and the environment variable to check. */
  readonly hint: string | null;
};

/** The default log: a line of JSON on standard error. */
export function logLine(entry: ProxyLogEntry): void {
  console.error(JSON.stringify({ at: new Date().toISOString(), ...entry }));
}
