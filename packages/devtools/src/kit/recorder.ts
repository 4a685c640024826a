import {
  type AgentEvent,
  type AgentEventType,
  type AgentSession,
  type ContinuationEvaluation,
  sessionHub,
} from '@vitrine/core';

export type RecordedEvent = {
  readonly number: number;
  readonly type: AgentEventType;
  readonly at: number;
  readonly stepNumber: number | null;
  readonly agentId: string;
  readonly isSubagent: boolean;
  readonly summary: string;
  /** How many deltas in a row this entry stands for. */
  readonly count: number;
};

export type Recording = {
  readonly events: readonly RecordedEvent[];
  /** Entries that had to make room. */
  readonly dropped: number;
  readonly evaluations: readonly ContinuationEvaluation[];
};

export type Recorder = {
  readonly read: (session: AgentSession) => Recording;
  readonly subscribe: (listener: () => void) => () => void;
  readonly clear: (session: AgentSession) => void;
  readonly dispose: () => void;
};

const maxEvents = 500;
const maxEvaluations = 200;
const empty: Recording = { events: [], dropped: 0, evaluations: [] };

/** Writes down the events of all sessions of the page, bounded; deltas are counted, not kept. */
export function createRecorder(): Recorder {
  const recordings = new Map<AgentSession, Recording>();
  const attached = new Map<AgentSession, () => void>();
  const listeners = new Set<() => void>();
  let nextNumber = 1;

  /** What the recorder cannot read must not reach the run. */
  function tryRecord(session: AgentSession, event: AgentEvent): void {
    try {
      record(session, event);
    } catch {
      // An event of another version of the library: it is left out.
    }
  }

  function record(session: AgentSession, event: AgentEvent): void {
    const { events, dropped, evaluations } = recordings.get(session) ?? empty;
    const isOwn = event.agentId === session.getSnapshot().state.agentId;
    const last = events.at(-1);
    const isRepeated = isDelta(event.type) && last?.type === event.type && last.agentId === event.agentId;
    const entry: RecordedEvent = {
      number: isRepeated ? last.number : nextNumber++,
      type: event.type,
      at: event.at,
      stepNumber: event.stepNumber,
      agentId: event.agentId,
      isSubagent: !isOwn,
      summary: summarize(event),
      count: isRepeated ? last.count + 1 : 1,
    };
    const kept = isRepeated ? events.slice(0, -1) : events.length >= maxEvents ? events.slice(1) : events;
    const isFull = !isRepeated && events.length >= maxEvents;
    const records = event.type === 'execution-start' && isOwn && !event.isResumed ? [] : evaluations;
    recordings.set(session, {
      events: [...kept, entry],
      dropped: dropped + (isFull ? 1 : 0),
      evaluations:
        event.type === 'continuation-evaluate' && isOwn
          ? [...records, event.evaluation].slice(-maxEvaluations)
          : records,
    });
    for (const listener of listeners) listener();
  }

  function attach(): void {
    const sessions = sessionHub().sessions();
    for (const session of sessions) {
      if (!attached.has(session))
        attached.set(
          session,
          session.onEvent((event) => tryRecord(session, event)),
        );
    }
    for (const [session, detach] of attached) {
      if (sessions.includes(session)) continue;
      detach();
      attached.delete(session);
      recordings.delete(session);
    }
  }

  attach();
  const leaveHub = sessionHub().subscribe(attach);
  return {
    read: (session) => recordings.get(session) ?? empty,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear(session) {
      recordings.set(session, { ...empty, evaluations: recordings.get(session)?.evaluations ?? [] });
      for (const listener of listeners) listener();
    },
    dispose() {
      leaveHub();
      for (const detach of attached.values()) detach();
      attached.clear();
      listeners.clear();
    },
  };
}

function isDelta(type: AgentEventType): boolean {
  return type.endsWith('-delta');
}

function summarize(event: AgentEvent): string {
  switch (event.type) {
    case 'execution-start':
      return `${event.isResumed ? 'resumed' : 'new'}${event.model === null ? '' : `, ${event.model}`}`;
    case 'execution-end':
      return `${event.status}, ${event.stopReason ?? 'no reason'}`;
    case 'step-end':
      return `${event.stepType}, ${Math.round(event.durationMs)} ms`;
    case 'inference-start':
      return `attempt ${event.attempt}, ${event.request.messages.length} messages, ${event.request.tools.length} tools`;
    case 'inference-end':
      return `${event.response.finishReason}, ${event.response.usage.totalTokens} tokens`;
    case 'inference-retry':
      return `in ${Math.round(event.delayMs)} ms: ${event.error.message}`;
    case 'tool-start':
    case 'tool-end':
    case 'approval-request':
      return `${event.toolExecution.toolCall.name}: ${event.toolExecution.status}`;
    case 'tool-call':
    case 'tool-call-start':
      return event.toolName;
    case 'continuation-evaluate':
      return `${event.evaluation.shouldStop ? 'stop' : 'go on'}: ${event.evaluation.branch} (${event.evaluation.at})`;
    case 'subagent-start':
    case 'subagent-end':
      return event.name;
    case 'hook-end':
    case 'hook-violation':
      return `${event.hook} at ${event.point}`;
    case 'error-record':
      return event.error.message;
    default:
      return '';
  }
}
