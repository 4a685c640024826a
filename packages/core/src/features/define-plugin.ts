import type { Refused } from '../agent/check-init.ts';
import { createPlugin, type Plugin, type PluginInit, type StateOf } from '../agent/plugin/plugin.ts';
import type { Schema } from '../agent/schema.ts';
import { isToolQuestion } from '../agent/tool-question.ts';
import type { Tool } from '../agent/tool.ts';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { of as errorInfo } from '../graph/error-info.ts';
import { AgentError, isAgentError } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import type { JsonValue } from '../kit/json.ts';
import { reportThrown } from '../kit/listeners.ts';
import { shownShape } from '../kit/text.ts';
import { toJson } from '../kit/to-json.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { isLeaseRevoked, stateOf, stepNumber, userCode } from '../run/run.ts';
import type { Executed, Execution, Feature, Life, OpenStream, Run } from '../run/slots.ts';
import { cutResult } from '../run/tools/batch.ts';
import { contributions } from './contributions.ts';

/**
 * Defines tools, hooks, instructions and layers that share validated state.
 * @throws AgentError `agent-invalid` for an id that is empty or reserved, or a version that is not a positive integer;
 * `plugin-state-invalid` for an initial state that JSON cannot hold.
 */
export function definePlugin<
  S extends Schema,
  const Id extends string,
  T extends Tool = never,
  PT extends Tool = never,
>(init: PluginInit<S, Id, T, PT, Refused['byName']>): Plugin<StateOf<S>, Id, T | PT> {
  const { aroundModel, aroundTool, open } = init;
  // Its id and its tools have the types of the options.
  const plugin = createPlugin(init) as Plugin<StateOf<S>, Id, T | PT>;
  // A page that defines no plugin does not load the code of its features.
  const layers = aroundModel || aroundTool || open ? [layersOf(init)] : [];
  return { ...plugin, features: plugin.prepare === null ? layers : [contributions, ...layers] };
}

type AroundModel = NonNullable<PluginInit<Schema>['aroundModel']>;
type AroundTool = NonNullable<PluginInit<Schema>['aroundTool']>;

type Layered = Pick<PluginInit<Schema>, 'id' | 'aroundModel' | 'aroundTool' | 'open'>;

function layersOf(plugin: Layered): Feature {
  const { aroundModel, aroundTool, open } = plugin;
  const opener = open && openerOf(plugin.id, open);
  return (run) => ({
    ...(opener && { open: () => opener(run) }),
    ...(aroundModel && {
      aroundModel: (call, next) =>
        next({ ...call, layers: [...call.layers, (open) => layerOf(run, plugin, aroundModel, open)] }),
    }),
    ...(aroundTool && {
      aroundExecute: (execution, next) =>
        // A lost call is not made: only its record is read.
        execution.isLost
          ? next(execution)
          : executeWithin(run, plugin, aroundTool, execution, () => next(execution)),
    }),
  });
}

function layerOf(run: Run, plugin: Layered, aroundModel: AroundModel, open: OpenStream): OpenStream {
  return async function* (start) {
    const { wire: request, signal } = start;
    const visit = new Visit(run, plugin, 'aroundModel', signal);
    let end: InferenceEvent | null = null;
    const next = (): AsyncIterable<InferenceEvent> => {
      visit.enter();
      return readModel(() => open(start), visit);
    };
    const call = { request, agentState: stateOf(run), stepNumber: stepNumber(run), signal };
    let iterator: AsyncIterator<InferenceEvent> | null = null;
    try {
      const events = aroundModel(call, next);
      if (typeof events?.[Symbol.asyncIterator] !== 'function') throw visit.fault('returned no events');
      iterator = events[Symbol.asyncIterator]();
      const opened = iterator;
      for (;;) {
        const { done, value } = await visit.within(() => opened.next());
        visit.check();
        if (done === true) break;
        // Nobody reads on behind the end, so the layer comes to its own end first.
        if (isEnd(value)) end ??= value;
        else yield value;
      }
      if (end !== null) yield end;
      else if (!visit.wasCut) throw visit.fault('ended without a finish event');
    } catch (thrown) {
      throw visit.errorFor(thrown);
    } finally {
      // The end is not awaited: a layer that hangs must not hold up the run.
      void Promise.resolve(iterator?.return?.()).catch(() => undefined);
    }
  };
}

function isEnd({ type }: InferenceEvent): boolean {
  return type === 'finish' || type === 'error';
}

/** The events of the model, which are not the time of the layer around it. The model is asked with the first of them. */
async function* readModel(
  open: () => AsyncIterable<InferenceEvent>,
  visit: Visit,
): AsyncGenerator<InferenceEvent> {
  const iterator = open()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await visit.outside(() => iterator.next());
      if (done === true) return void (visit.wasCut = true);
      yield value;
      // A client may stay silent behind its end.
      if (isEnd(value)) return;
    }
  } finally {
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

async function executeWithin(
  run: Run,
  plugin: Layered,
  aroundTool: AroundTool,
  { call, tool, changes, signal }: Execution,
  inner: () => Promise<Executed>,
): Promise<Executed> {
  const visit = new Visit(run, plugin, 'aroundTool', signal);
  let executed: Executed | null = null;
  const next = async (): Promise<JsonValue> => {
    visit.enter();
    executed = await visit.outside(inner);
    if ('result' in executed) return executed.result;
    // The call goes on elsewhere, and its layer ends here.
    throw new Error('The call goes on elsewhere.');
  };
  const { toolCall } = call;
  const given = { toolCall, agentState: stateOf(run), stepNumber: stepNumber(run), signal };
  try {
    const value = await visit.within(async () => aroundTool(given, next));
    await visit.untilReturned();
    visit.check();
    const result = cutResult(run, tool, toJson(value));
    const kept = executed as Executed | null;
    if (kept !== null && 'result' in kept) return { ...kept, result };
    return { result, writes: changes.settle, commitChanges: changes.applyUpdates };
  } catch (thrown) {
    await visit.untilReturned();
    const kept = executed as Executed | null;
    if (kept !== null && !('result' in kept)) return kept;
    throw visit.errorFor(thrown);
  }
}

/** One visit of a layer, with the time that is its own. */
class Visit {
  readonly #run: Run;
  readonly #id: string;
  readonly #slot: 'aroundModel' | 'aroundTool';
  readonly #signal: AbortSignal;
  #hasEntered = false;
  #isOutside = false;
  /** True when the stream of the model broke off. */
  wasCut = false;
  /** The last wait for the tool or the model. */
  #behind: Promise<unknown> = Promise.resolve();
  /** The errors of the tool or the model, which pass as they are. */
  readonly #passed = new Set<unknown>();
  /** An error that the layer cannot hide. */
  #final: { readonly thrown: unknown } | null = null;
  #startTimer = (): void => undefined;
  #stopTimer = (): void => undefined;

  constructor(run: Run, { id }: Layered, slot: 'aroundModel' | 'aroundTool', signal: AbortSignal) {
    this.#run = run;
    this.#id = id;
    this.#slot = slot;
    this.#signal = signal;
  }

  /** Notes that the layer calls `next`. @throws AgentError `plugin-failed` for the second time */
  enter(): void {
    if (!this.#hasEntered) return void (this.#hasEntered = true);
    this.#final ??= { thrown: this.fault('called next twice') };
    throw this.#final.thrown;
  }

  /** Waits for the layer. @throws AgentError `plugin-failed` when its own time is up, and the reason of a stop */
  within<Value>(wait: () => Promise<Value>): Promise<Value> {
    const { agent, env } = this.#run;
    const { hookTimeoutMs } = agent;
    return new Promise((resolve, reject) => {
      this.#startTimer = () => {
        if (this.#isOutside || hookTimeoutMs === Infinity) return;
        const late = (): void => reject(this.fault(`did not go on within ${hookTimeoutMs} ms`));
        this.#stopTimer = env.schedule(hookTimeoutMs, late);
      };
      this.#startTimer();
      const end = (answer: () => void): void => {
        this.#stopTimer();
        this.#startTimer = this.#stopTimer = () => undefined;
        answer();
      };
      // A stop ends the wait for a layer that hangs.
      callGuarded({ author: `plugin ${this.#id}`, signal: this.#signal, timeoutMs: null }, wait).then(
        (value) => end(() => resolve(value)),
        (thrown: unknown) => end(() => reject(thrown)),
      );
    });
  }

  /** Waits for the tool or the model, which is not the layer's own time. */
  async outside<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#isOutside = true;
    this.#stopTimer();
    try {
      const waiting = wait();
      this.#behind = waiting;
      return await waiting;
    } catch (thrown) {
      this.#passed.add(thrown);
      if (this.#isFinal(thrown)) this.#final ??= { thrown };
      throw thrown;
    } finally {
      this.#isOutside = false;
      this.#startTimer();
    }
  }

  /** Waits until nothing runs behind the layer: one that ends before its tool does not end the call. */
  async untilReturned(): Promise<void> {
    await this.#behind.catch(() => undefined);
  }

  /** Throws an error that the layer has hidden. */
  check(): void {
    if (this.#final !== null) throw this.#final.thrown;
  }

  fault(what: string, cause?: unknown): AgentError {
    return fault(this.#id, this.#slot, what, cause);
  }

  /** The error of a visit: that of the tool or the model, as it is, or one with the name of the plugin. */
  errorFor(thrown: unknown): unknown {
    if (this.#final !== null) return this.#final.thrown;
    if (this.#passed.has(thrown) || this.#isFinal(thrown) || isAgentError(thrown, 'plugin-failed'))
      return thrown;
    return this.fault(`threw: ${errorInfo(thrown).message}`, thrown);
  }

  #isFinal(thrown: unknown): boolean {
    return (
      isLeaseRevoked(thrown) || isAgentStopError(thrown) || isToolQuestion(thrown) || this.#signal.aborted
    );
  }
}

type Open = NonNullable<PluginInit<Schema>['open']>;

/**
 * Opens a plugin with the first run of a session, once for its life. What was opened is closed once, when the life ends,
 * also when it opened late. A failed attempt is made again by the next run.
 */
function openerOf(id: string, open: Open): (run: Run) => Promise<void> {
  const opened = new WeakMap<AbortSignal, Promise<void>>();
  return async (run) => {
    const { signal } = run.life;
    const opening = opened.get(signal) ?? openFor(id, open, run.life);
    opened.set(signal, opening);
    opening.catch(() => opened.delete(signal));
    try {
      await userCode(run, `plugin ${id}`, () => opening);
    } catch (thrown) {
      throw isAgentError(thrown, 'user-code-timeout')
        ? fault(id, 'open', 'did not end in time', thrown)
        : thrown;
    }
  };
}

async function openFor(id: string, open: Open, life: Life): Promise<void> {
  let close: unknown;
  try {
    close = (await open(life)) ?? null;
  } catch (thrown) {
    throw isAgentStopError(thrown)
      ? thrown
      : fault(id, 'open', `threw: ${errorInfo(thrown).message}`, thrown);
  }
  if (close === null) return;
  if (typeof close !== 'function')
    throw fault(id, 'open', `returned ${shownShape(close)} in place of a function that closes`);
  const end = (): void => void endSafely(id, close as () => unknown);
  if (life.signal.aborted) end();
  else life.signal.addEventListener('abort', end, { once: true });
}

/** Nobody waits for the end of a close, so its error is told to the page or the process. */
async function endSafely(id: string, close: () => unknown): Promise<void> {
  try {
    await close();
  } catch (thrown) {
    reportThrown(fault(id, 'close', `threw: ${errorInfo(thrown).message}`, thrown));
  }
}

function fault(id: string, slot: string, what: string, cause?: unknown): AgentError {
  const data = { pluginId: id, slot };
  return new AgentError('plugin-failed', `Plugin ${JSON.stringify(id)}: its ${slot} ${what}.`, {
    data,
    ...(cause === undefined ? {} : { cause }),
  });
}
