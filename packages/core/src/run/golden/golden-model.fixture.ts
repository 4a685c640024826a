import { AgentStopError } from '../../graph/agent-stop-error.ts';
import { userRequested } from '../../graph/stop-signal.ts';
import { reportedUsage } from '../../graph/usage-of-call.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { InferenceClient, InferenceEvent } from '../../model/inference-client.ts';
import type { GoldenPlan } from './golden-plan.fixture.ts';
import type { VirtualEnv } from './virtual-env.fixture.ts';

/** Notes what the outside of a run sees: requests, effects of tools, fields of hooks, reads of the effect log. */
export type Note = (what: string, value: unknown) => void;

type Answer = GoldenPlan['script'][number];

/** Creates a model that plays its script again and again, and fails where the plan says so. */
export function goldenModel(
  name: string,
  script: readonly Answer[],
  plan: GoldenPlan,
  env: VirtualEnv,
  note: Note,
): InferenceClient {
  let calls = 0;
  return {
    continuesAnswers: plan.continuesAnswers,
    ...withPrice(plan, note),
    async *stream(request, { signal, inferenceId, agentId }): AsyncGenerator<InferenceEvent> {
      note(`request of ${name}`, { request, inferenceId, agentId });
      const answer = script[calls++ % script.length] as Answer;
      const number = calls;
      // Calls side by side begin at different times, so that their order does not hang on `await`s.
      if (plan.concurrency > 1) await env.wait(0.003 * number);
      const pause = async (): Promise<void> => {
        signal.throwIfAborted();
        if (answer.gapMs > 0) await env.wait(answer.gapMs);
        signal.throwIfAborted();
      };
      // Every second call succeeds, and so do retries.
      const failure = number % 2 === 1 ? answer.failure : null;
      if (failure?.isAfterText === false) return yield* fail(failure, env);
      const model = answer.chunks === 3 ? `${request.model ?? 'x'}-long` : null;
      yield { type: 'start', id: `response_${number}`, model };
      yield* texts(answer, pause);
      if (failure !== null) return yield* fail(failure, env);
      yield* parts(answer);
      yield* toolCalls(answer, number, pause);
      const usual = answer.toolCalls.length > 0 ? 'tool-calls' : 'stop';
      yield {
        type: 'finish',
        finishReason: answer.finishReason ?? usual,
        usage: reportedUsage(answer.usage),
      };
    },
  };
}

function withPrice({ price }: GoldenPlan, note: Note): Pick<InferenceClient, 'price'> {
  if (!price.startsWith('client')) return {};
  return {
    price(model) {
      note('price', model);
      if (price === 'client-fails') return Promise.reject(new Error('no price'));
      if (price === 'client-never') return new Promise<null>(() => undefined);
      return Promise.resolve({ input: 2, output: 10 });
    },
  };
}

function* fail(failure: NonNullable<Answer['failure']>, env: VirtualEnv): Generator<InferenceEvent> {
  const { code, retryable, retryAfterMs, kind } = failure;
  if (kind === 'event') yield { type: 'error', code, message: `failed: ${code}`, retryable, retryAfterMs };
  if (kind === 'throw') throw new Error('the client threw');
  if (kind === 'busy') throw new AgentError('upstream-error', 'busy', { data: { retryable } });
  if (kind === 'stop') throw new AgentStopError(userRequested({ message: 'the client stops' }, env));
}

async function* texts(
  { reasoning, text, chunks }: Answer,
  pause: () => Promise<void>,
): AsyncGenerator<InferenceEvent> {
  if (reasoning !== '') yield { type: 'reasoning-delta', delta: reasoning };
  const size = Math.max(1, Math.ceil(text.length / chunks));
  for (let at = 0; at < text.length; at += size) {
    await pause();
    yield { type: 'text-delta', delta: text.slice(at, at + size) };
  }
}

function* parts({ part }: Answer): Generator<InferenceEvent> {
  if (part === 'file') yield { type: 'file', mediaType: 'text/plain', data: 'aGk=', filename: 'a.txt' };
  if (part === 'source') yield { type: 'source', id: 's', url: 'https://example.com', title: null };
}

async function* toolCalls(
  { toolCalls, chunks, runElsewhere }: Answer,
  number: number,
  pause: () => Promise<void>,
): AsyncGenerator<InferenceEvent> {
  for (const { name: toolName, id, input } of toolCalls) {
    await pause();
    const toolCallId = id === '' ? `call_${number}` : id;
    const given = (toolName === 'delegate' ? { agent: 'kid', task: 'do' } : input) as never;
    if (chunks === 2) {
      yield { type: 'tool-call-start', toolCallId, toolName };
      yield { type: 'tool-call-delta', toolCallId, delta: JSON.stringify(given) };
    }
    yield { type: 'tool-call', toolCallId, toolName, input: given };
    if (runElsewhere) yield { type: 'tool-elsewhere', toolCallId, outcome: 'completed', result: 'elsewhere' };
  }
}
