import type { Wire } from './provider-stream.ts';

/** An answer of a server in the wild, and what has to come of it. */
export type WildCase = {
  readonly wire: Wire;
  readonly body: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further variables of the proxy's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly expected: WildAnswer;
};

/** The content of the first step. A missing field is not looked at. */
export type WildAnswer = {
  readonly text?: string;
  readonly reasoning?: string;
  /** The parts in their order, each as its type and its text. */
  readonly parts?: readonly string[];
  /** Name, given arguments and outcome of each call. */
  readonly calls?: readonly (readonly [string, unknown, string])[];
  /** The arguments that tools got. */
  readonly ran?: readonly unknown[];
  /** A sentence within the error of the first call. */
  readonly callError?: RegExp;
  readonly finishReason?: string;
  readonly inputTokens?: number;
  readonly skippedFrames?: number;
  /** The code of the error that the call ends with; null for none. */
  readonly errorCode: string | null;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  /** A text within the operator's log. */
  readonly logged?: string;
};

export type Json = Readonly<Record<string, unknown>>;

export const frame = (data: unknown, event = ''): string =>
  `${event === '' ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const sse = (...frames: readonly unknown[]): string =>
  [...frames, '[DONE]'].map((one) => frame(one)).join('');
export const chunk = (delta: Json, finish: string | null = null, more: Json = {}): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_764_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
export const say = (content: unknown): Json => chunk({ content });
export const stop = chunk({}, 'stop');
export const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } };
export const call = (piece: Json): Json => chunk({ tool_calls: [piece] });
export const fn = (name: unknown, args: unknown): Json => ({ function: { name, arguments: args } });
export const calls = chunk({}, 'tool_calls');

/** An answer of chat completions that says Hello, with deviations around it. */
export const hello = (body: string, more: Partial<WildAnswer> = {}): WildCase => ({
  wire: 'openai-compatible',
  body,
  expected: { text: 'Hello', finishReason: 'stop', errorCode: null, ...more },
});
/** An answer that calls `read` with `{"p":"a"}`. */
export const reads = (...frames: readonly unknown[]): WildCase => ({
  wire: 'openai-compatible',
  body: sse(...frames, calls, usage),
  expected: { calls: [['read', { p: 'a' }, 'completed']], errorCode: null },
});
export const twoCalls: WildAnswer = {
  calls: [
    ['read', { p: 'a' }, 'completed'],
    ['read', { p: 'b' }, 'completed'],
  ],
  errorCode: null,
};
/** A call of `search`, whose schema is strict, with these arguments. */
export const searches = (args: string): WildCase => ({
  wire: 'openai-compatible',
  body: sse(call({ index: 0, id: 'c1', ...fn('search', args) }), calls, usage),
  expected: { ran: [{ queries: ['a'] }], errorCode: null },
});
export const thought = (...deltas: readonly Json[]): WildCase => ({
  wire: 'openai-compatible',
  body: sse(...deltas.map((delta) => chunk(delta)), say('Hello'), stop, usage),
  expected: { text: 'Hello', reasoning: 'Hm.', finishReason: 'stop', errorCode: null },
});

export const anthropicStart = frame(
  { type: 'message_start', message: { id: 'm1', model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
  'message_start',
);
export const block = frame(
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  'content_block_start',
);
export const words = (text: string): string =>
  frame(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    'content_block_delta',
  );
export const blockStop = frame({ type: 'content_block_stop', index: 0 }, 'content_block_stop');
export const anthropicEnd = frame(
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  'message_delta',
);
export const messageStop = frame({ type: 'message_stop' }, 'message_stop');
export const message = (body: string, more: Partial<WildAnswer> = {}): WildCase => ({
  wire: 'anthropic',
  body,
  expected: { text: 'Hello', finishReason: 'stop', errorCode: null, ...more },
});

export const gemini = (parts: unknown, more: Json = {}, finish = 'STOP'): Json => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: finish, index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
  ...more,
});
export const google = (body: string, more: Partial<WildAnswer> = {}): WildCase => ({
  wire: 'google',
  body,
  expected: { text: 'Hello', finishReason: 'stop', errorCode: null, ...more },
});
