import type { Tool } from '../../agent/tool.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { isReady, isSettled } from '../answer-call.ts';
import type { AgentEvent } from '../events.ts';
import { LeaseRevoked, type Run, stateOf } from '../run.ts';
import { callOf } from '../state-at.ts';
import { type Batch, createBatch } from './batch.ts';
import { endCall, runCall } from './run-call.ts';

/**
 * Runs the calls of the step in flight that have no result yet, several at a time. A call that waits for a person, or
 * whose subagent does, holds no place; an answer that comes while others run is taken up at once.
 * @returns true when calls wait for a person, so that the step cannot end yet.
 */
export async function runTools(run: Run, tools: readonly Tool[]): Promise<boolean> {
  const batch = createBatch(run, tools);
  let wake = (): void => undefined;
  const unsubscribe = run.lease.subscribe((event) => {
    if (isAnswer(event)) wake();
  });
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      if (batch.fatal === null && !run.signal.aborted) startReady(batch, () => wake());
      if (batch.inFlight.size === 0) break;
      await changed;
    }
  } finally {
    unsubscribe();
  }
  if (batch.fatal === null && !run.signal.aborted) return calls(run).some((call) => !isSettled(call));
  await endOpen(batch);
  throw batch.fatal?.thrown ?? run.signal.reason;
}

/** Starts what can go on without a person, in call order, as far as there are places. */
function startReady(batch: Batch, onEnd: () => void): void {
  const { run, inFlight } = batch;
  for (const call of calls(run)) {
    if (inFlight.size >= run.agent.toolConcurrency) return;
    if (inFlight.has(call.id) || isSettled(call) || !isReady(call)) continue;
    const done = runCall(batch, call.id)
      .catch((thrown: unknown) => {
        batch.fatal ??= { thrown };
      })
      .finally(() => {
        inFlight.delete(call.id);
        onEnd();
      });
    inFlight.set(call.id, done);
  }
}

/** Gives every call of the step in flight an end that has none, because the step ends without them. */
export function endOpenCalls(run: Run): Promise<void> {
  return endOpen(createBatch(run, []));
}

async function endOpen(batch: Batch): Promise<void> {
  for (const { id } of calls(batch.run)) {
    const call = callOf(stateOf(batch.run), id);
    if (call === null || isSettled(call)) continue;
    try {
      await endCall(batch, call);
    } catch (thrown) {
      if (thrown instanceof LeaseRevoked) throw thrown;
      batch.fatal ??= { thrown };
    }
  }
}

function calls(run: Run): readonly ToolExecution[] {
  return currentStep(stateOf(run))?.toolExecutions ?? [];
}

function isAnswer({ type }: AgentEvent): boolean {
  return type === 'approval-answer' || type === 'tool-end';
}
