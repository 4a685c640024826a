import type { StopSignal } from '@vitrine/core/internal/graph/stop-signal';
import type { AgentChange } from '@vitrine/core/internal/run/events';

/** The inputs of a recording that did not come from the loop, so that a replay has to provide them. */
export type ExternalInputs = {
  /** Indexes of events of others: a person, the application, and tools, which do not run again. */
  readonly given: ReadonlySet<number>;
  /** Those of a running tool and of clocks, which come at once. */
  readonly instant: ReadonlySet<number>;
  /** Indexes of the questions and breakpoints without which a person could not have acted, by the index of the act. */
  readonly needs: ReadonlyMap<number, readonly number[]>;
  /** Messages that a person added to the run, by the index of the step-end before them. */
  readonly steered: ReadonlyMap<number, readonly number[]>;
  /** Aborts from outside: the signal of each, by the index of the event after it. */
  readonly aborts: ReadonlyMap<number, StopSignal>;
};

/** Assigns the events of a recording to their authors. */
export function externalInputsIn(events: readonly AgentChange[]): ExternalInputs {
  const steered = steeredIn(events);
  const isSteered = new Set([...steered.values()].flat());
  const given = new Set<number>();
  const instant = new Set<number>();
  let isRunning = false;
  let isEnded = false;
  /** The name of the tool that has just ended, by agent, until another event follows. */
  const ended = new Map<string, string | null>();
  const names = new Map<string, string>();
  for (const [index, event] of events.entries()) {
    const agent = event.path.join('/');
    if ('toolName' in event && 'toolCallId' in event && event.toolName !== undefined)
      names.set(event.toolCallId, event.toolName);
    const isRoot = event.path.length === 0;
    // A person lets a run go on behind its end; the loop resumes it after that.
    const isReopened: boolean = isRoot && isEnded && event.type === 'execution-resume';
    if (isRoot && (event.type === 'execution-start' || event.type === 'execution-resume'))
      [isRunning, isEnded] = [!isReopened, false];
    const isOutside = isOthers(event) || (event.type === 'message-add' && event.source === 'user');
    const isOfTool = isAfter(event, ended.get(agent) ?? null);
    const isIdle = !isRunning && event.type !== 'plugin-change';
    if ((isOutside && !isSteered.has(index)) || isOfTool || isIdle) given.add(index);
    if (isOfTool || instantTypes.has(event.type)) instant.add(index);
    if (isRoot && (event.type === 'execution-end' || event.type === 'execution-pause'))
      [isRunning, isEnded] = [false, event.type === 'execution-end'];
    if (event.type === 'tool-end') ended.set(agent, names.get(event.toolCallId) ?? null);
    else if (!isOfTool && !isOutside) ended.delete(agent);
  }
  const needs = needsIn(events, given);
  return { given, instant, needs, steered, aborts: abortsIn(events) };
}

const instantTypes: ReadonlySet<string> = new Set(['tool-progress', 'first-delta', 'budget-wait']);

/** Assigns acts of a person to the question or the breakpoint that they answer; edits have that of their act as well. */
function needsIn(events: readonly AgentChange[], given: ReadonlySet<number>): Map<number, readonly number[]> {
  const actOf = actsIn(events);
  const lastOf = new Map<string, number>();
  const needs = new Map<number, readonly number[]>();
  for (const [index, event] of events.entries()) {
    const agent = event.path.join('/');
    const subject = event.type.startsWith('break-')
      ? 'break'
      : 'toolCallId' in event
        ? event.toolCallId
        : null;
    const key = `${agent} ${subject}`;
    const last = subject === null ? undefined : lastOf.get(key);
    if (given.has(index) && last !== undefined) needs.set(index, [last]);
    if (event.type !== 'break-set' && !actOf.has(index)) lastOf.set(key, index);
  }
  for (const [part, act] of actOf) needs.set(part, [...(needs.get(part) ?? []), ...(needs.get(act) ?? [])]);
  return needs;
}

/** True for the end of a call whose result a person gave just before, maybe while its step was cut short. */
export function isLastResult(events: readonly AgentChange[], index: number): boolean {
  const [given, end] = [events[index - 1], events[index]];
  if (end?.type !== 'call-settle' || given?.type !== 'tool-end') return false;
  return given.toolCallId === end.toolCallId && end.outcome !== 'interrupted';
}

/** The index of the answer or release that each edit and each remembered decision belongs to. */
function actsIn(events: readonly AgentChange[]): Map<number, number> {
  const acts = new Map<number, number>();
  for (const [act, { type, path }] of events.entries()) {
    if (type !== 'break-release' && type !== 'approval-answer') continue;
    for (let at = act - 1; at >= 0; at--) {
      const edit = events[at] as AgentChange;
      if (!isEdit(edit) || edit.path.join('/') !== path.join('/')) break;
      acts.set(at, act);
    }
    if (events[act + 1]?.type === 'approval-remember') acts.set(act + 1, act);
  }
  return acts;
}

function isEdit(event: AgentChange): boolean {
  if (event.type === 'tool-end' || event.type === 'call-change') return isOthers(event);
  return (event.type === 'section-change' || event.type === 'context-change') && event.source === 'user';
}

/** True for an event of a person or the application, and for one that depends on timing alone. */
function isOthers(event: AgentChange): boolean {
  switch (event.type) {
    case 'approval-answer':
    case 'approval-remember':
    case 'tool-progress':
    case 'budget-wait':
    case 'break-release':
    case 'first-delta':
      return true;
    case 'break-set':
      // A run itself takes away a breakpoint for one hit.
      return event.on !== null || !event.isOnce;
    case 'tool-end':
      return event.status === 'completed' && event.durationMs === null;
    case 'call-change':
      return event.source === 'user' && (event.input !== undefined || event.status === 'completed');
    case 'continuation-request':
      return event.source === 'app';
    default:
      return (
        'source' in event &&
        (event.source === 'app' || event.source === 'user') &&
        event.type !== 'message-add'
      );
  }
}

/** True for a change of a tool besides its result, or an error of it; both follow the end of the tool at once. */
function isAfter(event: AgentChange, toolName: string | null): boolean {
  if (toolName === null) return false;
  if (event.type === 'error-record') return true;
  return 'source' in event && event.source === toolName && event.type !== 'call-change';
}

/** The messages between the end of a step and the next event, with their continuation request. */
function steeredIn(events: readonly AgentChange[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  let stepEnd: number | null = null;
  let messages: number[] = [];
  for (const [index, event] of events.entries()) {
    if (event.path.length > 0) continue;
    if (event.type === 'step-end') [stepEnd, messages] = [index, []];
    else if (event.type === 'message-add' && event.source === 'user') messages.push(index);
    else if (event.type === 'continuation-request' && event.source === 'user' && stepEnd !== null)
      found.set(stepEnd, messages);
    else if (event.type === 'continuation-evaluate' || event.type === 'step-start') stepEnd = null;
  }
  return found;
}

const abortReasons: ReadonlySet<string> = new Set(['user-requested', 'time-limit-reached']);

/** The aborts of a recording, found by interrupted calls and the signal. */
function abortsIn(events: readonly AgentChange[]): Map<number, StopSignal> {
  const found = new Map<number, StopSignal>();
  let first: number | null = null;
  let isStoppedInside = false;
  for (const [index, event] of events.entries()) {
    const isRoot = event.path.length === 0;
    if (isRoot && startsAnew.has(event.type)) [first, isStoppedInside] = [null, false];
    if (event.type === 'tool-end' && event.status === 'stopped') isStoppedInside = true;
    if (isTrace(event)) first ??= index;
    if (isRoot && isAbort(event) && !isStoppedInside) found.set(first ?? index, event.signal);
  }
  return found;
}

const startsAnew: ReadonlySet<string> = new Set([
  'execution-start',
  'execution-resume',
  'step-start',
  'execution-end',
]);

/** True for the signal of an abort. Signals of hooks and applications name the execution; this one does not. */
function isAbort(event: AgentChange): event is Extract<AgentChange, { readonly type: 'stop-signal' }> {
  return (
    event.type === 'stop-signal' &&
    event.executionId === undefined &&
    abortReasons.has(event.signal.reason) &&
    (event.signal.source !== 'budget' || event.signal.reason === 'time-limit-reached')
  );
}

function isTrace(event: AgentChange): boolean {
  if (event.type === 'tool-end') return event.status === 'interrupted' && event.durationMs !== null;
  if (event.type === 'call-settle') return event.outcome === 'interrupted';
  if (event.type === 'usage-charge') return event.reason === 'aborted';
  return event.path.length > 0 && isAbort(event);
}

/** The next model call among the events that an agent has not repeated, and whether an interrupted one is charged. */
export function nextCallOf(open: readonly AgentChange[]): {
  readonly attempt: number;
  readonly isCharged: boolean;
} {
  const at = open.findIndex(({ type }) => type === 'inference-start');
  const next = open[at];
  const before = at < 0 ? open : open.slice(0, at);
  const isCharged = before.some((event) => event.type === 'usage-charge' && event.reason === 'interrupted');
  return { attempt: next?.type === 'inference-start' ? next.attempt : 1, isCharged };
}
