import { AgentState, type ChatMessage, Conversation, Message } from '@vitrine/core';

const known = new WeakMap<readonly ChatMessage[], ReadonlySet<string>>();
const isSaid = (message: ChatMessage): boolean => message.role === 'user' && !Message.isTrace(message);

/**
 * The ids of the last message of each answer, except the answer in progress. Returns the same set until a
 * message is added.
 */
export function endsOfAnswers(state: AgentState): ReadonlySet<string> {
  const messages = Conversation.settledMessages(state);
  const ends = known.get(messages) ?? new Set(endsIn(messages));
  known.set(messages, ends);
  const last = messages.at(-1);
  if (AgentState.status(state) !== 'in-progress' || last === undefined || !ends.has(last.id)) return ends;
  return withoutLast(ends, messages);
}

const finished = new WeakMap<readonly ChatMessage[], ReadonlySet<string>>();

function withoutLast(ends: ReadonlySet<string>, messages: readonly ChatMessage[]): ReadonlySet<string> {
  const found = finished.get(messages) ?? new Set([...ends].slice(0, -1));
  finished.set(messages, found);
  return found;
}

function endsIn(messages: readonly ChatMessage[]): string[] {
  return messages
    .filter((message, at) => {
      const next = messages[at + 1];
      return message.role === 'assistant' && (next === undefined || isSaid(next));
    })
    .map(({ id }) => id);
}
