import { AgentState, type StopReason } from '@vitrine/core';

const stopped: Partial<Record<StopReason, string>> = {
  'user-requested': 'Stopped by you',
  'stop-requested': 'Stopped',
  'steps-limit-reached': 'Stopped: the step limit is reached',
  'token-limit-reached': 'Stopped: the token limit is reached',
  'time-limit-reached': 'Stopped: the time limit is reached',
  'cost-limit-reached': 'Stopped: the cost limit is reached',
};

/** What there is to say about how the last answer ended; null while one runs, and for one that is whole. */
export function endOfAnswer(state: AgentState): string | null {
  const reason = AgentState.stopReason(state);
  const words = reason === null ? undefined : stopped[reason];
  if (words !== undefined) return words;
  const step = AgentState.lastStep(state);
  if (AgentState.status(state) !== 'completed' || step === null) return null;
  const { finishReason, explanation } = step.inferenceResponse ?? {};
  if (finishReason === 'content-filter') {
    const held = 'The model’s provider held back the rest of this answer.';
    return explanation === undefined ? held : `${held} It says: ${explanation}`;
  }
  const isEmpty = !step.outputMessages.some(({ parts }) =>
    parts.some((part) => part.type === 'file' || (part.type === 'text' && part.text.trim() !== '')),
  );
  return isEmpty ? 'The model ended without an answer. Ask again, or in other words.' : null;
}
