import { errorInfo } from '../graph/error-info.ts';
import { withSection } from '../graph/message-store.ts';
import { loadPlugins } from '../agent/plugin/load-plugins.ts';
import { change, changeContext, changeExecution } from '../graph/agent-state/change.ts';
import { isFinished, pending } from '../graph/execution-state.ts';
import { withError } from '../graph/agent-state/execution-transitions.ts';
import type { AgentState, ToolExecution } from '../graph/types.ts';
import { staticTools } from './step/prepare-request.ts';
import { emit, type Run } from './run.ts';
import { interrupted } from './tools/tool-outcome.ts';

/**
 * Takes up an execution that is pending or in progress, or begins a new one.
 * @returns true when it was taken up.
 */
export function beginExecution(run: Run): boolean {
  const loaded = loadPlugins(run.state, run.agent.plugins, run.env);
  run.state = loaded.state;
  const isResumed = run.state.execution !== null && !isFinished(run.state.execution);
  if (!isResumed) run.state = withNewExecution(run);
  const startedAt = run.state.execution?.status === 'pending' ? run.env.now() : undefined;
  run.state = changeExecution(
    run.state,
    (execution) => ({
      ...execution,
      status: 'in-progress',
      completedAt: null,
      startedAt: startedAt ?? execution.startedAt,
    }),
    run.env,
  );
  if (isResumed) run.state = withStepReconciled(run);
  for (const problem of loaded.problems) {
    run.state = withError(run.state, problem, run.env);
    emit(run, { type: 'error-record', error: problem });
  }
  return isResumed;
}

function withNewExecution(run: Run): AgentState {
  const { state, env, agent } = run;
  const store = withSection(state.context.store, 'execution_buffer', []);
  const shortLived = agent.plugins
    .filter((plugin) => plugin.persist === 'execution')
    .map((plugin) => plugin.id);
  const kept = Object.entries(state.plugins).filter(([id]) => !shortLived.includes(id));
  const plugins =
    kept.length === Object.keys(state.plugins).length ? state.plugins : Object.fromEntries(kept);
  const execution = pending(env);
  return change(
    changeContext(state, { store }, env),
    { plugins, execution, executionCount: state.executionCount + 1 },
    env,
  );
}

/**
 * A step that a reload interrupted: an answer that was still streaming is asked for again; a call that was running is
 * repeated only when its tool says that this does no harm.
 */
function withStepReconciled(run: Run): AgentState {
  const step = run.state.execution?.currentStep;
  if (!step) return run.state;
  if (step.inferenceResponse === null && step.errors.length === 0) {
    return changeExecution(
      run.state,
      (execution) => ({ ...execution, currentStep: null, currentStepStartedAt: null }),
      run.env,
    );
  }
  const tools = staticTools(run);
  const reconciled = step.toolExecutions.map((execution): ToolExecution => {
    if (execution.status !== 'running' || execution.childState !== null) return execution;
    const tool = tools.find((candidate) => candidate.name === execution.toolCall.name);
    return tool?.effects === 'idempotent'
      ? { ...execution, status: 'requested' }
      : interrupted(execution, run.env);
  });
  const lost = reconciled.filter(
    (execution, index) => execution !== step.toolExecutions[index] && execution.error !== null,
  );
  const errors = [...step.errors, ...lost.map((execution) => execution.error ?? errorInfo('interrupted'))];
  return changeExecution(
    run.state,
    (execution) => ({ ...execution, currentStep: { ...step, toolExecutions: reconciled, errors } }),
    run.env,
  );
}
