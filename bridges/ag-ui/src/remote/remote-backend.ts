import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import type { HandedOver, LiveState } from '@vitrine/core/internal/agent/delegation-tool';
import type { ToolContext } from '@vitrine/core/internal/agent/tool';
import type { AgentState, SentRequest, ToolExecution } from '@vitrine/core/internal/graph/types';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { uuidV7 } from '@vitrine/core/internal/kit/ids';
import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import type {
  InferenceCall,
  InferenceEvent,
  InferenceRequest,
  ToolDescription,
} from '@vitrine/core/internal/model/inference-client';
import { patch } from '../json-patch.ts';
import {
  type BeforeCall,
  noState,
  type OpenedRun,
  type RemoteAnswer,
  type RemoteAsk,
  type RemoteProtocol,
  type RemoteState,
  type RemoteSubagent,
} from './remote-protocol.ts';
import {
  answersIn,
  answersTo,
  questionAbout,
  callIn,
  isAsking,
  lastCalls,
  openCalls,
  ownStateOf,
  questionText,
  remoteIdOf,
  suspendedIn,
} from './remote-questions.ts';
import { Lane, questionsIn, readingOf, type RemoteEvent, type RemoteQuestion } from './remote-run.ts';
import { messagesToSend, RemoteStep, resultIn } from './remote-step.ts';
import type { SuspendedSubagent } from '@vitrine/inspect/internal/foreign/observed-session';
import type { RunLanes } from './subagent-lanes.ts';

/** The conversation of one agent with its backend. */
type Thread = {
  shared: JsonValue;
  interrupts: readonly RemoteQuestion[];
  skipped: { readonly [what: string]: number };
  place: JsonValue | undefined;
  before: BeforeCall | null;
  /** The run that goes on over several steps; null between runs. */
  run: OpenedRun | null;
  last: OpenedRun | null;
  /** Facts of `last` that its protocol reads; see `RemoteRunFacts`. */
  readonly calls: Set<string>;
  readonly awaited: Set<string>;
  /** The request of the next run; see `RemoteAsk`. */
  answers: readonly RemoteAnswer[];
  waiting: readonly SuspendedSubagent[];
  earlier: RunLanes | null;
  executionId: string;
  isAgain: boolean;
  tools: readonly ToolDescription[];
};

/** Most threads, names of unused events, and characters of such a name or that of a subagent; a hostile backend may invent any. */
const most = { threads: 1_000, names: 100, name: 100 };

/** The agent that began a subagent, as the subagent sees it. */
export type Above = {
  readonly subagent: RemoteSubagent;
  readonly open: () => OpenedRun;
  /** Resolves when all questions of the run are answered. `isReady`: this subagent has no open one. */
  readonly whenAnswered: (isReady: boolean) => Promise<void>;
};

/** The backend of one agent, with the threads of its sessions. */
export class Backend {
  readonly #protocol: RemoteProtocol;
  readonly #url: string;
  /** Null for the agent itself. */
  readonly #above: Above | null;
  readonly #agentBelow: (above: Above) => AgentDefinition;
  readonly #threads = new Map<string, Thread>();

  constructor(
    protocol: RemoteProtocol,
    url: string,
    above: Above | null,
    agentBelow: (above: Above) => AgentDefinition,
  ) {
    this.#protocol = protocol;
    this.#url = url;
    this.#above = above;
    this.#agentBelow = agentBelow;
  }

  #threadOf(agentId: string): Thread {
    const known = this.#threads.get(agentId);
    if (known !== undefined) return known;
    const oldest = this.#threads.keys().next().value;
    if (this.#threads.size >= most.threads && oldest !== undefined) this.#threads.delete(oldest);
    const made: Thread = {
      shared: noState.state,
      interrupts: [],
      skipped: {},
      place: undefined,
      before: null,
      run: null,
      last: null,
      calls: new Set(),
      awaited: new Set(),
      answers: [],
      waiting: [],
      earlier: null,
      executionId: '',
      isAgain: false,
      tools: [],
    };
    this.#threads.set(agentId, made);
    return made;
  }

  #begin(thread: Thread, asked: Pick<RemoteAsk, 'agentId' | 'messages' | 'inferenceId'>): OpenedRun {
    const onSkipped = (what: string): void => skip(thread, what);
    const ask: RemoteAsk = { ...thread, ...asked, state: thread.shared, onSkipped };
    for (const facts of [thread.calls, thread.awaited]) facts.clear();
    for (const { toolCallId } of [...thread.interrupts, ...thread.waiting]) thread.awaited.add(toolCallId);
    Object.assign(thread, { answers: [], waiting: [], earlier: null, interrupts: [] });
    thread.run = this.#protocol.open(ask);
    thread.last = thread.run;
    return thread.run;
  }

  /** Takes over what a state knows of its thread. `sent` is the model call that a reload interrupted; null for none. */
  prepare(state: AgentState, sent: SentRequest | null): void {
    const thread = this.#threadOf(state.agentId);
    if (thread.run !== null && !this.#hasAsked(thread.run, state)) return;
    const earlier = thread.run?.lanes ?? null;
    const { id } = this.#protocol;
    const { state: shared, skipped, before, ...now } = ownStateOf(state, id);
    const isAgain = sent !== null;
    const wasSent = isAgain && before?.inferenceId === sent.inferenceId;
    const { interrupts, place } = wasSent ? before : now;
    const waiting = suspendedIn(state, id);
    const answers = wasSent ? answersTo(interrupts, lastCalls(state)) : answersIn(state, id);
    const { executionId = '' } = state.execution ?? {};
    Object.assign(thread, { interrupts, place, executionId, isAgain, answers, waiting, earlier });
    // A run that has asked knows its state better than the step before it.
    if (thread.run === null) Object.assign(thread, { shared, skipped });
    thread.run = null;
  }

  /** True for a run that ended with a question of this step, so that the answers begin another one. */
  #hasAsked({ lanes }: OpenedRun, state: AgentState): boolean {
    return answersIn(state, this.#protocol.id).some(({ question }) => lanes?.asked.has(question.id) === true);
  }

  /** Begins the run that answers the questions of a step, unless a run is open. */
  #beginAnswers(thread: Thread, state: AgentState): void {
    this.prepare(state, null);
    const { agentId } = state;
    if (thread.run === null && (thread.answers.length > 0 || this.#above !== null))
      this.#begin(thread, { agentId, messages: messagesToSend(state) });
  }

  remoteStateOf({ agentId }: AgentState): RemoteState {
    const { shared: state, interrupts, skipped, last, before } = this.#threadOf(agentId);
    const place = last?.place?.();
    const kept = place === undefined ? {} : { place, ...(before === null ? {} : { before }) };
    const subagent = this.#above === null ? {} : { subagent: this.#above.subagent };
    return { state, interrupts, skipped, ...kept, ...subagent };
  }

  release({ agentId }: AgentState): void {
    const thread = this.#threads.get(agentId);
    thread?.run?.close();
    thread?.last?.cancel?.();
    this.#threads.delete(agentId);
  }

  async *stream(
    request: InferenceRequest,
    { signal, agentId = uuidV7(), inferenceId }: InferenceCall,
  ): AsyncGenerator<InferenceEvent> {
    const thread = this.#threadOf(agentId);
    thread.tools = request.tools;
    const { messages } = request;
    const asked = inferenceId === undefined ? { agentId, messages } : { agentId, messages, inferenceId };
    const place = thread.run === null ? thread.place : thread.run.place?.();
    thread.before =
      inferenceId === undefined
        ? null
        : { inferenceId, interrupts: thread.interrupts, ...(place === undefined ? {} : { place }) };
    if (thread.run === null && thread.answers.length > 0) await this.#above?.whenAnswered(true);
    const run = thread.run ?? this.#begin(thread, asked);
    const onState = (event: RemoteEvent): void => takeShared(thread, event);
    const step = new RemoteStep({ ...thread, onState, onSkipped: (what) => skip(thread, what) });
    let isHandedOver = false;
    signal.addEventListener('abort', run.close, { once: true });
    try {
      yield { type: 'start', id: null, model: null };
      for (;;) {
        const event = await run.next();
        if (event === null) return yield brokenOff(this.#url);
        const events = step.take(event);
        if (events === null) run.giveBack(event);
        else {
          thread.interrupts = step.interrupts;
          // The run of a subagent ends its call, also when another call keeps the step open until then.
          for (const one of events)
            if (one.type !== 'tool-elsewhere' || run.lanes?.ofCall(one.toolCallId) === undefined) yield one;
          if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') return;
        }
        if (events !== null && !step.isHandedOver) continue;
        isHandedOver = true;
        return yield* step.handOver();
      }
    } catch (error) {
      signal.throwIfAborted();
      yield unreachable(this.#url, this.#protocol, error);
    } finally {
      signal.removeEventListener('abort', run.close);
      if (!isHandedOver) {
        run.close();
        thread.run = null;
      }
    }
  }

  /** Waits until all questions of the last run are answered, also those that are not asked yet. Then begins the run with the answers. */
  async #answerAll(thread: Thread, live: LiveState): Promise<void> {
    if (this.#above !== null) await live.idle(this.#above.whenAnswered(false));
    else
      while (thread.run?.lanes !== undefined && isAsking(thread.run.lanes, live.now()))
        await live.idle(live.untilChanged());
    this.#beginAnswers(thread, live.now());
  }

  /** Resolves with the result of a call, and answers its question before, if it has one. */
  async proceed({ state, toolCallId: id, signal }: ToolContext, isAnswered: boolean): Promise<JsonValue> {
    const thread = this.#threadOf(state.agentId);
    if (isAnswered && thread.run === null) this.#beginAnswers(thread, state);
    const { run } = thread;
    if (run === null) throw new Error(noResult);
    const toolCallId = remoteIdOf(callIn(state, id));
    void run.fateOf(toolCallId).then(() => run.lanes?.leave(toolCallId));
    signal.addEventListener('abort', run.close, { once: true });
    const event = await run.resultOf(toolCallId);
    signal.throwIfAborted();
    const { outcome, result } = event === null ? { outcome: 'failed', result: noResult } : resultIn(event);
    if (outcome !== 'completed') throw new Error(String(result));
    return result;
  }

  /** Sends answers. Resolves with the subagent that a call has begun, or a question at the end of the run, or null. */
  async delegate(
    { state, toolCallId: id, signal }: ToolContext,
    live: LiveState,
  ): Promise<HandedOver | null> {
    const thread = this.#threadOf(state.agentId);
    const call = callIn(state, id);
    const toolCallId = remoteIdOf(call);
    if (call === undefined) return null;
    if (call.childState !== null) {
      if (!signal.aborted) await this.#answerAll(thread, live);
      const { subagent } = ownStateOf(call.childState, this.#protocol.id);
      return this.#handedOver(thread, call, live, subagent ?? { id: '', name: call.toolCall.name });
    }
    if (thread.run === null && this.#above === null) return null;
    if (questionAbout(state, id, this.#protocol.id)?.of === 'call') {
      await this.#answerAll(thread, live);
      return null;
    }
    if (thread.run === null) return null;
    const fate = await thread.run.fateOf(toolCallId);
    if (fate?.type === 'SUBAGENT_STARTED') {
      const name = textOf(fate['name']).slice(0, most.name) || call.toolCall.name;
      return this.#handedOver(thread, call, live, { id: textOf(fate['subagentRunId']), name });
    }
    const finished = thread.run.finishEvent();
    if (fate !== null || finished === null) return null;
    const questions = questionsIn(finished, new Set(openCalls(state).map(remoteIdOf)));
    const own = questions.find((one) => one.of === 'call' && one.toolCallId === toolCallId);
    if (own === undefined) return null;
    thread.interrupts = questions;
    return { kind: 'question', reason: questionText(own) };
  }

  #handedOver(thread: Thread, call: ToolExecution, live: LiveState, subagent: RemoteSubagent): HandedOver {
    const toolCallId = remoteIdOf(call);
    const laneOf = (): Lane | undefined => thread.run?.lanes?.lane(subagent.id);
    const above: Above = {
      subagent,
      open: () => {
        const lane = laneOf() ?? endedLane();
        const run = readingOf(lane, () => lane.end(new Error('it is read no more')));
        const lanes = thread.run?.lanes;
        return lanes === undefined ? run : { ...run, lanes };
      },
      whenAnswered: (isReady) => {
        const lane = laneOf();
        if (isReady && lane !== undefined) thread.run?.lanes?.answered.add(lane);
        return this.#answerAll(thread, live);
      },
    };
    return {
      kind: 'agent',
      subagent: { agent: this.#agentBelow(above), inheritTools: null },
      task: taskOf(call),
      async result() {
        const { run } = thread;
        const reported = run?.lanes?.resultOf(subagent.id) ?? null;
        // A call that stands for its subagent has no result of its own.
        const event = toolCallId === subagent.id ? null : ((await run?.resultOf(toolCallId)) ?? null);
        if (event !== null) return resultIn(event);
        return reported === null ? null : { outcome: 'completed', result: reported };
      },
    };
  }
}

const noResult = 'The backend ended its run without a result of this call, and no tool here has its name.';

/** The lane of a subagent whose run is gone. */
function endedLane(): Lane {
  const lane = new Lane();
  lane.end(null);
  return lane;
}

/** The task of a subagent, as far as the input of its call tells it. */
function taskOf({ toolCall: { input } }: ToolExecution): string {
  const { task, description } = isPlainObject(input) ? input : {};
  return textOf(task) || textOf(description) || JSON.stringify(input);
}

function skip(thread: Thread, what: string): void {
  const isNamed = Object.hasOwn(thread.skipped, what) || Object.keys(thread.skipped).length < most.names;
  const name = isNamed ? what.slice(0, most.name) : 'others';
  thread.skipped = { ...thread.skipped, [name]: (thread.skipped[name] ?? 0) + 1 };
}

function takeShared(thread: Thread, { type, snapshot, delta }: RemoteEvent): void {
  const next =
    type === 'STATE_SNAPSHOT'
      ? { value: toJson(snapshot ?? null) }
      : patch(thread.shared, toJson(delta ?? null));
  if (next === null) skip(thread, 'STATE_DELTA that does not fit the state');
  else thread.shared = next.value;
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
