import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { type StagedPluginState, stagePluginState } from '../../agent/plugin/staged-plugin-state.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { withError } from '../../graph/agent-state/execution-transitions.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import { withToolExecution } from '../../graph/agent-state/tool-transitions.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { type DelegationInput, isDelegationTool } from '../../agent/delegation-tool.ts';
import type { Tool, ToolContext } from '../../agent/tool.ts';
import { callTool } from './call-tool.ts';
import { createMutex, type Mutex } from '../../kit/mutex.ts';
import { type PreparedCall, prepareToolCall } from './prepare-tool-call.ts';
import { emit, type Run } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { runSubagent } from './run-subagent.ts';
import { ended, interrupted } from './tool-outcome.ts';

/** The calls of one step while they run. */
type Batch = {
  readonly run: Run;
  readonly tools: readonly Tool[];
  /** Whatever changes the run's state happens under this lock: hooks are asynchronous and return a whole state. */
  readonly lock: Mutex;
  /** Set by a hook that has blocked a call together with those after it. */
  isClosed: boolean;
  /** Set when something ends the whole step; calls that have not started stay unrun. */
  fatal: { readonly thrown: unknown } | null;
};

type Effects = {
  readonly plugins: StagedPluginState;
  readonly updates: ((state: AgentState) => AgentState)[];
};

/**
 * Runs the calls of the step in flight that have no result yet, several at a time, and settles them in call order.
 * @returns true when calls wait for the user, so that the step cannot end yet.
 */
export async function runTools(run: Run, tools: readonly Tool[]): Promise<boolean> {
  const batch: Batch = { run, tools, lock: createMutex(), isClosed: false, fatal: null };
  const open = (currentStep(run.state)?.toolExecutions ?? []).filter((execution) => !isFinished(execution));
  const turns = [settledTurn(), ...open.map(createTurn)];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < open.length && batch.fatal === null; index = next++) {
      const [before, own] = [turns[index], turns[index + 1]] as [Turn, Turn];
      try {
        await runCall(batch, open[index] as ToolExecution, before.passed);
      } catch (thrown) {
        batch.fatal ??= { thrown };
      } finally {
        own.pass();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(run.agent.toolConcurrency, open.length) }, work));
  if (batch.fatal !== null) throw batch.fatal.thrown;
  return (currentStep(run.state)?.toolExecutions ?? []).some((execution) => !isFinished(execution));
}

/** One call from its hooks to its settlement. Throws only what ends the whole step. */
async function runCall(batch: Batch, requested: ToolExecution, isMyTurn: Promise<void>): Promise<void> {
  const { run, lock } = batch;
  const effects: Effects = { updates: [], plugins: stagePluginState(run.state) };
  if (requested.childState !== null) return delegate(batch, requested, null, effects, isMyTurn);
  const prepared = await lock(async (): Promise<PreparedCall> => {
    if (batch.isClosed)
      return { kind: 'settled', execution: interrupted(requested, run.env), stopsBatch: false };
    const next = await prepareToolCall(run, requested, batch.tools, (execution, tool) =>
      toolContext(batch, execution, tool, effects),
    );
    batch.isClosed ||= next.kind === 'settled' && next.stopsBatch;
    return next;
  });
  if (prepared.kind === 'run') return execute(batch, prepared, effects, isMyTurn);
  await isMyTurn;
  if (prepared.kind === 'settled') return settle(batch, prepared.execution, effects);
  await lock(() => {
    run.state = withToolExecution(run.state, prepared.execution, run.env);
    emit(run, {
      type: 'approval-request',
      toolCallId: requested.toolCall.id,
      toolExecution: prepared.execution,
    });
  });
}

async function execute(
  batch: Batch,
  { tool, input, execution }: Extract<PreparedCall, { kind: 'run' }>,
  effects: Effects,
  isMyTurn: Promise<void>,
): Promise<void> {
  const { run, lock } = batch;
  const { env } = run;
  const startedMonotonic = env.monotonic();
  const running: ToolExecution = { ...execution, status: 'running', startedAt: env.now() };
  await lock(() => {
    run.state = withToolExecution(run.state, running, env);
    emit(run, { type: 'tool-start', toolCallId: running.toolCall.id, toolExecution: running });
  });
  if (isDelegationTool(tool)) return delegate(batch, running, input as DelegationInput, effects, isMyTurn);
  let outcome: ToolExecution;
  try {
    const result = await callTool(tool, input, toolContext(batch, running, tool, effects));
    outcome = ended(running, { status: 'completed', result, startedMonotonic }, env);
  } catch (thrown) {
    if (isAgentStopError(thrown)) {
      await settle(
        batch,
        { ...interrupted(running, env), durationMs: env.monotonic() - startedMonotonic },
        effects,
      );
      throw thrown;
    }
    outcome = ended(running, { status: 'failed', error: forModel(tool, thrown), startedMonotonic }, env);
  }
  // Shown at once; what the call changed is applied when its turn comes.
  await lock(() => void (run.state = withToolExecution(run.state, outcome, env)));
  await isMyTurn;
  await settle(batch, outcome, effects);
}

/** Applies what the call changed, runs the hooks after it, and records its error. */
async function settle(batch: Batch, outcome: ToolExecution, effects: Effects): Promise<void> {
  const { run, lock } = batch;
  await lock(async () => {
    let execution = outcome.status === 'completed' ? commit(run, outcome, effects) : outcome;
    run.state = withToolExecution(run.state, execution, run.env);
    execution = (await runHooks(run, 'after-tool-use', { execution })).execution ?? execution;
    run.state = withToolExecution(run.state, execution, run.env);
    if (execution.error !== null) run.state = withError(run.state, execution.error, run.env);
    emit(run, { type: 'tool-end', toolCallId: execution.toolCall.id, toolExecution: execution });
  });
}

function commit(run: Run, execution: ToolExecution, effects: Effects): ToolExecution {
  try {
    const updated = effects.updates.reduce((state, update) => update(state), run.state);
    const { state, writes } = effects.plugins.commit(updated, run.env);
    run.state = state;
    return writes.length === 0 ? execution : { ...execution, pluginWrites: writes };
  } catch (error) {
    const { result: _discarded, ...rest } = execution;
    return ended(rest, { status: 'failed', error }, run.env);
  }
}

function toolContext(batch: Batch, execution: ToolExecution, tool: Tool, effects: Effects): ToolContext {
  const { run } = batch;
  const toolCallId = execution.toolCall.id;
  return {
    state: run.state,
    signal: run.signal,
    toolCallId,
    plugin: effects.plugins.handle,
    own() {
      const plugin = run.agent.plugins.find((candidate) => candidate.id === tool.pluginId);
      if (plugin) return effects.plugins.handle(plugin);
      throw new AgentError(
        'plugin-unknown',
        `Tool ${JSON.stringify(tool.name)} belongs to no plugin, so it has no state of its own. Use ctx.plugin(p).`,
      );
    },
    update: (update) => void effects.updates.push(update),
    report: (progress) => emit(run, { type: 'tool-progress', toolCallId, progress }),
  };
}

async function delegate(
  batch: Batch,
  running: ToolExecution,
  input: DelegationInput | null,
  effects: Effects,
  isMyTurn: Promise<void>,
): Promise<void> {
  const { run, lock } = batch;
  const startedMonotonic = run.env.monotonic();
  const show = (childState: AgentState): Promise<void> =>
    lock(() => void (run.state = withToolExecution(run.state, { ...running, childState }, run.env)));
  const outcome = await runSubagent(run, running, input, batch.tools, show);
  const { childState } = outcome;
  if (outcome.kind === 'paused') return show(outcome.childState);
  const result = outcome.kind === 'answered' ? { result: outcome.text } : { error: outcome.error };
  const status = outcome.kind === 'answered' ? 'completed' : 'failed';
  await isMyTurn;
  await settle(
    batch,
    { ...ended(running, { status, ...result, startedMonotonic }, run.env), childState },
    effects,
  );
  if (outcome.kind === 'failed' && run.signal.aborted) throw run.signal.reason;
}

function forModel(tool: Tool, thrown: unknown): unknown {
  if (tool.errorMessage === null) return thrown;
  return new AgentError('tool-failed', tool.errorMessage(thrown), {
    data: { toolName: tool.name },
    cause: thrown,
  });
}

type Turn = { readonly passed: Promise<void>; readonly pass: () => void };

function createTurn(): Turn {
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass: () => pass() };
}

function settledTurn(): Turn {
  return { passed: Promise.resolve(), pass: () => undefined };
}
