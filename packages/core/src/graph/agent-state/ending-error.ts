import type { ErrorInfo } from '../error-info.ts';
import type { AgentState } from '../types.ts';
import { errors, stopSignals } from './accessors.ts';

/**
 * The error that ended the run: the one quoted by the first signal of a failure. Later errors, of hooks or of calls
 * that never ran, do not replace it.
 */
export function endingError(state: AgentState): ErrorInfo | null {
  const all = errors(state);
  const told = stopSignals(state).find(
    ({ reason }) => reason === 'error-forbade' || reason === 'retry-limit-reached',
  )?.message;
  const named = all.find(({ message }) => message === told);
  // The signal after several attempts quotes the last error at the end of its message.
  return named ?? all.findLast(({ message }) => told?.endsWith(message)) ?? all.at(-1) ?? null;
}
