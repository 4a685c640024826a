import { equalJson } from '../env/equal-json.ts';
import type { JsonValue } from '../env/json.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { Message } from '../messages/message.ts';

/** Holds every message once; lists of messages become runs of indexes. */
export type MessageTable = {
  readonly messages: Message[];
  readonly rangesOf: (list: readonly Message[]) => number[];
};

export function createMessageTable(): MessageTable {
  const messages: Message[] = [];
  const indexes = new Map<Message, number>();
  const latest = new Map<string, number>();

  function indexOf(message: Message): number {
    const known = indexes.get(message);
    if (known !== undefined) return known;
    const twin = latest.get(message.id);
    // Two copies of a message that say the same are one; what was changed in between is kept as a second one.
    const isTwin =
      twin !== undefined &&
      equalJson(messages[twin] as unknown as JsonValue, message as unknown as JsonValue);
    const index = isTwin ? twin : messages.push(message) - 1;
    indexes.set(message, index);
    latest.set(message.id, index);
    return index;
  }

  return {
    messages,
    rangesOf(list) {
      const ranges: number[] = [];
      let end = -1;
      for (const message of list) {
        const index = indexOf(message);
        if (index === end) ranges[ranges.length - 1] = (ranges[ranges.length - 1] ?? 0) + 1;
        else ranges.push(index, 1);
        end = index + 1;
      }
      return ranges;
    },
  };
}

/** The messages that the ranges stand for. @throws AgentError `state-invalid` for an index beyond the table. */
export function messagesOf(
  table: readonly Message[],
  ranges: readonly number[],
  path: string,
): readonly Message[] {
  const list: Message[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const [start, length] = [ranges[at] ?? 0, ranges[at + 1] ?? 0];
    if (start + length > table.length) {
      throw new AgentError(
        'state-invalid',
        `Stored state is invalid at ${path}: it refers to message ${start + length - 1} of ${table.length}.`,
        {
          data: { path },
        },
      );
    }
    for (let index = start; index < start + length; index++) list.push(table[index] as Message);
  }
  return list;
}
