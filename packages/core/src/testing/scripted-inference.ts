import type { FinishReason } from '../graph/inference-response.ts';
import { type Usage, of as usageOf } from '../graph/usage.ts';
import type { JsonValue } from '../kit/json.ts';
import { sleep } from '../kit/sleep.ts';
import type { InferenceClient, InferenceEvent, InferenceRequest } from '../model/inference-client.ts';

/** A call that the scripted model makes; `id` is the provider's id. Default: `call_1` and so on. */
export type ScriptedToolCall = { readonly name: string; readonly input: JsonValue; readonly id?: string };

/** What a model says in one call. */
export type ScriptedStep = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default: nothing was used. */
  readonly usage?: Partial<Usage>;
  readonly finishReason?: FinishReason;
  /** What the provider says about an answer that it held back. Default: nothing. */
  readonly explanation?: string;
  /** An Error is thrown; anything else becomes an `error` event. It comes after the text, if there is any. */
  readonly error?:
    | Error
    | {
        readonly code?: string;
        readonly message: string;
        readonly retryable?: boolean;
        readonly retryAfterMs?: number;
      };
  /** Wait before every delta, in milliseconds. Default: 0. */
  readonly delayMs?: number;
  /** The text in this many deltas, or exactly these. Default: one. */
  readonly chunks?: number | readonly string[];
};

/** One step, or what makes it of the request. */
export type ScriptedEntry = ScriptedStep | ((request: InferenceRequest) => ScriptedStep);

/**
 * A client that plays steps in order, for tests and examples; the last one repeats. Ids are counted, so that a run
 * is the same every time.
 */
export function scriptedInference(steps: readonly ScriptedEntry[]): InferenceClient {
  let played = 0;
  let calls = 0;
  return {
    async *stream(request, { signal }) {
      const entry = steps[Math.min(played++, steps.length - 1)] ?? {};
      const step = typeof entry === 'function' ? entry(request) : entry;
      const pause = (): Promise<void> => wait(step.delayMs ?? 0, signal);
      yield { type: 'start', id: `response_${played}`, model: request.model };
      if (step.reasoning) {
        await pause();
        yield { type: 'reasoning-delta', delta: step.reasoning };
      }
      for (const delta of deltas(step)) {
        await pause();
        yield { type: 'text-delta', delta };
      }
      if (step.error instanceof Error) throw step.error;
      if (step.error) return yield errorEvent(step.error);
      for (const { id, name: toolName, input } of step.toolCalls ?? []) {
        await pause();
        yield { type: 'tool-call', toolCallId: id ?? `call_${++calls}`, toolName, input };
      }
      const finishReason = step.finishReason ?? (step.toolCalls?.length ? 'tool-calls' : 'stop');
      const { explanation } = step;
      const said = explanation === undefined ? {} : { explanation };
      yield { type: 'finish', finishReason, ...said, usage: usageOf(step.usage) };
    },
  };
}

function deltas({ text, chunks = 1 }: ScriptedStep): readonly string[] {
  if (typeof chunks !== 'number') return chunks;
  if (!text) return [];
  const size = Math.ceil(text.length / chunks);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

function errorEvent(error: Exclude<ScriptedStep['error'], Error | undefined>): InferenceEvent {
  const { code = 'upstream-error', message, retryable = false, retryAfterMs = null } = error;
  return { type: 'error', code, message, retryable, retryAfterMs };
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms > 0) await sleep(ms, signal);
}
