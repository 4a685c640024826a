import { AgentState, AgentStep, type Message, type StepExecution } from '@vitrine/core';
import {
  eventsOf,
  type JournalRecord,
  type LeftOut,
  leftOut,
  recordAt,
  type RecordedEvent,
  stateAt,
  stateBefore,
  stepSpans,
} from '@vitrine/core/inspect';

/** The model call of a step, put together again. */
export type StepRequest = NonNullable<ReturnType<typeof AgentStep.request>>;

/** Everything that is known of one step. */
export type StepRecord = {
  readonly number: number;
  readonly step: AgentStep;
  /** Its times; null while it is in flight. */
  readonly execution: StepExecution | null;
  /** Whether its events were recorded; else it is known as the stored state tells it. */
  readonly isRecorded: boolean;
  readonly events: readonly RecordedEvent[];
  /** The record when the step was over, or as far as it is. */
  readonly after: JournalRecord;
  /** The state that it found; null when that was not recorded. */
  readonly stateBefore: AgentState | null;
  /** The state in which its model was called. */
  readonly stateAtCall: AgentState;
  /** What was really sent; null before the call. */
  readonly request: StepRequest | null;
  /** What the step before it was sent. */
  readonly requestBefore: StepRequest | null;
  readonly leftOut: readonly LeftOut[];
  /** How many steps its run has, as far as it is known. */
  readonly steps: number;
  /** The state when another step of the run was over; null when that was not recorded. */
  readonly stateAfter: (number: number) => AgentState | null;
};

/** What does not change again of a step that is over, whatever becomes of the run. */
type Lasting = Omit<StepRecord, 'after' | 'stateBefore' | 'steps' | 'stateAfter'> & {
  // Found out when a view asks for it: a search asks for neither.
  readonly after: () => JournalRecord;
  readonly stateBefore: () => AgentState | null;
};

const finished = new WeakMap<StepExecution, Lasting>();

/** The step at an index of the present run, of a record whose last state is in that run. */
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
  // In the state of its call the messages are as they were then, also those that were changed later.
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
  };
}

/** What a request has that the one before had not. */
export type RequestChange = {
  /** Ids of the messages that were not sent before. */
  readonly added: ReadonlySet<string>;
  /** Messages that were sent before and are no longer. */
  readonly gone: readonly Message[];
  /** Messages that were sent before with other content. */
  readonly edited: readonly { readonly before: Message; readonly after: Message }[];
  /** The system prompt as it was, where it is another one now. */
  readonly promptBefore: string | null;
  /** Which other parts differ, in words. */
  readonly changed: readonly string[];
};

/** What is new in a request against another one. */
export function requestChange(request: StepRequest, before: StepRequest): RequestChange {
  const sentBefore = new Map(before.messages.map((message) => [message.id, message]));
  const ids = new Set(request.messages.map(({ id }) => id));
  const parts = {
    'system prompt': 'systemPrompt',
    tools: 'tools',
    model: 'model',
    settings: 'settings',
    'tool choice': 'toolChoice',
    'response format': 'responseFormat',
  } as const;
  return {
    added: new Set([...ids].filter((id) => !sentBefore.has(id))),
    gone: before.messages.filter(({ id }) => !ids.has(id)),
    edited: request.messages.flatMap((after) => {
      const then = sentBefore.get(after.id);
      return then && !isSame(then.parts, after.parts) ? [{ before: then, after }] : [];
    }),
    promptBefore: request.systemPrompt === before.systemPrompt ? null : before.systemPrompt,
    changed: Object.entries(parts).flatMap(([name, key]) =>
      isSame(request[key], before[key]) ? [] : [name],
    ),
  };
}

/** Most are the same value behind the same hash. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
