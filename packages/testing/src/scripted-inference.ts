import type { FinishReason } from '@vitrine/core/internal/graph/inference-response';
import { type Usage, of as usageOf } from '@vitrine/core/internal/graph/usage';
import { type ReportedUsage, reportedUsage } from '@vitrine/core/internal/graph/usage-of-call';
import type { ToolOutcome } from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { sleep } from '@vitrine/core/internal/kit/async';
import type {
  InferenceClient,
  InferenceEvent,
  InferenceRequest,
} from '@vitrine/core/internal/model/inference-client';

/** A call of the scripted model; `id` is the provider's id. Default: `call_1` and so on. */
type ScriptedToolCall = {
  readonly name: string;
  readonly input: JsonValue;
  readonly id?: string;
  /** The end of a call that the backend of the model runs itself. Default: a tool of the agent runs it. */
  readonly elsewhere?: { readonly outcome?: ToolOutcome; readonly result: JsonValue };
};

/** The answer of a model to one call. */
export type ScriptedStep = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** The reported usage. Default: zero. Null and invalid figures mean that the provider reports none. */
  readonly usage?: Partial<Usage> | null;
  readonly finishReason?: FinishReason;
  /** The provider's explanation of a withheld answer. Default: none. */
  readonly explanation?: string;
  /** An Error is thrown; any other value becomes an `error` event. It follows the text, if there is any. */
  readonly error?:
    | Error
    | {
        readonly code?: string;
        readonly message: string;
        readonly retryable?: boolean;
        readonly retryAfterMs?: number;
      };
  /** Delay before every delta, in milliseconds. Default: 0. */
  readonly delayMs?: number;
  /** Number of deltas for the text, or the deltas themselves. Default: one. */
  readonly chunks?: number | readonly string[];
};

/** One step, or a function that creates it from the request. */
export type ScriptedEntry = ScriptedStep | ((request: InferenceRequest) => ScriptedStep);

/**
 * Creates a client that plays steps in order, for tests and examples; the last one repeats. Ids are counted, so that
 * every run is the same.
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
      for (const { id, name: toolName, input, elsewhere } of step.toolCalls ?? []) {
        await pause();
        const toolCallId = id ?? `call_${++calls}`;
        yield { type: 'tool-call', toolCallId, toolName, input };
        if (elsewhere) yield { type: 'tool-elsewhere', toolCallId, outcome: 'completed', ...elsewhere };
      }
      const finishReason = step.finishReason ?? (step.toolCalls?.length ? 'tool-calls' : 'stop');
      const { explanation } = step;
      const said = explanation === undefined ? {} : { explanation };
      yield { type: 'finish', finishReason, ...said, usage: reportOf(step.usage) };
    },
  };
}

/** The usage report of a step, in which zeros are exact. */
function reportOf(usage: Partial<Usage> | null = {}): ReportedUsage {
  const isSound = Object.values(usage ?? {}).every(
    (figure) => figure === null || figure === true || figure >= 0,
  );
  if (usage === null || !isSound) return reportedUsage(usage);
  return { ...usageOf(usage), isExact: true };
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
