import type { Tool } from '../../agent/tool.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { isJoint, isReady, isSettled } from '../answer-call.ts';
import type { AgentEvent } from '../events.ts';
import { isLeaseRevoked, standingBreak, stateOf } from '../run.ts';
import { work } from '../../kit/work.ts';
import { callOf, indexOfCall, stateAtPath } from '../state-at.ts';
import { endCall } from './end-call.ts';
import { runCall } from './run-call.ts';
import { Batch, type Run } from '../slots.ts';

/**
 * Runs the unfinished calls of the step in flight, several at a time. A call that waits for a person, or
 * whose subagent does, takes no place. An answer that arrives while others run is used at once.
 * @returns true when calls wait for a person, so that the step cannot end yet.
 */
export async function runTools(run: Run, tools: readonly Tool[]): Promise<boolean> {
  const batch = new Batch(run, tools);
  const unsubscribe = run.lease.subscribe((event) => {
    if ('toolCallId' in event && event.type !== 'call-change') batch.opening.delete(event.toolCallId);
    if (!isAnswer(event)) return;
    const at = indexIn(run, event);
    // Calls behind a released one have not been considered, and an answer may be the last for which others have waited.
    if (isReleaseOf(run, event) || isJointAnswer(run, event)) batch.next = 0;
    if (at >= 0) batch.again.add(at);
    batch.wake();
  });
  try {
    for (;;) {
      batch.changed = new Promise<void>((resolve) => (batch.wake = resolve));
      const start = (): void => {
        if (batch.fatal === null && !run.signal.aborted && standingBreak(run) === null) startReady(batch);
      };
      start();
      if (batch.inFlight.size === 0) {
        // Before the step waits for a person, every call is considered once more.
        batch.next = 0;
        start();
      }
      if (batch.inFlight.size === 0) break;
      await batch.changed;
    }
  } finally {
    unsubscribe();
  }
  if (batch.fatal === null && !run.signal.aborted) return calls(run).some((call) => !isSettled(call));
  await endOpen(batch);
  throw batch.fatal?.thrown ?? run.signal.reason;
}

/** Starts calls that need no person, in call order. Of thousands, only new or ready ones are considered. */
function startReady(batch: Batch): void {
  const { run, inFlight, idle, ended, again } = batch;
  const list = calls(run);
  const isFull = (): boolean => inFlight.size - idle.size - ended.size >= run.agent.toolConcurrency;
  for (const at of [...again].sort((a, b) => a - b)) {
    if (isFull()) return;
    again.delete(at);
    if (!startIfReady(batch, list, at)) return;
  }
  for (; batch.next < list.length && !isFull(); batch.next++)
    if (!startIfReady(batch, list, batch.next)) return;
}

/** Starts a call unless it waits or has ended. @returns false at a breakpoint, where no call starts. */
function startIfReady(batch: Batch, list: readonly ToolExecution[], at: number): boolean {
  const call = list[at];
  const { inFlight, again } = batch;
  work.units++;
  const root = batch.run.lease.state();
  if (call === undefined || inFlight.has(call.id) || isSettled(call) || !isReady(call, root)) return true;
  // A call that a person has approved, or that has begun, has passed this place.
  if (call.status === 'requested' && call.approval === null && batch.run.slots.waitsAt('tool', call))
    return false;
  const done = runCall(batch, call.id)
    .catch((thrown: unknown) => {
      batch.fatal ??= { thrown };
    })
    .finally(() => {
      inFlight.delete(call.id);
      batch.opening.delete(call.id);
      again.add(at);
      batch.wake();
    });
  inFlight.set(call.id, done);
  return true;
}

/** Ends every open call of the step in flight, because the step ends without them. */
export function endOpenCalls(run: Run): Promise<void> {
  return endOpen(new Batch(run, []));
}

async function endOpen(batch: Batch): Promise<void> {
  for (const { id } of calls(batch.run)) {
    const call = callOf(stateOf(batch.run), id);
    if (call === null || isSettled(call)) continue;
    try {
      await endCall(batch, call);
    } catch (thrown) {
      if (isLeaseRevoked(thrown)) throw thrown;
      batch.fatal ??= { thrown };
    }
  }
}

function calls(run: Run): readonly ToolExecution[] {
  return currentStep(stateOf(run))?.toolExecutions ?? [];
}

/** Index of the call of this run that an answer belongs to, directly or in its subagent; -1 for any other. */
function indexIn({ lease, path }: Run, event: Answer): number {
  if (path.some((id, at) => event.path[at] !== id)) return -1;
  const own = stateAtPath(lease.state(), path);
  const list = own === null ? [] : (currentStep(own)?.toolExecutions ?? []);
  const id = event.path[path.length] ?? ('toolCallId' in event ? event.toolCallId : null);
  return id === null ? -1 : indexOfCall(list, id);
}

type Answer = Extract<AgentEvent, { type: 'approval-answer' | 'tool-end' | 'break-release' }>;

function isAnswer(event: AgentEvent): event is Answer {
  return event.type === 'approval-answer' || event.type === 'tool-end' || event.type === 'break-release';
}

/** True for the answer to a joint call of any agent. */
function isJointAnswer({ lease }: Run, event: Answer): boolean {
  const agent = event.type === 'approval-answer' ? stateAtPath(lease.state(), event.path) : null;
  const call = agent === null || !('toolCallId' in event) ? null : callOf(agent, event.toolCallId);
  return call !== null && isJoint(call);
}

function isReleaseOf({ path }: Run, event: Answer): boolean {
  return event.type === 'break-release' && event.path.join('/') === path.join('/');
}
