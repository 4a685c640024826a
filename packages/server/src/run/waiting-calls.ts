import type { AgentSession, AgentState } from '@vitrine/core';
import type { Lease, SessionAddress } from '../host/session-host.ts';

type Call = NonNullable<AgentState['execution']>['stepExecutions'][number]['step']['toolExecutions'][number];

/** The calls of the current step, and those of subagents in it. */
function openCalls(state: AgentState): readonly Call[] {
  const found: Call[] = [];
  const states = [state];
  for (let next = states.pop(); next !== undefined; next = states.pop()) {
    for (const call of next.execution?.currentStep?.toolExecutions ?? []) {
      found.push(call);
      if (call.childState !== null) states.push(call.childState);
    }
  }
  return found;
}

/** True while a tool of the application runs. A subagent counts by its own tools. */
export function isActing(state: AgentState): boolean {
  return openCalls(state).some(({ status, childState }) => status === 'running' && childState === null);
}

function isWaiting({ status }: Call): boolean {
  return status === 'awaiting-approval' || status === 'awaiting-output';
}

function waitingCalls(state: AgentState): readonly string[] {
  return openCalls(state)
    .filter(isWaiting)
    .map(({ id }) => id);
}

/** Calls that begin to wait for a person, told once; once more only when the process is killed meanwhile. */
export type OnWaiting = (address: SessionAddress, toolCallIds: readonly string[]) => void | Promise<void>;

type WaitingOptions = {
  readonly address: SessionAddress;
  readonly lease: Lease;
  readonly onWaiting: OnWaiting;
};

/** Reports calls that begin to wait. The effect log remembers what was reported, also for the next process. */
export class WaitingReporter {
  readonly #session: AgentSession;
  readonly #options: WaitingOptions;
  readonly #reported = new Set<string>();
  #isReporting = false;

  constructor(session: AgentSession, options: WaitingOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** True when no report is under way. */
  get isQuiet(): boolean {
    return !this.#isReporting;
  }

  /** Begins a report of the calls that wait now and were not reported. */
  look(): void {
    const { state, status } = this.#session.store.getState();
    const waiting = waitingCalls(state).filter((id) => !this.#reported.has(id));
    if (this.#isReporting || status !== 'awaiting-input' || waiting.length === 0) return;
    this.#isReporting = true;
    // A failed notification or log must not stop the session.
    const endReport = (): void => void (this.#isReporting = false);
    this.#report(state.execution?.executionId ?? '', waiting).then(endReport, endReport);
  }

  async #report(executionId: string, waiting: readonly string[]): Promise<void> {
    const { address, lease, onWaiting } = this.#options;
    // A wait that is not stored may not come again.
    await this.#session.flush();
    const fresh: string[] = [];
    for (const id of waiting) if (!(await this.#isKnown(executionId, id, false))) fresh.push(id);
    for (const id of waiting) this.#reported.add(id);
    if (fresh.length === 0 || lease.signal.aborted) return;
    await onWaiting(address, fresh);
    for (const id of fresh) await this.#isKnown(executionId, id, true);
  }

  /** Looks up that a call was reported, or records it. @returns false when it was not reported before */
  async #isKnown(executionId: string, id: string, isNow: boolean): Promise<boolean> {
    const { lease } = this.#options;
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
}

const unknown = new Error('These calls were not told.');

/** The end of a wait for a person: its time in milliseconds since 1970, and the reason to give. */
export type WaitEnd = { readonly at: number; readonly reason: string };

/** The end of a run's wait: its deadline, or the time for approvals; null for none, and at a breakpoint. */
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

/** Rejects the calls that ask for approval. A run that waits for an output, which nobody gives, is stopped. */
export async function endWait(session: AgentSession, { reason }: WaitEnd): Promise<void> {
  const waiting = openCalls(session.store.getState().state).filter(isWaiting);
  const rejection = { approved: false, reason } as const;
  if (waiting.some(({ status }) => status === 'awaiting-output')) await session.stop(reason);
  else await session.respondAll(Object.fromEntries(waiting.map(({ id }) => [id, rejection])));
}
