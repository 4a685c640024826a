import { equalJson } from '../../kit/equal-json.ts';
import type { JsonValue } from '../../kit/json.ts';
import * as errors from '../../kit/errors.ts';
import type { Message } from '../message.ts';

/** Holds every message once; lists of messages become runs of indexes. */
export type MessageTable = {
  readonly messages: Message[];
  readonly rangesOf: (list: readonly Message[]) => number[];
  /** The place of the newest message of an id; -1 when there is none. */
  readonly placeOf: (id: string) => number;
};

export function createMessageTable(): MessageTable {
  const messages: Message[] = [];
  const indexes = new Map<Message, number>();
  const latest = new Map<string, number>();
  let longest: { list: readonly Message[]; ranges: readonly number[] } = { list: [], ranges: [] };

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
    placeOf: (id) => latest.get(id) ?? -1,
    rangesOf(list) {
      // The input of a step mostly begins like the lists before it: what is the same is not looked up again.
      const shared = commonPrefix(longest.list, list);
      const ranges = firstOf(longest.ranges, shared);
      for (const message of list.slice(shared)) append(ranges, indexOf(message));
      if (list.length > longest.list.length) longest = { list, ranges: [...ranges] };
      return ranges;
    },
  };
}

/** Adds an index to the last run, or begins a new one. */
function append(ranges: number[], index: number): void {
  const last = ranges.length - 1;
  const end = (ranges[last - 1] ?? 0) + (ranges[last] ?? 0);
  if (ranges.length > 0 && end === index) ranges[last] = (ranges[last] ?? 0) + 1;
  else ranges.push(index, 1);
}

/** The runs of the first so many messages. */
function firstOf(ranges: readonly number[], count: number): number[] {
  const first: number[] = [];
  for (let at = 0, left = count; left > 0 && at < ranges.length; at += 2) {
    const length = Math.min(left, ranges[at + 1] ?? 0);
    first.push(ranges[at] ?? 0, length);
    left -= length;
  }
  return first;
}

function commonPrefix(a: readonly Message[], b: readonly Message[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
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
      throw errors.stateInvalid({
        path,
        what: `it refers to message ${start + length - 1} of ${table.length}`,
      });
    }
    for (let index = start; index < start + length; index++) list.push(table[index] as Message);
  }
  return list;
}
