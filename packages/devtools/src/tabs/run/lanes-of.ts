import { AgentState, AgentStep, type StepExecution, type ToolExecution } from '@vitrine/core';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { JournalRecord, RecordedPage } from '@vitrine/inspect';
import { nameOfSubagent } from '../../kit/name-at.ts';
import { type OutsideWrites, writesOutside } from '../steps/step-record.ts';
import { type StepState, stepState, waitsForPerson } from '../steps/step-state.ts';

export type SegmentKind =
  /** Hooks and checks before the call, waiting for budget, or storing the start of a tool. */
  | 'before'
  /** The model was called and has not answered yet. */
  | 'first-token'
  | 'streaming'
  /** A call failed and is retried. */
  | 'retry'
  | 'tool'
  /** The run waits for a person. */
  | 'person'
  /** Nobody ran it: the page was closed, or the process had ended. */
  | 'closed';

/** A segment of a bar in Unix milliseconds. */
type Segment = { readonly kind: SegmentKind; readonly from: number; readonly to: number };

/** A row of the waterfall: a step of the agent or of a subagent, a call in it, or changes outside of all steps. */
export type Lane = {
  /** The id of the step or call. */
  readonly id: string;
  readonly kind: 'step' | 'call' | 'writes';
  /** The ids of the tool executions between the root and the agent of the step. */
  readonly path: readonly string[];
  /** The index of the step of that agent. */
  readonly index: number;
  readonly stepId: string;
  /** 0 for steps of the root. */
  readonly depth: number;
  /** The number of a step, the name of a tool, or the place of changes: `before` the first step or `after` the last. */
  readonly label: string;
  /** The name of the subagent that a call runs; null for others. */
  readonly agent: string | null;
  /** The reason why a recorded conversation stands under a call; absent for what is known. */
  readonly guess?: string;
  readonly state: StepState | ToolExecution['status'];
  /** The names of the tools that a step called, or of those that made changes. */
  readonly tools: readonly string[];
  readonly from: number;
  readonly to: number;
  /** True while the step or call is in progress. */
  readonly isOpen: boolean;
  /** Duration in milliseconds, by the monotonic clock if known. */
  readonly durationMs: number;
  readonly segments: readonly Segment[];
  /** Number of tokens, including those of subagents. */
  readonly tokens: number;
  readonly cost: number | null;
  readonly hasError: boolean;
};

/** The marks of a run, and the time up to which unfinished work is drawn. */
type Drawing = {
  readonly marks: Marks;
  readonly now: number;
  /** True for a run of another library, whose work before a model call is not known. */
  readonly isWatched: boolean;
};

/** Lanes of finished steps, which no longer change. */
const archived = new WeakMap<
  StepExecution,
  { readonly marks: StepMarks | undefined; readonly lanes: readonly Lane[] }
>();

/** The rows of the waterfall of a record's last run: each step of the root with its calls and subagents below. */
export function lanesOf(record: JournalRecord): readonly Lane[] {
  const marks = marksOf(record);
  const drawing = { marks, now: record.state.updatedAt, isWatched: record.knows !== undefined };
  const lanes = lanesOfAgent(record.state, [], drawing);
  const rows = new Map(writesOutside(record).map((one) => [one.where, [laneOfWrites(one, lanes)]]));
  return [...(rows.get('before') ?? []), ...lanes, ...(rows.get('after') ?? [])];
}

/** The row of changes outside of steps, which stands at an end of the axis and does not stretch it. */
function laneOfWrites({ where, writers }: OutsideWrites, lanes: readonly Lane[]): Lane {
  const at = where === 'before' ? (lanes[0]?.from ?? 0) : Math.max(...lanes.map(({ to }) => to));
  const place = { kind: 'writes', path: [], index: -1, stepId: '', depth: 0, agent: null } as const;
  const work = { segments: [], isOpen: false, durationMs: 0, tokens: 0, cost: null, hasError: false };
  return { ...place, ...work, id: where, label: where, state: 'completed', tools: writers, from: at, to: at };
}

function lanesOfAgent(state: AgentState, path: readonly string[], drawing: Drawing): readonly Lane[] {
  const executions = AgentState.stepExecutions(state);
  return AgentState.steps(state).flatMap((step, index) => {
    const execution = executions[index];
    const marks = drawing.marks.steps.get(stepKey(path, index + 1));
    const known = execution && archived.get(execution);
    // The events of a step change only when its first ones are dropped from the record.
    if (known && known.marks?.called.length === marks?.called.length) return known.lanes;
    const startedAt = execution?.startedAt ?? state.execution?.currentStepStartedAt ?? drawing.now;
    const times = {
      startedAt,
      completedAt: execution?.completedAt ?? null,
      durationMs: execution?.durationMs ?? null,
    };
    const lanes = lanesOfStep({ step, index, path, marks, ...times }, drawing);
    if (execution) archived.set(execution, { marks, lanes });
    return lanes;
  });
}

type Step = {
  readonly step: AgentStep;
  readonly index: number;
  readonly path: readonly string[];
  readonly marks: StepMarks | undefined;
  readonly startedAt: number;
  /** Null while the step is in progress. */
  readonly completedAt: number | null;
  readonly durationMs: number | null;
};

function lanesOfStep(given: Step, drawing: Drawing): readonly Lane[] {
  const { step, index, path, startedAt, completedAt, durationMs } = given;
  const depth = path.length * 2;
  const to = Math.max(startedAt, completedAt ?? drawing.now);
  const calls = step.toolExecutions.flatMap((call) => lanesOfCall(call, given, drawing));
  const own = AgentStep.usage(step);
  const children = step.toolExecutions.flatMap(({ childState }) =>
    childState ? [AgentState.usage(childState)] : [],
  );
  const costs = [own, ...children].flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return [
    {
      id: step.id,
      kind: 'step',
      path,
      index,
      stepId: step.id,
      depth,
      label: String(index + 1),
      agent: null,
      state: stepState(step, { isOver: completedAt !== null, isRunning: null }),
      tools: step.toolExecutions.map(({ toolCall }) => toolCall.name),
      from: startedAt,
      to,
      isOpen: completedAt === null,
      durationMs: durationMs ?? to - startedAt - msOf(drawing.marks.gaps, startedAt, to),
      segments: segmentsOfStep(given, to, drawing),
      tokens: [own, ...children].reduce((sum, { totalTokens }) => sum + totalTokens, 0),
      cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      hasError: step.errors.length > 0 || calls.some(({ hasError }) => hasError),
    },
    ...calls,
  ];
}

/** The segments of a step, from its events if they were recorded, otherwise from its response. */
function segmentsOfStep({ step, startedAt, marks }: Step, to: number, drawing: Drawing): readonly Segment[] {
  const { marks: all, isWatched } = drawing;
  const response = step.inferenceResponse;
  if (step.sent === null && response === null) return [{ kind: 'before', from: startedAt, to }];
  const called = isWatched ? [] : (marks?.called ?? []);
  const calledAt = called.at(-1) ?? startedAt;
  const firstMs = response?.firstDeltaMs ?? null;
  // An answer of which nothing tells when it began is drawn as one that streams.
  const unknown = step.outputMessages.some(({ parts }) => parts.length > 0) ? calledAt : null;
  const firstAt = firstMs === null ? (marks?.first ?? unknown) : Math.min(to, calledAt + firstMs);
  const endedAt = marks?.ended ?? (response === null ? to : Math.min(to, calledAt + response.durationMs));
  const segments: Segment[] = [{ kind: 'before', from: startedAt, to: called[0] ?? startedAt }];
  for (const { from, ms } of marks?.retries ?? [])
    segments.push({
      kind: 'retry',
      from: marks?.called.findLast((time) => time <= from) ?? from,
      to: Math.min(to, from + ms),
    });
  segments.push({ kind: 'first-token', from: calledAt, to: firstAt ?? endedAt });
  if (firstAt !== null) segments.push({ kind: 'streaming', from: firstAt, to: endedAt });
  for (const call of step.toolExecutions) segments.push(...segmentsOfCall(call, to, all));
  return withGaps(segments, all.gaps);
}

/** The milliseconds of the gaps between two times. */
function msOf(gaps: readonly Gap[], from: number, to: number): number {
  return gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(to, gap.to) - Math.max(from, gap.from)), 0);
}

/** The segments without the times in which nobody ran the agent; those have segments of their own. */
function withGaps(segments: readonly Segment[], gaps: readonly Gap[]): readonly Segment[] {
  let found = segments.filter(({ from, to }) => to > from);
  for (const gap of gaps) {
    const isCut = ({ kind, from, to }: Segment): boolean =>
      kind !== 'person' && from < gap.to && to > gap.from;
    if (!found.some(isCut)) continue;
    const parts = found.flatMap((segment): Segment[] => {
      if (!isCut(segment)) return [segment];
      const { kind, from, to } = segment;
      return [
        { kind, from, to: Math.min(to, gap.from) },
        { kind, from: Math.max(from, gap.to), to },
      ];
    });
    found = [...parts, { kind: 'closed' as const, ...gap }].filter(({ from, to }) => to > from);
  }
  return found;
}

function segmentsOfCall(call: ToolExecution, to: number, { asked }: Marks): readonly Segment[] {
  const question = asked.get(call.id);
  const segments: Segment[] = [];
  if (question)
    segments.push({ kind: 'person', from: question.from, to: question.to ?? call.completedAt ?? to });
  if (call.startedAt === null) return segments;
  const end = call.completedAt ?? call.settledAt ?? to;
  // A tool with effects starts only after its start is stored; its own duration is measured separately.
  const ranFrom =
    call.durationMs === null ? call.startedAt : Math.max(call.startedAt, end - Math.ceil(call.durationMs));
  if (ranFrom > call.startedAt) segments.push({ kind: 'before', from: call.startedAt, to: ranFrom });
  segments.push({ kind: 'tool', from: ranFrom, to: end });
  return segments;
}

const bad: readonly string[] = ['failed', 'interrupted', 'rejected', 'blocked', 'stopped'];

function lanesOfCall(
  call: ToolExecution,
  { step, index, path, startedAt }: Step,
  drawing: Drawing,
): readonly Lane[] {
  const question = drawing.marks.asked.get(call.id);
  const from = question?.from ?? call.startedAt ?? call.settledAt ?? startedAt;
  const end = call.completedAt ?? call.settledAt;
  const to = Math.max(from, end ?? drawing.now);
  const usage = call.childState && AgentState.usage(call.childState);
  const guess = call.childState?.context.metadata['recorded'];
  const below = call.childState ? lanesOfAgent(call.childState, [...path, call.id], drawing) : [];
  return [
    {
      id: call.id,
      kind: 'call',
      path,
      index,
      stepId: step.id,
      depth: path.length * 2 + 1,
      label: call.toolCall.name,
      agent: call.childState === null ? null : nameOfSubagent(call),
      ...(typeof guess === 'string' && { guess }),
      state: call.status === 'running' && waitsForPerson(call) ? 'waiting' : call.status,
      tools: [call.toolCall.name],
      from,
      to,
      isOpen: end === null,
      durationMs: call.durationMs ?? to - from,
      segments: withGaps(segmentsOfCall(call, to, drawing.marks), drawing.marks.gaps),
      tokens: usage?.totalTokens ?? 0,
      cost: usage?.cost ?? null,
      hasError: bad.includes(call.status),
    },
    ...below,
  ];
}

/** Times of a run, or of a page of its record, that only events contain. */
type Marks = {
  /** Times by agent and step (see `stepKey`): model calls, first output, and delays before retries. */
  readonly steps: Map<string, StepMarks>;
  /** The times of each request to a person and of the answer, by call id. */
  readonly asked: Map<string, { readonly from: number; readonly to: number | null }>;
  /** The times in which nobody ran the agent, in order. */
  readonly gaps: Gap[];
};

type Gap = { readonly from: number; readonly to: number };

type StepMarks = {
  readonly called: readonly number[];
  readonly first: number | null;
  readonly ended: number | null;
  readonly retries: readonly { readonly from: number; readonly ms: number }[];
};

const none: StepMarks = { called: [], first: null, ended: null, retries: [] };

/** The key of a step of the agent at a path; steps count from 1. */
function stepKey(path: readonly string[], number: number): string {
  return `${path.join('/')}#${number}`;
}

/** The marks of the last run of a record. Full pages are read once. */
function marksOf(record: JournalRecord): Marks {
  const { steps, asked, gaps }: Marks = { steps: new Map(), asked: new Map(), gaps: [] };
  for (const page of pagesOfRun(record)) {
    const found = marksIn(page);
    for (const [key, marks] of found.steps) steps.set(key, joinMarks(steps.get(key), marks));
    for (const [id, { from, to }] of found.asked) asked.set(id, { from: asked.get(id)?.from ?? from, to });
    gaps.push(...found.gaps);
  }
  return { steps, asked, gaps };
}

/** Each step of the root starts a page, so a run starts at a page boundary, or at the oldest kept event. */
function pagesOfRun({ pages }: JournalRecord): readonly RecordedPage[] {
  const first = pages.findLastIndex(({ events }) => {
    const entry = events[0];
    return entry?.event.type === 'step-start' && entry.event.path.length === 0 && entry.stepNumber === 1;
  });
  return pages.slice(Math.max(0, first));
}

const marksIn = memoize(({ base, events }: RecordedPage): Marks => {
  const marks: Marks = { steps: new Map(), asked: new Map(), gaps: [] };
  let [last, isPaused] = [base.updatedAt, base.execution?.waitingSince != null];
  for (const { event, stepNumber } of events) {
    const { at } = event;
    if (event.type === 'execution-resume' && event.path.length === 0 && !isPaused && at > last)
      marks.gaps.push({ from: last, to: at });
    if (event.path.length === 0 && event.type.startsWith('execution-'))
      isPaused = event.type === 'execution-pause';
    last = Math.max(last, at);
    if (event.type === 'approval-request' || event.type === 'output-request')
      marks.asked.set(event.toolCallId, { from: at, to: null });
    else if (event.type === 'approval-answer')
      marks.asked.set(event.toolCallId, { from: marks.asked.get(event.toolCallId)?.from ?? at, to: at });
    if (stepNumber === null) continue;
    const key = stepKey(event.path, stepNumber);
    const step = marks.steps.get(key) ?? none;
    if (event.type === 'inference-start')
      marks.steps.set(key, { ...step, called: [...step.called, at], first: null });
    else if (
      event.type === 'first-delta' ||
      // Journals of earlier versions have no event of its own for the first content.
      event.type === 'text-delta' ||
      event.type === 'reasoning-delta' ||
      event.type === 'tool-call-start'
    )
      marks.steps.set(key, { ...step, first: step.first ?? at });
    else if (event.type === 'inference-end') marks.steps.set(key, { ...step, ended: at });
    else if (event.type === 'inference-retry')
      marks.steps.set(key, { ...step, retries: [...step.retries, { from: at, ms: event.delayMs }] });
  }
  return marks;
});

function joinMarks(before: StepMarks | undefined, after: StepMarks): StepMarks {
  if (before === undefined) return after;
  return {
    called: [...before.called, ...after.called],
    // A new call resets the time of its first output.
    first: after.called.length > 0 ? after.first : (before.first ?? after.first),
    ended: after.ended ?? before.ended,
    retries: [...before.retries, ...after.retries],
  };
}
