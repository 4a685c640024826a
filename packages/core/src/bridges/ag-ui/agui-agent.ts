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
import { isFinished } from '../../graph/tool-execution.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { unreported } from '../../graph/usage-of-call.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';
import type { InferenceCall, InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import { patched } from './json-patch.ts';
import { nativeOf } from './messages.ts';
import type { AgUiMessage, AgUiResume, AgUiRunInput } from './protocol.ts';
import { openRun, type RemoteEvent, type RemoteOptions, type RemoteRun } from './remote-run.ts';
import { backendIdOf, RemoteStep, type AgUiQuestion, resultIn } from './remote-step.ts';

/** Options of `aguiAgent`: the backend, and those of `defineAgent` except its model client. */
export type AguiAgentOptions = RemoteOptions &
  Omit<AgentInit, 'inference' | 'compileMessages'> & {
    /** Values that the backend gets as they are. */
    readonly forwardedProps?: JsonObject;
  };

/** The state of the plugin `ag-ui`: the state that the backend shares, its open questions, and unused events by name. */
export type AgUiState = {
  readonly state: JsonValue;
  readonly interrupts: readonly AgUiQuestion[];
  readonly skipped: { readonly [what: string]: number };
};

const empty: AgUiState = { state: {}, interrupts: [], skipped: {} };

/** The conversation of one agent with its backend. */
type Thread = {
  /** The state that the backend shares. */
  shared: JsonValue;
  interrupts: readonly AgUiQuestion[];
  skipped: { readonly [what: string]: number };
  /** The run that goes on over several steps; null between runs. */
  run: RemoteRun | null;
  /** Facts of that run; see `RunFacts`. */
  readonly calls: Set<string>;
  readonly subagents: Map<string, string>;
  readonly awaited: Set<string>;
  /** Answers that the next run begins with. */
  resume: readonly AgUiResume[];
  tools: AgUiRunInput['tools'];
};

/** Most threads and most names of unused events that are kept; a hostile backend may invent any number. */
const most = { threads: 1_000, names: 100 };

/**
 * An agent whose model is an AG-UI backend of 1.0 or 0.0.59, for sessions, branches and the panel. Its steps are steps
 * of the run, and its tools appear as calls that ran elsewhere. `tools` run here. Its interrupts wait for `approve` and
 * `reject`. The state that it shares is `AgentState.plugins['ag-ui']`. What subagents say is counted and left out.
 * @throws AgentError `agent-invalid` as `defineAgent` does
 * @example
 * const agent = aguiAgent({ url: 'https://example.com/agent' });
 */
export function aguiAgent(options: AguiAgentOptions): AgentDefinition {
  const {
    url: _url,
    headers: _headers,
    fetch: _fetch,
    idleMs: _idleMs,
    forwardedProps: _props,
    ...init
  } = options;
  const backend = new Backend(options);
  const plugin: Plugin<AgUiState> = definePlugin({
    id: 'ag-ui',
    state: ownState,
    initial: empty,
    tools: [elsewhereTool(backend)],
    hooks: [
      defineHook({
        name: 'ag-ui',
        on: ['before-inference', 'after-inference', 'after-execution'],
        run(state, { point }) {
          if (point === 'after-inference') return PluginState.set(state, plugin, backend.told(state));
          if (point === 'before-inference') backend.prepare(state);
          else backend.release(state);
          return state;
        },
      }),
    ],
  });
  return defineAgent({
    name: 'ag-ui',
    ...init,
    inference: { stream: (request, call) => backend.stream(request, call) },
    compileMessages: allSections,
    plugins: [...(init.plugins ?? []), plugin],
  });
}

/** Only this plugin writes it. */
const ownState: Schema<AgUiState> = {
  '~standard': {
    version: 1,
    vendor: 'vitrine',
    validate: (value) => ({ value: { ...empty, ...(value as AgUiState) } }),
  },
};

/** The backend of one agent, with the threads of its sessions. */
class Backend {
  readonly #options: AguiAgentOptions;
  readonly #threads = new Map<string, Thread>();

  constructor(options: AguiAgentOptions) {
    this.#options = options;
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
      run: null,
      calls: new Set(),
      subagents: new Map(),
      awaited: new Set(),
      resume: [],
      tools: [],
    };
    this.#threads.set(agentId, made);
    return made;
  }

  #begin(of: Thread, threadId: string, messages: readonly AgUiMessage[]): RemoteRun {
    const { shared: state, tools, resume, interrupts } = of;
    for (const facts of [of.calls, of.subagents, of.awaited]) facts.clear();
    for (const { toolCallId } of interrupts) of.awaited.add(toolCallId);
    Object.assign(of, { resume: [], interrupts: [] });
    const { forwardedProps = {} } = this.#options;
    const runId = crypto.randomUUID();
    const input = { threadId, runId, state, messages, tools, context: [], forwardedProps };
    const asked = resume.length === 0 ? input : { ...input, resume };
    of.run = openRun(this.#options, asked, (what) => skip(of, what));
    return of.run;
  }

  /** Takes over what a state knows of its thread, before a call of the model. */
  prepare(state: AgentState): void {
    const of = this.#thread(state.agentId);
    if (of.run !== null) return;
    const { state: shared, interrupts, skipped } = ownStateOf(state);
    Object.assign(of, { shared, interrupts, skipped, resume: resumeOf(lastCalls(state), interrupts) });
  }

  told({ agentId }: AgentState): AgUiState {
    const { shared: state, interrupts, skipped } = this.#thread(agentId);
    return { state, interrupts, skipped };
  }

  release({ agentId }: AgentState): void {
    this.#threads.get(agentId)?.run?.close();
    this.#threads.delete(agentId);
  }

  async *stream(
    request: InferenceRequest,
    { signal, agentId = crypto.randomUUID() }: InferenceCall,
  ): AsyncGenerator<InferenceEvent> {
    const of = this.#thread(agentId);
    const { url } = this.#options;
    of.tools = request.tools.map(({ inputSchema, ...tool }) => ({ ...tool, parameters: inputSchema }));
    const run = of.run ?? this.#begin(of, agentId, sentMessages(request.messages));
    const onState = (event: RemoteEvent): void => takeShared(of, event);
    const step = new RemoteStep({ ...of, onState, onSkipped: (what) => skip(of, what) });
    let goesOn = false;
    signal.addEventListener('abort', run.close, { once: true });
    try {
      yield { type: 'start', id: null, model: null };
      for (;;) {
        const event = await run.next();
        if (event === null) return yield brokenOff(url);
        const events = step.take(event);
        if (events === null) {
          run.giveBack(event);
          goesOn = true;
          return yield { type: 'finish', finishReason: 'tool-calls', usage: unreported };
        }
        of.interrupts = step.interrupts;
        yield* events;
        if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') return;
      }
    } catch (error) {
      signal.throwIfAborted();
      yield unreachable(url, error);
    } finally {
      signal.removeEventListener('abort', run.close);
      if (!goesOn) {
        run.close();
        of.run = null;
      }
    }
  }

  /** Answers the questions of the backend, and resolves with the result of a call that has waited. */
  async proceed({ state, signal }: ToolContext, { toolCallId }: AgUiQuestion): Promise<JsonValue> {
    const of = this.#thread(state.agentId);
    if (of.run === null) this.prepare(state);
    const run = of.run ?? this.#begin(of, state.agentId, sentMessages(messagesOf(state)));
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

function ownStateOf({ plugins }: AgentState): AgUiState {
  return { ...empty, ...(plugins['ag-ui']?.data as AgUiState | undefined) };
}

const noResult = 'The backend ended its run without a result of this call, and no tool here has its name.';

/** The tool of all calls of the backend that wait for a person. */
function elsewhereTool(backend: Backend): Tool {
  const tool = defineTool({
    name: 'elsewhere',
    description: '',
    input: { type: 'object' },
    needsApproval(_input, ctx) {
      const interrupt = interruptOf(ctx);
      return interrupt === undefined ? false : { ask: interrupt.message ?? 'Go on?', together: true };
    },
    async execute(_input, ctx) {
      const interrupt = interruptOf(ctx);
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

function interruptOf({ state, toolCallId }: ToolContext): AgUiQuestion | undefined {
  const call = lastCalls(state).find(({ id }) => id === toolCallId);
  return ownStateOf(state).interrupts.find((one) => one.toolCallId === call?.toolCall.providerCallId);
}

/** The answers to open questions, by what a person decided about their calls. */
function resumeOf(calls: readonly ToolExecution[], interrupts: readonly AgUiQuestion[]): AgUiResume[] {
  return interrupts.map(({ id: interruptId, toolCallId, of }): AgUiResume => {
    const call = calls.find(({ toolCall }) => toolCall.providerCallId === toolCallId);
    const { decision = null, comment = null, isEdited = false } = call?.approval ?? {};
    if (call === undefined || decision === null) return { interruptId, status: 'cancelled' };
    const { input } = call.toolCall;
    if (decision === 'rejected')
      return {
        interruptId,
        status: 'resolved',
        payload: { approved: false, ...(comment === null ? {} : { reason: comment }) },
      };
    if (isEdited && of === 'none') return { interruptId, status: 'resolved', payload: input };
    const edit = isEdited && of === 'call' ? { editedArgs: input } : {};
    return { interruptId, status: 'resolved', payload: { approved: true, ...edit } };
  });
}

/** Messages as the backend knows them; calls have its ids already. */
function sentMessages(messages: readonly Message[]): readonly AgUiMessage[] {
  return messages.flatMap((message) => nativeOf({ ...message, id: backendIdOf(message) }));
}

/** The messages of a state with the ids that the backend gave to its calls, without stand-ins for missing results. */
function messagesOf(state: AgentState): readonly Message[] {
  const open = new Set(
    currentStep(state)
      ?.toolExecutions.filter((call) => !isFinished(call))
      .map(({ id }) => id),
  );
  const ids = new Map<string, string>();
  return allSections(state).map((message) => ({
    ...message,
    parts: message.parts
      .filter((part) => part.type !== 'tool-result' || !open.has(part.toolCallId))
      .map((part) => {
        if (part.type === 'tool-call' && part.providerCallId !== null)
          ids.set(part.toolCallId, part.providerCallId);
        if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
        return { ...part, toolCallId: ids.get(part.toolCallId) ?? part.toolCallId };
      }),
  }));
}

/** The backend may have acted already, so the run is not begun anew. */
function brokenOff(url: string): InferenceEvent {
  const message = `The run of the backend at ${url} broke off before it ended.`;
  return { type: 'error', code: 'stream-incomplete', message, retryable: false, retryAfterMs: null };
}

function unreachable(url: string, error: unknown): InferenceEvent {
  const said = error instanceof Error ? error.message : String(error);
  const message = `The backend at ${url} gave no whole answer: ${said}. See that it runs and speaks AG-UI at this address.`;
  return { type: 'error', code: 'upstream-error', message, retryable: false, retryAfterMs: null };
}
