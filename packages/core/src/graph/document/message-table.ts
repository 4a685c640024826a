import { jsonKey } from '../../kit/json.ts';
import type { Message } from '../message.ts';

/** The versions of a message: one index for each content that its id had. */
type Revisions = { newest: number; places: Map<string | null, number> | null };

/** A table that holds every message once; lists of messages become runs of indexes. */
export class MessageTable {
  readonly messages: Message[] = [];
  readonly #indexes = new Map<Message, number>();
  readonly #byId = new Map<string, Revisions>();
  #longest: { list: readonly Message[]; ranges: readonly number[] } = { list: [], ranges: [] };

  /** The index of the newest message of an id; -1 when there is none. */
  placeOf(id: string): number {
    return this.#byId.get(id)?.newest ?? -1;
  }

  rangesOf(list: readonly Message[]): number[] {
    // The input of a step usually begins like earlier lists, so the common prefix is not looked up again.
    const shared = commonPrefix(this.#longest.list, list);
    const ranges = firstOf(this.#longest.ranges, shared);
    for (const message of list.slice(shared)) append(ranges, this.#indexOf(message));
    if (list.length > this.#longest.list.length) this.#longest = { list, ranges: [...ranges] };
    return ranges;
  }

  /** The index of a message by its content, and never by its object: equal states have equal documents. */
  #indexOf(message: Message): number {
    const known = this.#indexes.get(message);
    if (known !== undefined) return known;
    const revisions = this.#byId.get(message.id);
    const index = revisions === undefined ? this.messages.length : this.#placeAmong(revisions, message);
    if (index === this.messages.length) {
      this.messages.push(message);
      if (revisions === undefined) this.#byId.set(message.id, { newest: index, places: null });
      else revisions.newest = index;
    }
    this.#indexes.set(message, index);
    return index;
  }

  /** The index of an equal message, or of a new one. */
  #placeAmong(revisions: Revisions, message: Message): number {
    const { messages } = this;
    // Most ids have one version. The key of the first is computed only when a second object appears.
    revisions.places ??= new Map([[jsonKey(messages[revisions.newest] as Message), revisions.newest]]);
    const key = jsonKey(message);
    const place = key === null ? undefined : revisions.places.get(key);
    if (place === undefined) revisions.places.set(key, messages.length);
    return place ?? messages.length;
  }
}

/** Extends the last run by an index, or begins a new run. */
function append(ranges: number[], index: number): void {
  const last = ranges.length - 1;
  const end = (ranges[last - 1] ?? 0) + (ranges[last] ?? 0);
  if (ranges.length > 0 && end === index) ranges[last] = (ranges[last] ?? 0) + 1;
  else ranges.push(index, 1);
}

/** The runs of the first `count` messages. */
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
