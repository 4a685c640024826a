import { currentStep, metadata, stopSignal } from '../../graph/agent-state/accessors.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { isFinished, subagentName } from '../../graph/tool-execution.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { AgentEvent, AgentEventOf } from '../../run/events.ts';
import { stateAt } from '../../run/state-at.ts';
import type { TurnEnd } from '../turn-end.ts';
import { AgentWriter } from './agent-writer.ts';
import { clientMessages, type ResultIds } from './client-messages.ts';
import type { AgUiEvent, AgUiInterrupt, AgUiMessage, AgUiOutcome, AgUiUsage } from './protocol.ts';

/** The key of the metadata of a session whose value is the state that AG-UI shares with the client. */
export const sharedStateKey = 'agUiState';

/** The names of a run, by the client. */
export type RunIds = {
  readonly threadId: string;
  readonly runId: string;
  /** Absent when the client is older than 1.0. */
  readonly protocolVersion?: string;
};

type Subagent = { readonly path: readonly string[]; readonly writer: AgentWriter };

/** Writes the events of one run of a session as events of AG-UI. */
export class RunWriter {
  readonly #emit: (event: AgUiEvent) => void;
  readonly #ids: RunIds;
  readonly #results: ResultIds;
  readonly #root: AgentWriter;
  readonly #subagents = new Map<string, Subagent>();
  readonly #usages = new Map<string, AgUiUsage>();

  /** @param results The results that the client has, which it is not sent. */
  constructor(emit: (event: AgUiEvent) => void, ids: RunIds, results: ResultIds) {
    this.#emit = emit;
    this.#ids = ids;
    this.#results = results;
    this.#root = new AgentWriter(emit, results);
  }

  /** Begins the run, with all messages for a client that lacks some. */
  begin(state: AgentState, snapshot: readonly AgUiMessage[] | null): void {
    this.#emit({ type: 'RUN_STARTED', ...this.#ids });
    if (snapshot !== null) this.#emit({ type: 'MESSAGES_SNAPSHOT', messages: snapshot });
    const shared = metadata(state)[sharedStateKey];
    if (shared !== undefined) this.#emit({ type: 'STATE_SNAPSHOT', snapshot: shared });
  }

  /** Writes an event of the journal, with the state of the root agent after it. */
  write(event: AgentEvent, state: AgentState): void {
    const { path } = event;
    if (event.type === 'inference-end') addUsage(this.#usages, event.response);
    if (event.type === 'subagent-start') this.#writerAt([...path, event.toolCallId], state);
    else if (event.type === 'subagent-end') this.#endSubagent(event, path, state);
    else if (event.type === 'metadata-change' && path.length === 0) {
      if (Object.hasOwn(event.set, sharedStateKey))
        this.#emit({ type: 'STATE_SNAPSHOT', snapshot: event.set[sharedStateKey] as JsonValue });
    } else {
      const agent = stateAt(state, path);
      if (agent !== null && (event.seq !== null || event.type === 'tool-call-delta'))
        this.#writerAt(path, state).write(event, agent);
      if (event.type === 'step-end' && path.length === 0 && this.#root.takeIsChanged())
        this.#emit({ type: 'MESSAGES_SNAPSHOT', messages: clientMessages(state, this.#results) });
    }
  }

  /** Ends the run as its turn did. */
  end(turn: TurnEnd, state: AgentState): void {
    this.#close(state);
    const { threadId, runId } = this.#ids;
    const outcome = outcomeOf(turn, state, this.#ids.protocolVersion !== undefined);
    if ('message' in outcome) this.#emit({ type: 'RUN_ERROR', ...outcome, ...this.#usage() });
    else this.#emit({ type: 'RUN_FINISHED', threadId, runId, outcome, ...this.#usage() });
  }

  /** The writer of the subagent at a path, which is told as begun with its parents. */
  #writerAt(path: readonly string[], state: AgentState): AgentWriter {
    const subagentRunId = path.at(-1);
    if (subagentRunId === undefined) return this.#root;
    const known = this.#subagents.get(subagentRunId);
    if (known !== undefined) return known.writer;
    const parents = path.slice(0, -1);
    this.#writerAt(parents, state);
    const parentSubagentRunId = parents.at(-1);
    const call = currentStep(stateAt(state, parents) ?? state)?.toolExecutions.find(
      ({ id }) => id === subagentRunId,
    );
    const tag = { subagentRunId };
    const writer = new AgentWriter((event) => this.#emit({ ...event, ...tag }), this.#results);
    this.#subagents.set(subagentRunId, { path, writer });
    this.#emit({
      type: 'SUBAGENT_STARTED',
      ...tag,
      name: call === undefined ? 'subagent' : subagentName(call),
      parentToolCallId: subagentRunId,
      ...(parentSubagentRunId === undefined ? {} : { parentSubagentRunId }),
    });
    return writer;
  }

  /** Ends the subagent at a path and those below it, the innermost first; all of them without a path. */
  #endBelow(path: readonly string[], endOf: (subagentRunId: string) => AgUiEvent): void {
    const below = [...this.#subagents]
      .filter(([, one]) => path.every((id, at) => one.path[at] === id))
      .reverse();
    for (const [subagentRunId, { writer }] of below) {
      writer.close();
      this.#subagents.delete(subagentRunId);
      this.#emit(endOf(subagentRunId));
    }
  }

  #endSubagent({ status, toolCallId }: SubagentEnd, path: readonly string[], state: AgentState): void {
    const at = [...path, toolCallId];
    const child = stateAt(state, at);
    const message = (child === null ? null : stopSignal(child))?.message ?? `The subagent has ${status}.`;
    this.#endBelow(at, (subagentRunId) =>
      status === 'completed'
        ? finished(subagentRunId, 'success')
        : { type: 'SUBAGENT_ERROR', subagentRunId, message },
    );
  }

  #usage(): { readonly usage?: readonly AgUiUsage[] } {
    return this.#usages.size === 0 ? {} : { usage: [...this.#usages.values()] };
  }

  #close(state: AgentState): void {
    this.#endBelow([], (subagentRunId) => finished(subagentRunId, 'suspended'));
    this.#root.close();
    if (this.#root.takeIsChanged())
      this.#emit({ type: 'MESSAGES_SNAPSHOT', messages: clientMessages(state, this.#results) });
  }
}

type SubagentEnd = AgentEventOf<'subagent-end'>;

function finished(subagentRunId: string, type: 'success' | 'suspended'): AgUiEvent {
  return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type } };
}

function addUsage(usages: Map<string, AgUiUsage>, { model, usage }: InferenceResponse): void {
  const before = usages.get(model ?? '');
  usages.set(model ?? '', {
    ...(model === null ? {} : { model }),
    inputTokens: (before?.inputTokens ?? 0) + usage.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + usage.outputTokens,
    totalTokens: (before?.totalTokens ?? 0) + usage.totalTokens,
    reasoningTokens: (before?.reasoningTokens ?? 0) + usage.reasoningTokens,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + usage.cacheReadTokens,
    cacheWriteInputTokens: (before?.cacheWriteInputTokens ?? 0) + usage.cacheWriteTokens,
  });
}

type Failure = { readonly message: string; readonly code: string };

function outcomeOf(
  { status, outcome, stopReason, error }: TurnEnd,
  state: AgentState,
  namesCalls: boolean,
): AgUiOutcome | Failure {
  if (status === 'awaiting-input') return waitingOutcome(state, namesCalls);
  if (status === 'cancelled' || stopReason === 'user-requested') return { type: 'cancelled' };
  if (error !== null) return { message: error.message, code: error.code ?? 'run-failed' };
  if (outcome === null || outcome === 'completed') return { type: 'success' };
  const signal = stopSignal(state);
  return { message: signal?.message ?? `The run has ${outcome}.`, code: stopReason ?? 'unknown' };
}

/**
 * Approvals are interrupts. The outputs that the client has to give end the run as usual, and are named for clients that
 * know 1.0: earlier ones refuse the field.
 */
function waitingOutcome(state: AgentState, namesCalls: boolean): AgUiOutcome {
  const waiting = waitingCalls(state, null);
  const interrupts = waiting.filter(({ call }) => call.status === 'awaiting-approval').map(interruptOf);
  return interrupts.length > 0
    ? { type: 'interrupt', interrupts }
    : { type: 'success', ...(namesCalls ? { pendingToolCallIds: waiting.map(({ call }) => call.id) } : {}) };
}

type WaitingCall = { readonly call: ToolExecution; readonly subagentRunId: string | null };

function waitingCalls(state: AgentState, subagentRunId: string | null): readonly WaitingCall[] {
  return (currentStep(state)?.toolExecutions ?? []).flatMap((call) => {
    if (call.childState !== null && !isFinished(call)) return waitingCalls(call.childState, call.id);
    return call.status.startsWith('awaiting') ? [{ call, subagentRunId }] : [];
  });
}

function interruptOf({ call, subagentRunId }: WaitingCall): AgUiInterrupt {
  const { id, toolCall, approval } = call;
  return {
    id,
    reason: 'tool_call',
    message: approval?.reason ?? `Run ${toolCall.name}?`,
    toolCallId: id,
    responseSchema: approval?.form ?? approvalSchema,
    ...(subagentRunId === null ? {} : { subagentRunId }),
  };
}

const approvalSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, editedArgs: { type: 'object' }, reason: { type: 'string' } },
  required: ['approved'],
};
