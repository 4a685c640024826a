import { AgentState, AgentStep, type StepExecution, type ToolExecution } from '@vitrine/core';
import type { JournalRecord } from '@vitrine/core/inspect';
import { stepState, waitsForPerson } from '../steps/step-state.ts';
import type { Lane, Segment } from './lane.ts';
import { type Marks, marksOf, stepKey, type StepMarks } from './marks.ts';

/** The marks of a run, and the time up to which unfinished work is drawn. */
type Drawing = { readonly marks: Marks; readonly now: number };

/** Lanes of finished steps, which no longer change. */
const archived = new WeakMap<
  StepExecution,
  { readonly marks: StepMarks | undefined; readonly lanes: readonly Lane[] }
>();

/**
 * The rows of the waterfall of a record's last run: each step of the root with its calls and subagents
 * below.
 */
export function lanesOf(record: JournalRecord): readonly Lane[] {
  const marks = marksOf(record);
  return lanesOfAgent(record.state, [], { marks, now: record.state.updatedAt });
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
      state: stepState(step, { isOver: completedAt !== null, isRunning: null }),
      tools: step.toolExecutions.map(({ toolCall }) => toolCall.name),
      from: startedAt,
      to,
      isOpen: completedAt === null,
      durationMs: durationMs ?? to - startedAt,
      segments: segmentsOfStep(given, to, drawing.marks),
      tokens: [own, ...children].reduce((sum, { totalTokens }) => sum + totalTokens, 0),
      cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      hasError: step.errors.length > 0 || calls.some(({ hasError }) => hasError),
    },
    ...calls,
  ];
}

/** The segments of a step, from its events if they were recorded, otherwise from its response. */
function segmentsOfStep({ step, startedAt, marks }: Step, to: number, all: Marks): readonly Segment[] {
  const response = step.inferenceResponse;
  if (step.sent === null && response === null) return [{ kind: 'before', from: startedAt, to }];
  const calledAt = marks?.called.at(-1) ?? startedAt;
  const firstAt =
    response?.firstDeltaMs == null ? (marks?.first ?? null) : Math.min(to, calledAt + response.firstDeltaMs);
  const endedAt = marks?.ended ?? (response === null ? to : Math.min(to, calledAt + response.durationMs));
  const segments: Segment[] = [{ kind: 'before', from: startedAt, to: marks?.called[0] ?? startedAt }];
  for (const { from, ms } of marks?.retries ?? [])
    segments.push({
      kind: 'retry',
      from: lastBefore(marks?.called ?? [], from),
      to: Math.min(to, from + ms),
    });
  segments.push({ kind: 'first-token', from: calledAt, to: firstAt ?? endedAt });
  if (firstAt !== null) segments.push({ kind: 'streaming', from: firstAt, to: endedAt });
  for (const call of step.toolExecutions) segments.push(...segmentsOfCall(call, to, all));
  return segments.filter(({ from, to: end }) => end > from);
}

function lastBefore(times: readonly number[], at: number): number {
  return times.findLast((time) => time <= at) ?? at;
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
      state: call.status === 'running' && waitsForPerson(call) ? 'waiting' : call.status,
      tools: [call.toolCall.name],
      from,
      to,
      isOpen: end === null,
      durationMs: call.durationMs ?? to - from,
      segments: segmentsOfCall(call, to, drawing.marks),
      tokens: usage?.totalTokens ?? 0,
      cost: usage?.cost ?? null,
      hasError: bad.includes(call.status),
    },
    ...below,
  ];
}
