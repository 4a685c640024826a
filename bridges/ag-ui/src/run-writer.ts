import { currentStep, metadata, steps, stopSignal } from '@vitrine/core/internal/graph/agent-state/accessors';
import { type StopReason, wasForceStopped } from '@vitrine/core/internal/graph/stop-reason';
import type { InferenceResponse } from '@vitrine/core/internal/graph/inference-response';
import { isFinished, subagentName } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { AgentEvent, AgentEventOf } from '@vitrine/core/internal/run/events';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { endOf, type TurnEnd } from '@vitrine/core/internal/session/turn-end';
import { AgentWriter } from './agent-writer.ts';
import { clientMessages, type ResultIds } from './client-messages.ts';
import { endEvent as endOfSpan, type OpenSpans } from './open-spans.ts';
import type {
  AgUiEvent,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiUsage,
} from '@vitrine/messages/internal/ag-ui/protocol';

/** The key of the metadata of a session whose value is the state that AG-UI shares with the client. */
export const sharedStateKey = 'agUiState';

export type RunIds = {
  readonly threadId: string;
  readonly runId: string;
  /** Absent when the client is older than 1.0. */
  readonly protocolVersion?: string;
};

/** Writes the events of one run of a session as events of AG-UI, for one reader. */
export class RunWriter {
  readonly #emit: (event: AgUiEvent) => void;
  readonly #ids: RunIds;
  readonly #results: ResultIds;
  readonly #root: AgentWriter;
  readonly #subagents = new Map<string, { readonly path: readonly string[]; readonly writer: AgentWriter }>();
  /** True for a reader that was cut off. */
  #isRejoined = false;
  #hasWritten = false;
  /** True when the client's messages may differ from ours by more than the writer of the agent knows. */
  #isChanged = false;
  /** The runs of subagents that have ended for the reader, and may work again where a process was killed. */
  readonly #ended = new Set<string>();
  readonly #silent = new AgentWriter(() => (this.#isChanged = true));

  /** @param results The ids of the results that the client has, which it is not sent. */
  constructor(emit: (event: AgUiEvent) => void, ids: RunIds, results: ResultIds) {
    this.#emit = emit;
    this.#ids = ids;
    this.#results = results;
    this.#root = this.#createWriter(null);
  }

  /** Begins the run, with all messages for a client that lacks some. */
  begin(state: AgentState, snapshot: readonly AgUiMessage[] | null): void {
    this.#emit({ type: 'RUN_STARTED', ...this.#ids });
    this.#tell(state, snapshot);
  }

  /**
   * Goes on for a reader that was cut off: ends what it has open, apart from subagents that work on, and tells all
   * messages, with those of clients in `queued`.
   */
  rejoin(state: AgentState, open: OpenSpans, queued: readonly AgUiMessage[]): void {
    this.#isRejoined = true;
    for (const id of open.ended) this.#ended.add(id);
    const paths = new Map<string, readonly string[]>();
    for (const { kind, id, owner } of open.all) {
      if (kind !== 'A') continue;
      const path = [...(paths.get(owner ?? '') ?? []), id];
      paths.set(id, path);
      if (isAtWork(callAt(state, path))) this.#subagents.set(id, { path, writer: this.#createWriter(id) });
    }
    for (const span of [...open.all].reverse()) {
      const { kind, id } = span;
      if (kind !== 'A') this.#emit(endOfSpan({ ...span, kind }));
      else if (!this.#subagents.has(id)) {
        this.#ended.add(id);
        this.#emit(endOfSubagent(id, callAt(state, paths.get(id) ?? [])));
      }
    }
    this.#tell(state, [...clientMessages(state, this.#results), ...queued]);
  }

  #tell(state: AgentState, messages: readonly AgUiMessage[] | null): void {
    if (messages !== null) {
      this.#emit({ type: 'MESSAGES_SNAPSHOT', messages });
      this.#root.noteWhole(state);
      for (const { path, writer } of this.#subagents.values())
        writer.noteWhole(stateAtPath(state, path) ?? state);
    }
    const shared = metadata(state)[sharedStateKey];
    if (shared !== undefined) this.#emit({ type: 'STATE_SNAPSHOT', snapshot: shared });
  }

  /** Writes an event of the journal, with the state of the root agent after it. */
  write(event: AgentEvent, state: AgentState): void {
    const { path } = event;
    this.#hasWritten = true;
    if (event.type === 'subagent-start') this.#writerAt([...path, event.toolCallId], state);
    else if (event.type === 'subagent-end') this.#endSubagent(event, path, state);
    else if (event.type === 'metadata-change' && path.length === 0) {
      if (Object.hasOwn(event.set, sharedStateKey))
        this.#emit({ type: 'STATE_SNAPSHOT', snapshot: event.set[sharedStateKey] as JsonValue });
    } else {
      const agent = stateAtPath(state, path);
      if (agent !== null && (event.seq !== null || event.type === 'tool-call-delta'))
        this.#writerAt(path, state).write(event, agent);
      if (event.type === 'step-end' && path.length === 0) this.#tellChanged(state);
    }
  }

  /** Ends the run as its turn did, with the tokens of its model calls where they are known. */
  end(turn: TurnEnd, state: AgentState, usages: readonly AgUiUsage[]): void {
    this.#close(state);
    const { threadId, runId, protocolVersion } = this.#ids;
    const end = endOf(turn, state);
    const used = usages.length === 0 ? {} : { usage: usages };
    if (end.type === 'error') return this.#emit({ ...end, type: 'RUN_ERROR', ...used });
    const ending: Pick<RunFinished, 'outcome' | 'result'> =
      end.type === 'waiting'
        ? { outcome: waitingOutcome(state, protocolVersion !== undefined) }
        : end.type === 'abort'
          ? cancelledOutcome(protocolVersion !== undefined)
          : { outcome: { type: 'success' }, ...resultOf(end.reason) };
    this.#emit({ type: 'RUN_FINISHED', threadId, runId, ...ending, ...used });
  }

  #createWriter(subagentRunId: string | null): AgentWriter {
    const tag = subagentRunId === null ? {} : { subagentRunId };
    return new AgentWriter((event) => {
      const given = event.type === 'TOOL_CALL_RESULT' ? this.#results.get(event.toolCallId) : undefined;
      if (given === undefined) this.#emit({ ...event, ...tag });
      // Where a process was killed, the result is told again under the id that the client knows.
      else if (this.#isRejoined) this.#emit({ ...event, messageId: given, ...tag } as AgUiEvent);
    });
  }

  /** The writer of the subagent at a path, which is told as begun with its parents. */
  #writerAt(path: readonly string[], state: AgentState): AgentWriter {
    const subagentRunId = path.at(-1);
    if (subagentRunId === undefined) return this.#root;
    const known = this.#subagents.get(subagentRunId);
    if (known !== undefined) return known.writer;
    if (this.#ended.has(subagentRunId)) return this.#silent;
    const parents = path.slice(0, -1);
    this.#writerAt(parents, state);
    const parentSubagentRunId = parents.at(-1);
    const call = currentStep(stateAtPath(state, parents) ?? state)?.toolExecutions.find(
      ({ id }) => id === subagentRunId,
    );
    // A hook may have removed the message with the call: then the messages of the session have none of its subagent.
    this.#isChanged ||= !isCalled(clientMessages(state, this.#results), subagentRunId);
    const writer = this.#createWriter(subagentRunId);
    this.#subagents.set(subagentRunId, { path, writer });
    this.#emit({
      type: 'SUBAGENT_STARTED',
      subagentRunId,
      name: call === undefined ? 'subagent' : subagentName(call),
      parentToolCallId: subagentRunId,
      ...(parentSubagentRunId === undefined ? {} : { parentSubagentRunId }),
    });
    return writer;
  }

  /** Ends the subagent at a path and those below it, the innermost first; all of them without a path. */
  #endBelow(path: readonly string[], endEventOf: (subagentRunId: string) => AgUiEvent): void {
    const below = [...this.#subagents]
      .filter(([, one]) => path.every((id, at) => one.path[at] === id))
      .reverse();
    for (const [subagentRunId, { writer }] of below) {
      writer.close();
      this.#isChanged ||= writer.takeIsChanged();
      this.#subagents.delete(subagentRunId);
      this.#emit(endEventOf(subagentRunId));
    }
  }

  #endSubagent({ status, toolCallId }: SubagentEnd, path: readonly string[], state: AgentState): void {
    const at = [...path, toolCallId];
    const child = stateAtPath(state, at);
    const message = (child === null ? null : stopSignal(child))?.message ?? `The subagent has ${status}.`;
    this.#endBelow(at, (subagentRunId) =>
      status === 'completed'
        ? subagentEnd(subagentRunId, 'success')
        : { type: 'SUBAGENT_ERROR', subagentRunId, message },
    );
  }

  #close(state: AgentState): void {
    this.#endBelow([], (subagentRunId) => subagentEnd(subagentRunId, 'suspended'));
    this.#root.close();
    // A client that was cut off keeps lost reasoning until it is told all messages with other reasoning.
    this.#isChanged ||= this.#isRejoined && this.#hasWritten;
    this.#tellChanged(state);
  }

  /** Tells all messages when something that was told has changed. */
  #tellChanged(state: AgentState): void {
    if (!this.#root.takeIsChanged() && !this.#isChanged) return;
    this.#isChanged = false;
    this.#emit({ type: 'MESSAGES_SNAPSHOT', messages: clientMessages(state, this.#results) });
  }
}

function isCalled(sent: readonly AgUiMessage[], callId: string): boolean {
  return sent.some((message) => 'toolCalls' in message && message.toolCalls?.some(({ id }) => id === callId));
}

type SubagentEnd = AgentEventOf<'subagent-end'>;

function subagentEnd(subagentRunId: string, type: 'success' | 'suspended'): AgUiEvent {
  return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type } };
}

/** The call of the subagent at a path, also in a step that has ended. */
function callAt(state: AgentState, path: readonly string[]): ToolExecution | undefined {
  let agent: AgentState | null = state;
  let call: ToolExecution | undefined;
  for (const id of path) {
    call = agent === null ? undefined : callsOf(agent).find((one) => one.id === id);
    agent = call?.childState ?? null;
  }
  return call;
}

function callsOf(agent: AgentState): readonly ToolExecution[] {
  return steps(agent).flatMap(({ toolExecutions }) => toolExecutions);
}

function isAtWork(call: ToolExecution | undefined): boolean {
  return call !== undefined && call.childState !== null && !isFinished(call);
}

/** The end of a subagent that was not at work any more when its client came back. */
function endOfSubagent(subagentRunId: string, call: ToolExecution | undefined): AgUiEvent {
  if (call?.status === 'completed') return subagentEnd(subagentRunId, 'success');
  const message = call?.error?.message ?? 'The subagent was broken off.';
  return { type: 'SUBAGENT_ERROR', subagentRunId, message };
}

/** Adds the tokens of a model call to those of its run, by model. */
export function addUsage(usages: Map<string, AgUiUsage>, { model, usage }: InferenceResponse): void {
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

type RunFinished = Extract<AgUiEvent, { type: 'RUN_FINISHED' }>;

function resultOf(reason: StopReason | null): Pick<RunFinished, 'result'> {
  return reason === null || !wasForceStopped(reason) ? {} : { result: { stopReason: reason } };
}

/** The outcome of a stopped run. A client before 1.0 takes no other word, and fails for it. */
function cancelledOutcome(isCurrent: boolean): Pick<RunFinished, 'outcome'> {
  return isCurrent ? { outcome: { type: 'cancelled' } } : {};
}

/** Approvals are interrupts. Outputs of the client end the run as usual; only clients of 1.0 know their names. */
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
