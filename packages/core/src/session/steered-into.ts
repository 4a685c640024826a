import type { SessionModel } from './session-model.ts';
import type { QueuedMessage } from './stores/queued-message.ts';

/** The messages that wait to be taken into the run; none when it is not the one that goes on, or is being stopped. */
export function steeredInto({ run, queue }: SessionModel, runId: string): readonly QueuedMessage[] {
  if (run === null || run.id !== runId || run.isStopping) return [];
  return queue.filter(({ lane }) => lane === 'steered').map(({ message }) => message);
}
