import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import { errorInfo } from '../graph/error-info.ts';
import { withError, withStopSignal } from '../graph/agent-state/execution-transitions.ts';
import { emit, type Run } from './run.ts';
import { runHooks } from './run-hooks.ts';

/** Turns whatever was thrown into state: a signal for an AgentStopError, else an error with `error-forbade`. */
export async function recordFailure(run: Run, thrown: unknown): Promise<void> {
  if (isAgentStopError(thrown)) {
    run.state = withStopSignal(run.state, thrown.signal, run.env);
    return;
  }
  const error = errorInfo(thrown);
  run.state = withError(run.state, error, run.env);
  const context = { code: error.code };
  const signal = signalOf('error-forbade', { message: error.message, source: error.name, context }, run.env);
  run.state = withStopSignal(run.state, signal, run.env);
  emit(run, { type: 'error-record', error });
  await runErrorHooks(run, error);
}

async function runErrorHooks(run: Run, error: ReturnType<typeof errorInfo>): Promise<void> {
  try {
    await runHooks(run, 'on-error', { errors: [error] });
  } catch (thrown) {
    // A failing error hook is recorded, but calls no error hooks again.
    if (isAgentStopError(thrown)) run.state = withStopSignal(run.state, thrown.signal, run.env);
    else run.state = withError(run.state, errorInfo(thrown), run.env);
  }
}
