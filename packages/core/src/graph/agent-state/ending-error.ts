import type { ErrorInfo } from '../error-info.ts';
import type { AgentState } from '../types.ts';
import { errors, stopSignals } from './accessors.ts';

/**
 * The error that ended the run: the one that the first signal of a failure tells of. What went wrong afterwards, in
 * hooks that heard of it or with calls that were never run, stands beside it and does not take its place.
 */
export function endingError(state: AgentState): ErrorInfo | null {
  const all = errors(state);
  const told = stopSignals(state).find(
    ({ reason }) => reason === 'error-forbade' || reason === 'retry-limit-reached',
  )?.message;
  const named = all.find(({ message }) => message === told);
  // The last of several attempts is quoted at the end of the sentence.
  return named ?? all.findLast(({ message }) => told?.endsWith(message)) ?? all.at(-1) ?? null;
}
