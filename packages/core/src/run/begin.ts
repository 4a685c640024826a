import { loadPlugins } from '../agent/plugin/load-plugins.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import { isFinished } from '../graph/execution-state.ts';
import { commit, effectiveLlmConfig, type Run, stateOf } from './run.ts';

/**
 * Resumes an execution that is in progress, or begins a new one. A pending execution keeps its id.
 * @returns true when an execution was resumed.
 */
export function begin(run: Run): boolean {
  const errors = takePlugins(run);
  const { execution } = stateOf(run);
  const isResumed = execution !== null && execution.status === 'in-progress';
  if (isResumed) commit(run, { type: 'execution-resume' });
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
  commit(run, { type: 'execution-start', executionId, model, forgottenPlugins });
}

/**
 * Migrates stored plugin state to the versions of the loaded plugins. @returns the errors of state that
 * could not be used.
 */
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
