import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Tool } from '../agent/tool.ts';
import type { Env, Timestamp } from '../graph/env.ts';
import type { ExecutionBudget } from '../graph/limits.ts';
import { checkedPrice, type LlmConfig, type ModelPrice, priceOf } from '../graph/llm-config.ts';
import { withPrice, type Usage } from '../graph/usage.ts';
import type { AgentState } from '../graph/types.ts';
import type { Message } from '../graph/message.ts';
import { hasMarker } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import type { EffectLog } from './effect-log.ts';
import type { AgentEventBody, AgentSignalBody } from './events.ts';
import type { JournalLease } from './journal.ts';
import type { Ledger } from './ledger.ts';
import { stateAtPath } from './state-at.ts';
import { activeMs } from '../graph/execution-state.ts';

/** The reaction to a hook that replaces a field which its point does not allow. */
export type HookContract = 'strict' | 'diagnostics' | 'warn' | 'off';

/** Reads a stored file by its hash. */
export type ReadBlob = (hash: string) => Promise<Blob | null>;

/** A recording that a replay repeats. */
export type Recording = {
  /** The next model call of an agent after an interruption: its attempt, and whether the interrupted call is charged. */
  readonly nextCall: (path: readonly string[]) => { readonly attempt: number; readonly isCharged: boolean };
  /** The price that the client told by the key of the question; undefined when the recording has none. */
  readonly price: (key: string) => Promise<ModelPrice | null | undefined>;
};

/** The parameters of a run. */
export type RunSetup = {
  readonly agent: AgentDefinition;
  readonly lease: JournalLease;
  /** The ids of the tool executions between the root and this agent. */
  readonly path: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal | null;
  /** The log of calls of models and tools; null makes every call directly. */
  readonly effects: EffectLog | null;
  /** Reads the recording that a replay repeats; null in every other run. */
  readonly recording: Recording | null;
  readonly hookContract: HookContract;
  /** The model of this turn; null uses that of the state or the definition. */
  readonly model: string | null;
  /** The turn of a session that a new execution belongs to; null without a session, and for subagents. */
  readonly turnId: string | null;
  /** The id of the principal for whom the run works; null without one. */
  readonly by: string | null;
  /** Depth in the tree of agents; 0 for the root. */
  readonly depth: number;
  readonly maxDepth: number;
  /** Tools that a parent lends. */
  readonly lentTools: readonly Tool[];
  readonly parentLedger: Ledger | null;
  /** Returns the messages that a person has added since the last call. */
  readonly takeSteered: () => readonly Message[];
  /** Waits until the iterating caller wants the next step. */
  readonly checkpoint: (state: AgentState) => Promise<void>;
  /**
   * Resolves when everything committed is stored, so that an effect of a `once` tool may begin; rejects
   * with the reason when that fails. Null: nothing is stored.
   */
  readonly whenStored: (() => Promise<void>) | null;
  /** Returns the bytes of a stored file, or null when the file is absent. Null: nothing is stored. */
  readonly readBlob: ReadBlob | null;
};

/** One run in progress. Besides clocks and signals, everything it holds is in the journal. */
export type Run = Omit<RunSetup, 'signal'> & {
  readonly signal: AbortSignal;
  /** The budget of the agent with what was granted to the run. */
  readonly budget: ExecutionBudget;
  /** Aborts the calls in flight. */
  readonly abort: (reason: unknown) => void;
  readonly ledger: Ledger;
  /** Runs a subagent; passed down because runs contain runs. */
  readonly drive: (setup: RunSetup) => Promise<RunEnd>;
  /** Provider ids of the calls that this run has received. */
  readonly providerCallIds: Set<string>;
  /** The prices that the client has told, by model; null is unknown. */
  readonly prices: Map<string | null, ModelPrice | null>;
  /** The number of model calls that hooks have made in this run, by the place of the hook. */
  readonly hookCalls: Map<string, number>;
  /** The working time of the step in flight. */
  stretch: Stretch;
};

/** One stretch of work at a step. It ends with the step, or when the run waits for a person. */
export type Stretch = {
  /** Its start, by the wall clock and by the monotonic clock. */
  readonly at: Timestamp;
  readonly monotonic: number;
  /** Milliseconds of work at the same step before this stretch. */
  readonly workedMs: number;
};

export type RunEnd = 'ended' | 'paused';

const revoked = Symbol('vitrine.lease-revoked');

/**
 * The error inside a run whose lease was revoked: another run took over, and this one must do nothing more.
 */
export class LeaseRevoked extends Error {
  readonly [revoked] = true;
}

/** True for a `LeaseRevoked`. Safe for any thrown value, hostile proxies included. */
export function isLeaseRevoked(thrown: unknown): thrown is LeaseRevoked {
  return hasMarker(thrown, revoked);
}

/** The current state of the running agent. @throws LeaseRevoked when the agent is no longer present. */
export function stateOf({ lease, path }: Pick<Run, 'lease' | 'path'>): AgentState {
  const state = stateAtPath(lease.state(), path);
  if (state === null) throw new LeaseRevoked();
  return state;
}

/** The model and settings in effect: the state's, else the definition's. */
export function effectiveLlmConfig(run: Run): LlmConfig | null {
  const config = stateOf(run).llmConfig ?? run.agent.llmConfig;
  if (run.model === null || config?.model === run.model) return config;
  return { settings: {}, ...config, model: run.model };
}

/** Commits an event of the running agent. @throws LeaseRevoked when the lease was revoked. */
export function commit(run: Pick<Run, 'lease' | 'path'>, body: AgentEventBody): void {
  if (run.lease.commit(run.path, body) === null) throw new LeaseRevoked();
}

export function emit({ lease, path }: Run, body: AgentSignalBody): void {
  lease.emit(path, body);
}

/** Number of the step in flight, or of the next one, counted from 1. */
export function stepNumber(run: Run): number {
  return (stateOf(run).execution?.stepExecutions.length ?? 0) + 1;
}

/** The key of a piece of work in the step in flight; see `Effect`. */
export function workKey(run: Run, work: string, attempt: number): string {
  return [...run.path, stepNumber(run), work, attempt].join('/');
}

/** Calls application code and waits no longer than the run and the time limit allow. */
export function userCode<Value>(
  run: Run,
  author: string,
  call: () => Value | PromiseLike<Value>,
  options: { signal?: AbortSignal; timeoutMs?: number | null } = {},
): Promise<Value> {
  const { signal = run.signal, timeoutMs = run.agent.hookTimeoutMs } = options;
  return callGuarded({ author, signal, timeoutMs, schedule: run.env.schedule }, call);
}

/** Differences below this may be drift between the two clocks. */
const leastAsleepMs = 1000;

export function stretchFrom(env: Env, workedMs: number): Stretch {
  return { at: env.now(), monotonic: env.monotonic(), workedMs };
}

/** Milliseconds of work at the step in flight, without the time that it waited for a person. */
export function workedMs({ env, stretch }: Run): number {
  return stretch.workedMs + env.monotonic() - stretch.monotonic;
}

/**
 * The time that the machine slept during this stretch: the monotonic clock stops then and the wall clock
 * does not. A clock that is set forward counts as sleep too.
 */
export function asleep({ env, stretch }: Run): { readonly asleepMs?: number } {
  const asleepMs = Math.round(env.now() - stretch.at - (env.monotonic() - stretch.monotonic));
  return asleepMs < leastAsleepMs ? {} : { asleepMs };
}

/** Milliseconds of work at the step in flight of a state that nobody runs at the moment. */
export function workedBefore(state: AgentState): number {
  const { execution, updatedAt } = state;
  if (execution === null || execution.currentStep === null) return 0;
  const { stepExecutions, currentStepStartedAt, waitingSince } = execution;
  const end = waitingSince ?? updatedAt;
  const finished = stepExecutions.reduce((sum, { durationMs }) => sum + durationMs, 0);
  // One step may contain several waits. Other time between steps is negligible.
  const worked = activeMs(state, end) - finished;
  return Math.max(0, Math.min(worked, end - (currentStepStartedAt ?? end)));
}

/** Longest wait for the price of a model. A price that comes later counts as unknown. */
const longestPriceMs = 5000;

/**
 * The price of a model: that of the application, else the one of the client; null when neither is known. The client is
 * asked once a run, when money is limited. Its answer is recorded, so that a replay asks nobody. A failure counts as an
 * unknown price.
 */
export async function priceFor(run: Run, model: string | null): Promise<ModelPrice | null> {
  const { inference } = run.agent;
  const own = ownPrice(run, model);
  if (own !== null || !run.ledger.limitsCost || run.prices.has(model))
    return own ?? run.prices.get(model) ?? null;
  const key = workKey(run, 'price', run.prices.size + 1);
  const ask = (): Promise<ModelPrice | null | undefined> =>
    run.recording === null ? Promise.resolve(inference.price?.(model)) : run.recording.price(key);
  const wait = { signal: run.signal, timeoutMs: longestPriceMs };
  const answer = await userCode(run, 'the price of a model', ask, wait).catch(() => null);
  if (run.signal.aborted) return null;
  const price = checkedPrice(answer);
  run.prices.set(model, price);
  if (answer !== undefined) commit(run, { type: 'price-record', key, model, price });
  return price;
}

/**
 * The usage with its cost: at the price of the application, else as it was reported, else at the price of the client.
 * Providers may report a longer model name than the requested one, so both names are tried.
 */
export function withCost(run: Run, usage: Usage, models: readonly (string | null)[]): Usage {
  const own = models.map((model) => ownPrice(run, model)).find((price) => price !== null);
  if (own !== undefined) return withPrice(usage, own);
  const known = models.map((model) => run.prices.get(model) ?? null).find((price) => price !== null);
  return known === undefined || usage.cost !== null ? usage : withPrice(usage, known);
}

function ownPrice(run: Run, model: string | null): ModelPrice | null {
  return priceOf(model, effectiveLlmConfig(run));
}
