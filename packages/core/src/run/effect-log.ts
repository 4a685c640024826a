import { AgentError } from '../kit/agent-error.ts';
import type { JsonValue } from '../kit/json.ts';

/** A call of a model or a tool, as an effect log sees it. */
export type Effect = {
  /** The execution of the root agent; `forget` gets the same id. */
  readonly executionId: string;
  /** The ids of the tool calls between the root and the agent that makes the call. */
  readonly path: readonly string[];
  /**
   * The name of the call in its execution: path, step, `model` or the position of the tool call, and attempt.
   * Equal runs have equal keys, and a resumed run names its calls as before.
   */
  readonly key: string;
  readonly kind: 'model' | 'tool';
  /** The tool, the requested model (empty for the client's default), or the hook that calls a model. */
  readonly name: string;
  /** `once` must not happen twice; `idempotent` may be repeated. Model calls are `idempotent`. */
  readonly effects: 'once' | 'idempotent';
  /** The arguments of a tool, the request to a model, or the input of a hook's call. */
  readonly input: JsonValue;
  /** True when the call ran when an earlier process died: its start is stored and its end is not. */
  readonly hasBegun: boolean;
};

/**
 * A record of the outcomes of model and tool calls, outside of the state of the agent. A run that is resumed uses a
 * recorded outcome and does not make the call again. `testEffects` of `@vitrine/testing` holds an
 * implementation to its laws.
 */
export type EffectLog = {
  /**
   * Resolves with the recorded outcome, or calls `work`, records what it resolves with (plain JSON) and resolves with
   * that. `work` resolves for a failed call too, with its error as data; it rejects when there is no outcome, as after
   * an abort, and then nothing is recorded.
   * @throws AgentError `tool-interrupted` for a `once` effect that has begun and has no record, without calling `work`.
   */
  readonly perform: <Outcome>(
    effect: Effect,
    work: (signal: AbortSignal) => Promise<Outcome>,
    signal: AbortSignal,
  ) => Promise<Outcome>;
  /**
   * Yields the recorded items, or those of `work` (plain JSON) as they come. The last item is yielded after all are
   * recorded. A stream that throws or is left early is not recorded.
   */
  readonly stream: <Item>(
    effect: Effect,
    work: (signal: AbortSignal) => AsyncIterable<Item>,
    signal: AbortSignal,
  ) => AsyncIterable<Item>;
  /** Deletes the records of an execution whose end is stored. */
  readonly forget: (executionId: string) => Promise<void>;
};

/** The storage of an effect log: texts by execution and key. */
export type EffectRecords = {
  /** The recorded outcome of a call; null when there is none. */
  readonly read: (executionId: string, key: string) => Promise<string | null>;
  /** Stores that a call begins. False when that was stored before, by this or another process. */
  readonly begin: (executionId: string, key: string) => Promise<boolean>;
  /**
   * Stores an outcome before it resolves, so that it survives a killed process. One of a `once` call survives a power cut
   * too; an `idempotent` call is then made again. The first outcome of a call stays.
   */
  readonly end: (
    executionId: string,
    key: string,
    outcome: string,
    effects: Effect['effects'],
  ) => Promise<void>;
  /** Deletes everything of an execution. */
  readonly forget: (executionId: string) => Promise<void>;
};

/** Creates an effect log over a storage. */
export function effectLog(records: EffectRecords): EffectLog {
  return {
    async perform(effect, work, signal) {
      const { executionId, key, hasBegun } = effect;
      signal.throwIfAborted();
      const isOnce = effect.effects === 'once';
      const isFirst = !isOnce || (await records.begin(executionId, key));
      const known = isOnce && isFirst ? null : readable(await records.read(executionId, key));
      if (known !== null) return known.value as never;
      if (isOnce && (hasBegun || !isFirst)) throw interruptedError(effect);
      const outcome = await work(signal);
      await records.end(executionId, key, JSON.stringify(outcome), effect.effects);
      return outcome;
    },
    stream: (effect, work, signal) => recordedStream(records, effect, () => work(signal), signal),
    forget: records.forget,
  };
}

async function* recordedStream<Item>(
  records: EffectRecords,
  { executionId, key, effects }: Effect,
  work: () => AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const known = readable(await records.read(executionId, key));
  if (known !== null && Array.isArray(known.value)) return yield* known.value as Item[];
  const items: Item[] = [];
  for await (const item of work()) {
    // The latest item waits for the next one, because it may be the last.
    if (items.length > 0) yield items.at(-1) as Item;
    items.push(item);
  }
  // A client may end quietly when it is aborted.
  signal.throwIfAborted();
  await records.end(executionId, key, JSON.stringify(items), effects);
  if (items.length > 0) yield items.at(-1) as Item;
}

/** The value of a record; null for none, and for a damaged one, which counts as none. */
function readable(text: string | null): { readonly value: unknown } | null {
  try {
    return text === null ? null : { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function interruptedError({ name, key }: Effect): AgentError {
  const message = `Tool ${JSON.stringify(name)} began before the run was interrupted, and its outcome was not recorded. It may or may not have had its effect.`;
  return new AgentError('tool-interrupted', message, { data: { toolName: name, key } });
}
