import type { InferenceEvent, InferenceRequest } from '@vitrine/core';

type Call = { readonly request: InferenceRequest; readonly agentState: { readonly agentId: string } };
type Next = () => AsyncIterable<InferenceEvent>;
type Answer = { readonly request: InferenceRequest; text: string; isFinal: boolean };

const mostAnswer = 40_000;
const mostSessions = 1000;

/**
 * A layer around the model that keeps the last answer of each session as it came from the model, with its request. It is
 * for plugins that ask about an answer: behind `redactRequests` it sees names.
 */
export function rememberAnswers() {
  const answers = new Map<string, Answer>();
  return {
    async *aroundModel({ request, agentState: { agentId } }: Call, next: Next) {
      const answer = { request, text: '', isFinal: true };
      answers.delete(agentId);
      answers.set(agentId, answer);
      if (answers.size > mostSessions) answers.delete([...answers.keys()][0] ?? '');
      for await (const event of next()) {
        if (event.type === 'tool-call') answer.isFinal = false;
        if (event.type === 'text-delta' && answer.text.length < mostAnswer) answer.text += event.delta;
        yield event;
      }
    },
    /** The last answer of a session; null for one with calls of tools or without a text. */
    answerOf({ agentId }: { readonly agentId: string }): Answer | null {
      const answer = answers.get(agentId);
      return answer?.isFinal === true && answer.text.trim() !== '' ? answer : null;
    },
  };
}
