import type { AgentDefinition, AgentInit } from '../../agent/agent-definition.ts';
import { allSections } from '../../agent/compilers.ts';
import { defineAgent } from '../../agent/define-agent.ts';
import { defineHook } from '../../agent/hook.ts';
import { definePlugin, type Plugin } from '../../agent/plugin/plugin.ts';
import * as PluginState from '../../agent/plugin/plugin-state.ts';
import type { Schema } from '../../agent/schema.ts';
import { anyName, defineTool, type Tool, type ToolContext } from '../../agent/tool.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState, SentRequest, ToolExecution } from '../../graph/types.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import type { JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';
import type {
  InferenceCall,
  InferenceEvent,
  InferenceRequest,
  ToolDescription,
} from '../../model/inference-client.ts';
import { patched } from './json-patch.ts';
import type { RemoteEvent, RemoteOptions, RemoteRun } from './remote-run.ts';
import { messagesOf, type RemoteQuestion, RemoteStep, resultIn } from './remote-step.ts';

/** Options of an agent over a backend: those of `defineAgent` except its model client. */
export type RemoteAgentOptions = RemoteOptions & Omit<AgentInit, 'inference' | 'compileMessages'>;

/** The state of the plugin of a backend: the state that it shares, its open questions, and unused events by name. */
export type RemoteState = {
  readonly state: JsonValue;
  readonly interrupts: readonly RemoteQuestion[];
  readonly skipped: { readonly [what: string]: number };
  /** The place where the bridge goes on, kept with the conversation. */
  readonly place?: JsonValue;
  /** The same before the model call that was told last, which a reload may interrupt before it counts. */
  readonly before?: BeforeCall;
};

type BeforeCall = Pick<RemoteState, 'place' | 'interrupts'> & { readonly inferenceId: string };

/** The decision of a person about a question of the backend; the decision is null when the conversation went on without one. */
export type RemoteAnswer = {
  readonly question: RemoteQuestion;
  readonly decision: 'approved' | 'rejected' | null;
  readonly comment: string | null;
  /** The call that stands for the question, with its present arguments. */
  readonly call: { readonly name: string; readonly input: JsonValue };
  /** True when the person changed the arguments. */
  readonly isEdited: boolean;
};

/** A run that a backend is asked for. */
export type RemoteAsk = {
  /** Id of the agent that asks, the same for all its runs. */
  readonly agentId: string;
  /** The conversation; calls have the ids of the backend. */
  readonly messages: readonly Message[];
  /** Tools that run here. */
  readonly tools: readonly ToolDescription[];
  /** The state that the backend shares. */
  readonly state: JsonValue;
  /** Answers to all questions of the last run. */
  readonly answers: readonly RemoteAnswer[];
  /** `RemoteState.place` as the last run left it; undefined before. */
  readonly place: JsonValue | undefined;
  /** Id of the execution that asks, the same after a reload. */
  readonly executionId: string;
  /** Id of the model call that asks; absent for a call of a tool. */
  readonly inferenceId?: string;
  /** True for a request that a reload interrupted, which may have reached the backend. */
  readonly isAgain: boolean;
  readonly onSkipped: (what: string) => void;
};

/** A protocol of backends. */
export type RemoteProtocol = {
  /** The id of the plugin, and the agent's name by default. */
  readonly id: string;
  /** Its name in sentences. */
  readonly name: string;
  /** True when a run goes on without its reader and can be joined again. */
  readonly canJoin: boolean;
  readonly open: (ask: RemoteAsk) => OpenedRun;
};

/** A run with what a protocol knows of it. */
export type OpenedRun = RemoteRun & {
  /** The place where the bridge goes on, as of the event that was taken last. */
  readonly place?: () => JsonValue;
  /** Ends the run at the backend, where closing its stream does not. */
  readonly cancel?: () => void;
};

const empty: RemoteState = { state: {}, interrupts: [], skipped: {} };

/** The conversation of one agent with its backend. */
type Thread = {
  /** The state that the backend shares. */
  shared: JsonValue;
  interrupts: readonly RemoteQuestion[];
  skipped: { readonly [what: string]: number };
  place: JsonValue | undefined;
  before: BeforeCall | null;
  /** The run that goes on over several steps; null between runs. */
  run: OpenedRun | null;
  /** The run that was opened last. */
  last: OpenedRun | null;
  /** Facts of that run; see `RunFacts`. */
  readonly calls: Set<string>;
  readonly subagents: Map<string, string>;
  readonly awaited: Set<string>;
  /** Answers that the next run begins with. */
  answers: readonly RemoteAnswer[];
  executionId: string;
  isAgain: boolean;
  tools: readonly ToolDescription[];
};

/** Most threads and most names of unused events that are kept; a hostile backend may invent any number. */
const most = { threads: 1_000, names: 100 };

/**
 * An agent whose model is a backend. Its steps are steps of the run, and its tools appear as calls that ran elsewhere.
 * @throws AgentError `agent-invalid` as `defineAgent` does
 */
export function remoteAgent(protocol: RemoteProtocol, options: RemoteAgentOptions): AgentDefinition {
  const { url, headers: _headers, fetch: _fetch, idleMs: _idleMs, ...init } = options;
  const { id } = protocol;
  const backend = new Backend(protocol, url);
  const plugin: Plugin<RemoteState> = definePlugin({
    id,
    state: ownState,
    initial: empty,
    tools: [elsewhereTool(protocol, backend)],
    hooks: [
      defineHook({
        name: id,
        on: ['before-inference', 'after-inference', 'after-execution'],
        run(state, { point }) {
          if (point === 'after-inference') return PluginState.set(state, plugin, backend.told(state));
          if (point === 'before-inference') backend.prepare(state, currentStep(state)?.sent ?? null);
          else backend.release(state);
          return state;
        },
      }),
    ],
  });
  return defineAgent({
    name: id,
    ...init,
    inference: {
      stream: (request, call) => backend.stream(request, call),
      continuesAnswers: protocol.canJoin,
    },
    compileMessages: allSections,
    plugins: [...(init.plugins ?? []), plugin],
  });
}

/** Only this plugin writes it. */
const ownState: Schema<RemoteState> = {
  '~standard': {
    version: 1,
    vendor: 'vitrine',
    validate: (value) => ({ value: { ...empty, ...(value as RemoteState) } }),
  },
};

/** The backend of one agent, with the threads of its sessions. */
class Backend {
  readonly #protocol: RemoteProtocol;
  readonly #url: string;
  readonly #threads = new Map<string, Thread>();

  constructor(protocol: RemoteProtocol, url: string) {
    this.#protocol = protocol;
    this.#url = url;
  }

  #thread(agentId: string): Thread {
    const known = this.#threads.get(agentId);
    if (known !== undefined) return known;
    const oldest = this.#threads.keys().next().value;
    if (this.#threads.size >= most.threads && oldest !== undefined) this.#threads.delete(oldest);
    const made: Thread = {
      shared: empty.state,
      interrupts: [],
      skipped: {},
      place: undefined,
      before: null,
      run: null,
      last: null,
      calls: new Set(),
      subagents: new Map(),
      awaited: new Set(),
      answers: [],
      executionId: '',
      isAgain: false,
      tools: [],
    };
    this.#threads.set(agentId, made);
    return made;
  }

  #begin(of: Thread, asked: Pick<RemoteAsk, 'agentId' | 'messages' | 'inferenceId'>): OpenedRun {
    const { shared: state, place, tools, answers, executionId, isAgain, interrupts } = of;
    for (const facts of [of.calls, of.subagents, of.awaited]) facts.clear();
    for (const { toolCallId } of interrupts) of.awaited.add(toolCallId);
    Object.assign(of, { answers: [], interrupts: [] });
    const onSkipped = (what: string): void => skip(of, what);
    of.run = this.#protocol.open({ ...asked, state, place, tools, answers, executionId, isAgain, onSkipped });
    of.last = of.run;
    return of.run;
  }

  /** Takes over what a state knows of its thread. `sent` is the model call that a reload interrupted; null for none. */
  prepare(state: AgentState, sent: SentRequest | null): void {
    const of = this.#thread(state.agentId);
    if (of.run !== null) return;
    const { state: shared, skipped, before, ...now } = ownStateOf(state, this.#protocol);
    const isAgain = sent !== null;
    const isTold = isAgain && before?.inferenceId === sent.inferenceId;
    const { interrupts, place } = isTold ? before : now;
    const answers = answersTo(interrupts, lastCalls(state));
    const { executionId = '' } = state.execution ?? {};
    Object.assign(of, { shared, interrupts, skipped, place, executionId, isAgain, answers });
  }

  told({ agentId }: AgentState): RemoteState {
    const { shared: state, interrupts, skipped, last, before } = this.#thread(agentId);
    const place = last?.place?.();
    const kept = place === undefined ? {} : { place, ...(before === null ? {} : { before }) };
    return { state, interrupts, skipped, ...kept };
  }

  release({ agentId }: AgentState): void {
    const of = this.#threads.get(agentId);
    of?.run?.close();
    of?.last?.cancel?.();
    this.#threads.delete(agentId);
  }

  async *stream(
    request: InferenceRequest,
    { signal, agentId = crypto.randomUUID(), inferenceId }: InferenceCall,
  ): AsyncGenerator<InferenceEvent> {
    const of = this.#thread(agentId);
    of.tools = request.tools;
    const asked = { agentId, messages: request.messages };
    const place = of.run === null ? of.place : of.run.place?.();
    of.before =
      inferenceId === undefined
        ? null
        : { inferenceId, interrupts: of.interrupts, ...(place === undefined ? {} : { place }) };
    const run = of.run ?? this.#begin(of, inferenceId === undefined ? asked : { ...asked, inferenceId });
    const onState = (event: RemoteEvent): void => takeShared(of, event);
    const step = new RemoteStep({ ...of, onState, onSkipped: (what) => skip(of, what) });
    let goesOn = false;
    signal.addEventListener('abort', run.close, { once: true });
    try {
      yield { type: 'start', id: null, model: null };
      for (;;) {
        const event = await run.next();
        if (event === null) return yield brokenOff(this.#url);
        const events = step.take(event);
        if (events === null) {
          run.giveBack(event);
          goesOn = true;
          return yield { type: 'finish', finishReason: 'tool-calls', usage: step.usage };
        }
        of.interrupts = step.interrupts;
        yield* events;
        if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') return;
      }
    } catch (error) {
      signal.throwIfAborted();
      yield unreachable(this.#url, this.#protocol, error);
    } finally {
      signal.removeEventListener('abort', run.close);
      if (!goesOn) {
        run.close();
        of.run = null;
      }
    }
  }

  /** Answers the questions of the backend, and resolves with the result of a call that has waited. */
  async proceed({ state, signal }: ToolContext, { toolCallId }: RemoteQuestion): Promise<JsonValue> {
    const of = this.#thread(state.agentId);
    if (of.run === null) this.prepare(state, null);
    const run = of.run ?? this.#begin(of, { agentId: state.agentId, messages: messagesOf(state) });
    signal.addEventListener('abort', run.close, { once: true });
    const event = await run.resultOf(toolCallId);
    signal.throwIfAborted();
    const { outcome, result } = event === null ? { outcome: 'failed', result: noResult } : resultIn(event);
    if (outcome !== 'completed') throw new Error(String(result));
    return result;
  }
}

function skip(of: Thread, what: string): void {
  const isNamed = Object.hasOwn(of.skipped, what) || Object.keys(of.skipped).length < most.names;
  const name = isNamed ? what.slice(0, 100) : 'others';
  of.skipped = { ...of.skipped, [name]: (of.skipped[name] ?? 0) + 1 };
}

function takeShared(of: Thread, { type, snapshot, delta }: RemoteEvent): void {
  const next =
    type === 'STATE_SNAPSHOT'
      ? { value: toJson(snapshot ?? null) }
      : patched(of.shared, toJson(delta ?? null));
  if (next === null) skip(of, 'STATE_DELTA that does not fit the state');
  else of.shared = next.value;
}

function ownStateOf({ plugins }: AgentState, { id }: RemoteProtocol): RemoteState {
  return { ...empty, ...(plugins[id]?.data as RemoteState | undefined) };
}

const noResult = 'The backend ended its run without a result of this call, and no tool here has its name.';

/** The tool of all calls of the backend that wait for a person. */
function elsewhereTool(protocol: RemoteProtocol, backend: Backend): Tool {
  const tool = defineTool({
    name: 'elsewhere',
    description: '',
    input: { type: 'object' },
    effects: protocol.canJoin ? 'idempotent' : 'once',
    needsApproval(_input, ctx) {
      const interrupt = interruptOf(ctx, protocol);
      return interrupt === undefined ? false : { ask: interrupt.message ?? 'Go on?', together: true };
    },
    async execute(_input, ctx) {
      const interrupt = interruptOf(ctx, protocol);
      if (interrupt === undefined) throw new Error(noResult);
      return interrupt.of === 'none' ? { approved: true } : backend.proceed(ctx, interrupt);
    },
  });
  return { ...tool, name: anyName, input: null };
}

/** The calls of the step in flight, or else of the last one. */
function lastCalls({ execution }: AgentState): readonly ToolExecution[] {
  const step = execution?.currentStep ?? null;
  const calls = step?.toolExecutions ?? [];
  return calls.length > 0 ? calls : (execution?.stepExecutions.at(-1)?.step.toolExecutions ?? []);
}

function interruptOf(
  { state, toolCallId }: ToolContext,
  protocol: RemoteProtocol,
): RemoteQuestion | undefined {
  const call = lastCalls(state).find(({ id }) => id === toolCallId);
  const { interrupts } = ownStateOf(state, protocol);
  return interrupts.find((one) => one.toolCallId === call?.toolCall.providerCallId);
}

/** The answers to open questions, by what a person decided about their calls. */
function answersTo(
  interrupts: readonly RemoteQuestion[],
  calls: readonly ToolExecution[],
): readonly RemoteAnswer[] {
  return interrupts.map((question): RemoteAnswer => {
    const found = calls.find(({ toolCall }) => toolCall.providerCallId === question.toolCallId);
    const { decision = null, comment = null, isEdited = false } = found?.approval ?? {};
    const { name = '', input = null } = found?.toolCall ?? {};
    return { question, decision, comment, call: { name, input }, isEdited };
  });
}

/** The backend may have acted already, so the run is not begun anew. */
function brokenOff(url: string): Extract<InferenceEvent, { type: 'error' }> {
  const message = `The run of the backend at ${url} broke off before it ended.`;
  return { type: 'error', code: 'stream-incomplete', message, retryable: false, retryAfterMs: null };
}

function unreachable(url: string, { name }: RemoteProtocol, error: unknown): InferenceEvent {
  if (isAgentError(error)) return { ...brokenOff(url), code: error.code, message: error.message };
  const said = error instanceof Error ? error.message : String(error);
  const message = `The backend at ${url} gave no whole answer: ${said}. See that it runs and speaks ${name} at this address.`;
  return { type: 'error', code: 'upstream-error', message, retryable: false, retryAfterMs: null };
}
