import { activeMs } from '../graph/execution-state.ts';
import type { Env } from '../graph/env.ts';
import { checkedPrice, type LlmConfig, type ModelPrice, priceOf } from '../graph/llm-config.ts';
import type { AgentState, BreakHit } from '../graph/types.ts';
import { type Usage, withPrice } from '../graph/usage.ts';
import { hasMarker } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import type { AgentEventBody, AgentSignalBody } from './events.ts';
import type { Run, Stretch } from './slots.ts';
import { stateAtPath } from './state-at.ts';

const revoked = Symbol('vitrine.lease-revoked');

/** The error inside a run whose lease was revoked: another run took over, and this one must do nothing more. */
export class LeaseRevoked extends Error {
  readonly [revoked] = true;
}

/** True for a `LeaseRevoked`. Safe for any thrown value, hostile proxies included. */
export function isLeaseRevoked(thrown: unknown): thrown is LeaseRevoked {
  return hasMarker(thrown, revoked);
}

/** True for a run with an effect log. A replay answers through one, and repeats a run with or without. */
export function hasLog({ effects, recording }: Run): boolean {
  return effects !== null && recording === null;
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

/** The breakpoint at which the agent waits; null while it does not. */
export function standingBreak(run: Run): BreakHit | null {
  return run.signal.aborted ? null : (stateOf(run).execution?.breakHit ?? null);
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

/** The time that the machine slept in this stretch, in which only the wall clock went on. */
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
