import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Tool } from '../agent/tool.ts';
import type { Env } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import type { Message } from '../graph/message.ts';
import { guarded } from '../kit/guarded.ts';
import type { AgentEventBody, AgentSignalBody } from './events.ts';
import type { JournalLease } from './journal.ts';
import type { Ledger } from './ledger.ts';
import { stateAt } from './state-at.ts';

/** How a hook that changes what its point does not allow is answered. */
export type HookContract = 'strict' | 'diagnostics' | 'warn' | 'off';

/**
 * The only way to model and tools. `key` names the work: path, step, `model` or the place of the call, and the attempt;
 * an equal run has equal keys. Durable engines and replay answer from what they know instead of calling `work`.
 */
export type Perform = <Result>(key: string, work: () => Result) => Result;

/** Reads a stored file by its hash. */
export type ReadBlob = (hash: string) => Promise<Blob | null>;

/** What a run is given by whoever starts it. */
export type RunSetup = {
  readonly agent: AgentDefinition;
  readonly lease: JournalLease;
  /** The tool executions between the root and this agent. */
  readonly path: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal | null;
  readonly perform: Perform;
  readonly hookContract: HookContract;
  /** The model of this turn; null leaves it to state and definition. */
  readonly model: string | null;
  /** 0 for an agent that no other one called. */
  readonly depth: number;
  readonly maxDepth: number;
  /** Tools that a parent lends. */
  readonly lentTools: readonly Tool[];
  readonly parentLedger: Ledger | null;
  /** What a person has put into the run since it was asked last. */
  readonly takeSteered: () => readonly Message[];
  /** Waits until whoever iterates wants the next step. */
  readonly checkpoint: (state: AgentState) => Promise<void>;
  /**
   * Resolves when everything that was committed is stored, so that what may happen only once may begin; rejects with
   * why it could not be. Null: nothing is stored, and nothing to wait for.
   */
  readonly whenStored: (() => Promise<void>) | null;
  /** The bytes of a stored file, or null when it is not there; null: nothing is stored. */
  readonly readBlob: ReadBlob | null;
};

/** One run in progress: it holds nothing that is not in the journal, but clocks and signals. */
export type Run = Omit<RunSetup, 'signal'> & {
  readonly signal: AbortSignal;
  /** Ends calls in flight. */
  readonly abort: (reason: unknown) => void;
  readonly ledger: Ledger;
  /** Runs a subagent; handed down, because a run contains runs. */
  readonly drive: (setup: RunSetup) => Promise<RunEnd>;
  /** Ids of calls that the provider has given already; made when first needed. */
  providerCallIds: Set<string> | null;
  /** Monotonic time at which the step in flight was taken up. */
  stepStartedAt: number;
};

export type RunEnd = 'ended' | 'paused';

/** Thrown inside a run whose lease was revoked: somebody else has taken over, and nothing more is to be done. */
export class LeaseRevoked extends Error {}

/** The state of the agent that runs. @throws LeaseRevoked when it is no longer there. */
export function stateOf({ lease, path }: Pick<Run, 'lease' | 'path'>): AgentState {
  const state = stateAt(lease.state(), path);
  if (state === null) throw new LeaseRevoked();
  return state;
}

/** @throws LeaseRevoked */
export function commit(run: Pick<Run, 'lease' | 'path'>, body: AgentEventBody): void {
  if (run.lease.commit(run.path, body) === null) throw new LeaseRevoked();
}

export function tell({ lease, path }: Run, body: AgentSignalBody): void {
  lease.tell(path, body);
}

/** The step that is under way, or the one that comes next, counted from 1. */
export function stepNumber(run: Run): number {
  return (stateOf(run).execution?.stepExecutions.length ?? 0) + 1;
}

/** Names a piece of work of the step in flight. */
export function workKey(run: Run, work: string, attempt: number): string {
  return [...run.path, stepNumber(run), work, attempt].join('/');
}

/** Code of an application, waited for no longer than the run and the time limit allow. */
export function userCode<Value>(
  run: Run,
  author: string,
  call: () => Value | PromiseLike<Value>,
  options: { signal?: AbortSignal; timeoutMs?: number | null } = {},
): Promise<Value> {
  const { signal = run.signal, timeoutMs = run.agent.hookTimeoutMs } = options;
  return guarded({ author, signal, timeoutMs, schedule: run.env.schedule }, call);
}
