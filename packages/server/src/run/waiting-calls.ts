import type { AgentSession, AgentState } from '@vitrine/core';
import type { Lease, SessionAddress } from '../host/session-host.ts';
import { isWaiting, openCalls, waitingCalls } from './tool-calls.ts';

/**
 * Calls that wait for a person, told once when they begin to wait. Calls that wait already are told again only when the
 * process is killed while the function runs.
 */
export type OnWaiting = (address: SessionAddress, toolCallIds: readonly string[]) => void | Promise<void>;

/** Tells of calls that begin to wait. The effect log remembers what was told, also for the next process. */
export function createWaitingReporter(
  session: AgentSession,
  { address, lease, onWaiting }: { address: SessionAddress; lease: Lease; onWaiting: OnWaiting },
): { readonly look: () => void; readonly isQuiet: () => boolean } {
  const reported = new Set<string>();
  let isReporting = false;

  /** Looks up that a call was told, or records it. @returns false when it was not told before */
  async function isKnown(executionId: string, id: string, isNow: boolean): Promise<boolean> {
    const effect = {
      executionId,
      path: [],
      key: `waiting/${id}`,
      kind: 'tool',
      name: 'onWaiting',
      effects: 'idempotent',
      input: id,
      hasBegun: false,
    } as const;
    const work = (): Promise<boolean> => (isNow ? Promise.resolve(true) : Promise.reject(unknown));
    try {
      return (await lease.effects?.perform(effect, work, lease.signal)) ?? false;
    } catch (thrown) {
      if (thrown === unknown) return false;
      throw thrown;
    }
  }

  async function report(executionId: string, waiting: readonly string[]): Promise<void> {
    // A wait that is not stored may not come again.
    await session.flush();
    const fresh: string[] = [];
    for (const id of waiting) if (!(await isKnown(executionId, id, false))) fresh.push(id);
    for (const id of waiting) reported.add(id);
    if (fresh.length === 0 || lease.signal.aborted) return;
    await onWaiting(address, fresh);
    for (const id of fresh) await isKnown(executionId, id, true);
  }

  return {
    look() {
      const { state, status } = session.store.getState();
      const waiting = waitingCalls(state).filter((id) => !reported.has(id));
      if (isReporting || status !== 'awaiting-input' || waiting.length === 0) return;
      isReporting = true;
      // A failed notification or log must not stop the session.
      const done = (): void => void (isReporting = false);
      report(state.execution?.executionId ?? '', waiting).then(done, done);
    },
    isQuiet: () => !isReporting,
  };
}

const unknown = new Error('These calls were not told.');

/** The end of a wait for a person: its time in milliseconds since 1970, and the reason to give. */
export type WaitEnd = { readonly at: number; readonly reason: string };

/**
 * The end of the wait that a run is in: its deadline, or the time for approvals; null for one without end, and at a
 * breakpoint.
 */
export function waitEndOf(state: AgentState, approvalMs: number): WaitEnd | null {
  const { execution } = state;
  const since = execution?.waitingSince ?? null;
  if (execution === null || since === null || waitingCalls(state).length === 0) return null;
  const own = execution.limits?.['deadline'] ?? null;
  // A granted deadline only moves that of the run, and never to an earlier time.
  const deadline = own === null ? Infinity : Math.max(own, execution.grants?.deadline ?? 0);
  const expiry = since + approvalMs;
  const at = Math.min(deadline, expiry);
  if (at === Infinity) return null;
  const limit = expiry <= deadline ? `within ${approvalMs / 1000} s` : 'before the deadline of the run';
  return { at, reason: `Nobody answered ${limit}.` };
}

/**
 * Ends a wait: rejects the calls that ask for approval. A call that waits for an output cannot be answered, so the run is
 * stopped then.
 */
export async function endWait(session: AgentSession, { reason }: WaitEnd): Promise<void> {
  const waiting = openCalls(session.store.getState().state).filter(isWaiting);
  const rejection = { approved: false, reason } as const;
  if (waiting.some(({ status }) => status === 'awaiting-output')) await session.stop(reason);
  else await session.respondAll(Object.fromEntries(waiting.map(({ id }) => [id, rejection])));
}
