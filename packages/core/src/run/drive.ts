import { currentStep, stopSignal } from '../graph/agent-state/accessors.ts';
import { terminalStatus } from '../graph/agent-state/transitions.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import type { AgentStep, AgentState, Grant, RunLimits } from '../graph/types.ts';
import { type SessionBudget, spentOf, sessionSpent } from '../graph/limits.ts';
import { largestOutput, isFinished } from '../graph/execution-state.ts';
import { decideStop, stepsTaken } from './decide.ts';
import { recordFailure, showPoint } from './record-failure.ts';
import { createLedger } from './ledger.ts';
import {
  commit,
  isLeaseRevoked,
  LeaseRevoked,
  stateOf,
  effectiveLlmConfig,
  standingBreak,
  stretchFrom,
  asleep,
  workedBefore,
} from './run.ts';
import { askModel } from './step/ask-model.ts';
import { compileConversation } from './step/prepare-request.ts';
import { beginStep, breakOffStep, continueStep, runStep } from './step/run-step.ts';
import { executeTool } from './tools/run-call.ts';
import { loadPlugins } from '../agent/plugin/load-plugins.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import { AgentStopError, isAgentStopError } from '../graph/agent-stop-error.ts';
import type { Env } from '../graph/env.ts';
import { type ExecutionBudget, unlimited, withGrant } from '../graph/execution-budget.ts';
import { longestTimerMs } from '../kit/async.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Feature, Run, RunEnd, RunSetup } from './slots.ts';
import { composeSlots } from './compose-slots.ts';

/** Runs an agent until its execution ends or waits for a person. Never rejects. */
export async function drive(setup: RunSetup): Promise<RunEnd> {
  const { agent, env } = setup;
  const before = withoutFinishedRun(stateOf(setup));
  const grants = before.execution?.grants;
  const budget = withGrant(agent.budget, grants);
  const { sessionBudget, maxTotalSteps } = widerLimits(agent, grants);
  const abort = linkedAbort({ signal: setup.signal, budget, state: before, env });
  const run = {
    ...setup,
    budget,
    signal: abort.signal,
    abort: abort.abort,
    drive,
    ledger: createLedger({
      budget,
      spending: () => spentOf(stateOf(setup), env.now()),
      largestOutput: largestOutput(before),
      sessionBudget,
      sessionSpent: () => sessionSpent(stateOf(setup)),
      maxTotalSteps,
      stepsTaken: stepsTaken(before),
      parent: setup.parentLedger,
      onWait: (held) => void setup.lease.commit(setup.path, { type: 'budget-wait', held }),
      env,
    }),
    providerCallIds: new Set(),
    prices: new Map(),
    hookCalls: new Map(),
    stretch: stretchFrom(env, workedBefore(before)),
  } as { -readonly [Key in keyof Run]: Run[Key] };
  // Features are made with the run that they serve.
  // Those that plugins bring stand innermost, each once: a recorded outcome passes none.
  const brought = new Set(agent.plugins.flatMap((plugin) => plugin.features as readonly Feature[]));
  run.slots = composeSlots([...setup.features, ...brought], run, {
    chooseMessages: compileConversation,
    askModel: (call) => askModel(run, call),
    execute: executeTool,
  });
  try {
    return await runToEnd(run);
  } catch (thrown) {
    if (isLeaseRevoked(thrown)) return 'ended';
    return await endAfter(run, thrown);
  } finally {
    abort.release();
  }
}

/** The state before a run: grants and amounts of a finished execution are not those of the one that begins. */
function withoutFinishedRun(state: AgentState): AgentState {
  return state.execution !== null && isFinished(state.execution) ? { ...state, execution: null } : state;
}

async function runToEnd(run: Run): Promise<RunEnd> {
  const isResumed = begin(run);
  // A replay opens nothing, and a run that is stopped before it begins needs nothing.
  if (run.slots.open !== null && run.recording === null && !run.signal.aborted) await run.slots.open();
  if (!isResumed) await showPoint(run, 'before-execution');
  if (await runSteps(run, isResumed)) {
    commit(run, { type: 'execution-pause', ...asleep(run) });
    return 'paused';
  }
  await finish(run);
  return 'ended';
}

/** Ends the execution, once, after an unforeseen error. */
async function endAfter(run: Run, thrown: unknown): Promise<RunEnd> {
  try {
    await recordFailure(run, thrown);
    await finish(run);
  } catch {
    // The lease was revoked while the end was recorded.
  }
  return 'ended';
}

/** Runs steps until none is left. @returns true when the run waits for a person, also at a breakpoint. */
async function runSteps(run: Run, isResumed: boolean): Promise<boolean> {
  const { execution } = stateOf(run);
  if (standingBreak(run) !== null) return true;
  if (isResumed && execution?.currentStep?.inferenceResponse) {
    if (await continueStep(run)) return true;
    if (decideStop(run, 'after-step')) return false;
    await checkpoint(run);
  } else if (isResumed && run.signal.aborted && hasAnswer(execution?.currentStep)) {
    await breakOffStep(run);
    decideStop(run, 'after-step');
    return false;
  } else if (isResumed && execution?.currentStep === null && execution.stepExecutions.length > 0) {
    if (decideStop(run, 'resume')) return false;
  }
  for (;;) {
    if (breaksBeforeStep(run)) return true;
    if (!(await beginStep(run))) return false;
    if (await runStep(run)) return true;
    if (decideStop(run, 'after-step')) return false;
    await checkpoint(run);
  }
}

function breaksBeforeStep(run: Run): boolean {
  if (!run.slots.waitsAt('model')) return false;
  // The work of the last step has been recorded with its end.
  if (currentStep(stateOf(run)) === null) run.stretch = stretchFrom(run.env, 0);
  return true;
}

/** True for a step with part of an answer. It was paid for, and restarting the step would clear it. */
function hasAnswer(step: AgentStep | null | undefined): boolean {
  return step?.outputMessages.some(({ parts }) => parts.length > 0) === true;
}

/** Waits for the iterating caller. A caller that leaves here leaves a run that can be resumed. */
async function checkpoint(run: Run): Promise<void> {
  await run.checkpoint(stateOf(run)).catch(() => {
    throw new LeaseRevoked();
  });
}

async function finish(run: Run): Promise<void> {
  await showPoint(run, 'on-stop');
  await showPoint(run, 'after-execution');
  if (stopSignal(stateOf(run)) === null)
    commit(run, { type: 'stop-signal', signal: signalOf('completed', {}, run.env) });
  commit(run, { type: 'execution-end', status: terminalStatus(stopSignal(stateOf(run))) });
}

/**
 * Resumes an execution that is in progress, or begins a new one. A pending execution keeps its id.
 * @returns true when an execution was resumed.
 */
export function begin(run: Run): boolean {
  const errors = takePlugins(run);
  const { execution } = stateOf(run);
  const isResumed = execution !== null && execution.status === 'in-progress';
  if (isResumed) commit(run, { type: 'execution-resume', limits: limitsOf(run.agent) });
  else
    startExecution(run, execution !== null && !isFinished(execution) ? execution.executionId : run.env.id());
  for (const error of errors) commit(run, { type: 'error-record', error });
  return isResumed;
}

function startExecution(run: Run, executionId: string): void {
  const { plugins } = stateOf(run);
  const forgottenPlugins = run.agent.plugins
    .filter(({ id, persist }) => persist === 'execution' && Object.hasOwn(plugins, id))
    .map(({ id }) => id);
  const model = effectiveLlmConfig(run)?.model ?? null;
  const own = (stateOf(run).llmConfig ?? run.agent.llmConfig)?.model ?? null;
  const turn = {
    ...(run.turnId === null ? {} : { turnId: run.turnId }),
    ...(run.model === null || run.model === own ? {} : { turnModel: run.model }),
    ...(run.by === null ? {} : { by: run.by }),
  };
  const limits = limitsOf(run.agent);
  commit(run, { type: 'execution-start', executionId, model, ...turn, forgottenPlugins, limits });
}

/** Migrates stored plugin state. @returns the errors of state that could not be used */
function takePlugins(run: Run): readonly ErrorInfo[] {
  const { changes, errors } = loadPlugins(stateOf(run), run.agent.plugins);
  for (const { pluginId, entry } of changes) {
    const value =
      entry === null
        ? { version: 0, data: null, isForgotten: true }
        : { version: entry.version, data: entry.data };
    commit(run, { type: 'plugin-change', source: 'plugins', pluginId, ...value });
  }
  return errors;
}

/** The limits of an agent for more than one run or agent, with what was granted to the run. */
function widerLimits(
  { sessionBudget, subagentPolicy: { maxTotalSteps } }: AgentDefinition,
  grants: Grant | undefined,
): { readonly sessionBudget: SessionBudget; readonly maxTotalSteps: number | null } {
  if (grants === undefined) return { sessionBudget, maxTotalSteps };
  const { tokens: maxTokens, cost: maxCost } = sessionBudget;
  const granted = withGrant({ ...unlimited(), maxTokens, maxCost, maxSteps: maxTotalSteps }, grants);
  return {
    sessionBudget: { tokens: granted.maxTokens, cost: granted.maxCost },
    maxTotalSteps: granted.maxSteps,
  };
}

function limitsOf({ budget, sessionBudget, subagentPolicy: { maxTotalSteps } }: AgentDefinition): RunLimits {
  const { tokens: sessionTokens, cost: sessionCost } = sessionBudget;
  const all = Object.entries({ ...budget, maxTotalSteps, sessionTokens, sessionCost });
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as RunLimits;
}

type Limited = { signal: AbortSignal | null; budget: ExecutionBudget; state: AgentState; env: Env };

/** Creates the signal of one run: the caller's, and the end of its time. Its reason carries a stop signal. */
function linkedAbort(limited: Limited) {
  const { signal, env } = limited;
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(toStopError(reason, env));
  const onAbort = (): void => abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = startTimer(limited, (limit) => abort(new AgentStopError(timeUp(limited, limit))));
  return {
    signal: controller.signal,
    abort,
    release(): void {
      signal?.removeEventListener('abort', onAbort);
      cancelTimer();
    },
  };
}

/** Starts a timer for the time limit that is reached first. */
function startTimer(
  { budget, state, env }: Limited,
  onTimeUp: (limit: 'maxSeconds' | 'deadline') => void,
): () => void {
  const { maxSeconds, deadline } = budget;
  const isRunning = state.execution?.status === 'in-progress';
  // Nobody has run the agent since its last change: the page was closed, or it waited for a person.
  const used = isRunning ? spentOf(state, state.updatedAt).seconds : 0;
  const bySeconds = maxSeconds === null ? Infinity : (maxSeconds - used) * 1000;
  const byDeadline = deadline === null ? Infinity : deadline - env.now();
  const delayMs = Math.min(bySeconds, byDeadline);
  const end = (): void => onTimeUp(byDeadline < bySeconds ? 'deadline' : 'maxSeconds');
  if (delayMs > longestTimerMs) return () => undefined;
  if (delayMs > 0) return env.schedule(delayMs, end);
  // The time is already used up. The check before a step reports it, but a resumed step has no such check.
  if (isRunning && state.execution?.currentStep !== null) end();
  return () => undefined;
}

function timeUp({ budget, env }: Limited, limit: 'maxSeconds' | 'deadline'): StopSignal {
  const value = budget[limit];
  const what = limit === 'deadline' ? `the deadline ${new Date(value ?? 0).toISOString()}` : `${value} s`;
  const init = { message: `Time limit reached: ${what}`, source: 'budget', context: { [limit]: value } };
  return signalOf('time-limit-reached', init, env);
}

function toStopError(reason: unknown, env: Env): AgentStopError {
  if (isAgentStopError(reason)) return reason;
  const message = typeof reason === 'string' ? reason : 'The run was aborted';
  return new AgentStopError(signalOf('user-requested', { message, source: 'abort' }, env));
}
