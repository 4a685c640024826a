import { AgentState, AgentStep, type Message, type StepExecution } from '@vitrine/core';
import {
  eventsOf,
  type HubSource,
  type JournalRecord,
  type LeftOut,
  leftOut,
  type RecordedEvent,
  runsOf,
  stateAt,
  stateBefore,
} from '@vitrine/inspect';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { recordAt } from '@vitrine/inspect/internal/journal-record';
import { stepSpans } from '@vitrine/inspect/internal/step-spans';
import { callAt } from '../../kit/name-at.ts';

/** The model request of a step, reconstructed. */
export type StepRequest = NonNullable<ReturnType<typeof AgentStep.request>>;

export type StepRecord = {
  readonly number: number;
  readonly step: AgentStep;
  /** The times of the step; null while it is in progress. */
  readonly execution: StepExecution | null;
  /** True if the events were recorded; otherwise the data comes from the stored state. */
  readonly isRecorded: boolean;
  readonly events: readonly RecordedEvent[];
  /** The record at the end of the step, or so far. */
  readonly after: JournalRecord;
  /** The state before the step; null when it was not recorded. */
  readonly stateBefore: AgentState | null;
  readonly stateAtCall: AgentState;
  /** The actual request; null before the call. */
  readonly request: StepRequest | null;
  readonly requestBefore: StepRequest | null;
  readonly leftOut: readonly LeftOut[];
  /** True when a hook or tool rewrote, removed or summarised messages of the conversation before the call. */
  readonly isRewritten: boolean;
  /** Number of known steps of the run. */
  readonly steps: number;
  /** The state after another step of the run; null when it was not recorded. */
  readonly stateAfter: (number: number) => AgentState | null;
};

/** The data of a finished step that no longer changes. */
type Lasting = Omit<StepRecord, 'after' | 'stateBefore' | 'steps' | 'stateAfter'> & {
  // Computed on demand, because a search needs neither.
  readonly after: () => JournalRecord;
  readonly stateBefore: () => AgentState | null;
};

const finished = new WeakMap<StepExecution, Lasting>();

/** The step at an index of the current run. The record must end in that run. */
export function stepRecordOf(record: JournalRecord, index: number): StepRecord | null {
  const { state } = record;
  const steps = AgentState.steps(state);
  if (!steps[index]) return null;
  const execution = AgentState.stepExecutions(state)[index];
  const spans = stepSpans(record);
  const isOver = execution !== undefined && spans.has(steps[index].id) && index < steps.length - 1;
  const known = isOver ? finished.get(execution) : undefined;
  const { after, stateBefore: before, ...lasting } = known ?? lastingOf(record, index);
  if (isOver && !known) finished.set(execution, { after, stateBefore: before, ...lasting });
  return {
    ...lasting,
    get after() {
      return after();
    },
    get stateBefore() {
      return before();
    },
    steps: steps.length,
    stateAfter(other) {
      const there = spans.get(steps[other - 1]?.id ?? '');
      return there ? stateAt(record, there.to) : null;
    },
  };
}

function lastingOf(record: JournalRecord, index: number): Lasting {
  const { state } = record;
  const steps = AgentState.steps(state);
  const step = steps[index] as AgentStep;
  const before = steps[index - 1];
  const span = stepSpans(record).get(step.id);
  const stateAtCall = span?.calledAt == null ? state : stateAt(record, span.calledAt);
  // The state at the call has the messages as they were sent, even if they changed later.
  const called = AgentState.steps(stateAtCall).find(({ id }) => id === step.id) ?? step;
  let after: JournalRecord | null = null;
  return {
    number: index + 1,
    step,
    execution: AgentState.stepExecutions(state)[index] ?? null,
    isRecorded: span !== undefined,
    events: span ? eventsOf(record).slice(span.from, span.to + 1) : [],
    after: () => (after ??= span ? recordAt(record, span.to) : record),
    stateBefore: () => (span ? stateBefore(record, span.from) : null),
    stateAtCall,
    request: AgentStep.request(stateAtCall, called),
    requestBefore: before ? AgentStep.request(stateAtCall, before) : null,
    leftOut: leftOut(stateAtCall, called),
    isRewritten: isRewritten(record, stateAtCall),
  };
}

function isRewritten(record: JournalRecord, { seq, context }: AgentState): boolean {
  const { sections } = context.store;
  const ids = new Set<string>(sections.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const isChange = ({ event }: RecordedEvent): boolean =>
    event.type === 'section-change' &&
    event.path.length === 0 &&
    event.seq <= seq &&
    ![null, 'app', 'user'].includes(event.source) &&
    // A message that moved to another section was removed from its own.
    (event.put.length > 0 || event.removed.some((id) => !ids.has(id)));
  const isSummarised = sections.some(({ name, messages }) => name === 'summary' && messages.length > 0);
  return isSummarised || eventsOf(record).some(isChange);
}

/** Changes before the first step of a run or behind its end, as indexes of `eventsOf(record)`. */
export type OutsideWrites = {
  readonly where: 'before' | 'after';
  readonly from: number;
  readonly to: number;
  /** Their writers by name, each once. */
  readonly writers: readonly string[];
};

/** The changes outside of the steps of the current run. The message with which a person began it is none. */
export const writesOutside: (record: JournalRecord) => readonly OutsideWrites[] = memoize((record) => {
  const { execution } = record.state;
  const [steps, events] = [AgentState.steps(record.state), eventsOf(record)];
  const [first, last] = [steps[0], steps.at(-1)].map((step) => stepSpans(record).get(step?.id ?? ''));
  const begun = runsOf(record).findLast(({ executionId }) => executionId === execution?.executionId)?.first;
  const isOver = execution?.completedAt != null;
  // What is watched from outside has no writers.
  if (record.knows !== undefined) return [];
  const parts = [
    { where: 'before' as const, from: begun ?? -1, to: (first?.from ?? 0) - 1 },
    { where: 'after' as const, from: isOver && last ? last.to + 1 : -1, to: events.length - 1 },
  ];
  return parts.flatMap((part) => {
    const own = part.from < 0 ? [] : events.slice(part.from, part.to + 1);
    const writers = own.flatMap(({ event }) => {
      const isStart = event.type === 'message-add' && event.message.role === 'user';
      return 'source' in event && event.path.length === 0 && !isStart ? [event.source ?? 'app'] : [];
    });
    return writers.length === 0 ? [] : [{ ...part, writers: [...new Set(writers)] }];
  });
});

const comparedParts = ['systemPrompt', 'tools', 'model', 'settings', 'toolChoice', 'responseFormat'] as const;

/** The differences between a request and the previous one. */
export type RequestChange = {
  /** Ids of the messages that were not sent before. */
  readonly added: ReadonlySet<string>;
  /** Messages that are no longer sent. */
  readonly gone: readonly Message[];
  /** Messages that were sent before with other content. */
  readonly edited: readonly { readonly before: Message; readonly after: Message }[];
  /** The previous system prompt; null when it is unchanged. */
  readonly promptBefore: string | null;
  /** The other parts that differ. */
  readonly changed: readonly (typeof comparedParts)[number][];
};

export function requestChange(request: StepRequest, before: StepRequest): RequestChange {
  const sentBefore = new Map(before.messages.map((message) => [message.id, message]));
  const ids = new Set(request.messages.map(({ id }) => id));
  return {
    added: new Set([...ids].filter((id) => !sentBefore.has(id))),
    gone: before.messages.filter(({ id }) => !ids.has(id)),
    edited: request.messages.flatMap((after) => {
      const then = sentBefore.get(after.id);
      return then && !isSame(then.parts, after.parts) ? [{ before: then, after }] : [];
    }),
    promptBefore: request.systemPrompt === before.systemPrompt ? null : before.systemPrompt,
    changed: comparedParts.filter((part) => !isSame(request[part], before[part])),
  };
}

/** Most parts are the same object, because requests share them by hash. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export type StepPageProps = {
  readonly record: StepRecord;
  readonly source: HubSource;
  /** The record of the root, to which the step of a subagent belongs as well. */
  readonly root: JournalRecord;
  /** True for a step of a subagent, for which the source has no data. */
  readonly isOfSubagent: boolean;
};

const childrenOf = memoize((_record: JournalRecord) => new Map<string, JournalRecord | null>());

/**
 * The record of a subagent, as if it had been recorded separately; null when the path leads to none. If its start was
 * not recorded, the record contains only the state.
 * @param path The tool executions between the root and the subagent; an empty path returns the record itself.
 */
export function childRecord(record: JournalRecord, path: readonly string[]): JournalRecord | null {
  if (path.length === 0) return record;
  const children = childrenOf(record);
  const key = path.join('/');
  if (!children.has(key)) children.set(key, recordAlone(record, path));
  return children.get(key) ?? null;
}

function recordAlone(record: JournalRecord, path: readonly string[]): JournalRecord | null {
  const state = callAt(record.state, path)?.childState ?? null;
  if (state === null) return null;
  const journalId = `${record.pages.at(-1)?.journalId ?? ''}/${path.join('/')}`;
  const events = eventsOf(record);
  const callId = path.at(-1);
  const start = events.findLastIndex(
    ({ event }) => event.type === 'subagent-start' && event.toolCallId === callId,
  );
  const begun = events[start]?.event;
  const nothing = { stored: [], missed: 0, dropped: { events: 0, steps: 0, bytes: 0 } };
  const whole = { ...record, ...nothing, state };
  if (begun?.type !== 'subagent-start') return { ...whole, pages: [{ journalId, base: state, events: [] }] };
  const own = events.slice(start + 1).flatMap((entry) => {
    const { event } = entry;
    if (event.path.length < path.length || path.some((id, at) => event.path[at] !== id)) return [];
    return [{ ...entry, event: { ...event, path: event.path.slice(path.length) } }];
  });
  return { ...whole, pages: [{ journalId, base: begun.child, events: own }] };
}
