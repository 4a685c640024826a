import { AgentError } from '../../kit/agent-error.ts';
import { type ErrorInfo, of as errorInfo } from '../error-info.ts';
import type { AgentState } from '../types.ts';
import { errors, status, stopReason, stopSignals } from './accessors.ts';

/** The error of a run that failed or used up its retries; null for any other run. */
export function runError(state: AgentState): ErrorInfo | null {
  // A run that gave up is `stopped`, because a person may let it go on.
  if (status(state) !== 'failed' && stopReason(state) !== 'retry-limit-reached') return null;
  return (
    endingError(state) ?? errorInfo(new AgentError('inference-failed', 'The run failed without saying why.'))
  );
}

/** The error that ended the run: the one quoted by the first signal of a failure, and no later one. */
export function endingError(state: AgentState): ErrorInfo | null {
  const all = errors(state);
  const reported = stopSignals(state).find(
    ({ reason }) => reason === 'error-forbade' || reason === 'retry-limit-reached',
  )?.message;
  const named = all.find(({ message }) => message === reported);
  // The signal after several attempts quotes the last error at the end of its message.
  return named ?? all.findLast(({ message }) => reported?.endsWith(message)) ?? all.at(-1) ?? null;
}
