import { type Line, looseOf, type Printed } from './line.ts';
import type { WireMessage } from './wire/api.ts';

/** A request with what is compared of it. */
export type PlacedRequest = Printed & {
  /** The print of the whole request. */
  readonly print: string;
  /** Lines that may go on: none that waits for an answer. */
  readonly lines: readonly Line[];
};

/** The line that a request goes on with. */
export type Place = {
  readonly line: Line;
  /**
   * `retry`: the same request after a failure. `next`: it follows the last answer. `earlier`: it goes back to a point of
   * the conversation. `named`: it names the answer or conversation, and its messages are only the new ones.
   */
  readonly how: 'retry' | 'next' | 'earlier' | 'named';
  /** The number of messages of the line, from its beginning, that stay. */
  readonly kept: number;
  /** The number of messages of the request that are not new. */
  readonly known: number;
};

/** The place of a request by more than its text: the call that its agent runs in, and the name of the agent. */
export type ToldPlace = { readonly parent: CallOfLine | null; readonly name: string | null };

/** A call of a conversation, by our key of it. */
export type CallOfLine = { readonly line: Line; readonly key: string };

/** An answer of a line, by the id that its provider gave it. */
export type NamedAnswer = { readonly line: Line; readonly length: number };

/** Finds the line that a request goes on with, by the first rule that fits; null for a new one. */
export function placeOf(asked: PlacedRequest, named: ReadonlyMap<string, NamedAnswer>): Place | null {
  const { request, print, lines, prints } = asked;
  const again = lines.find(({ failed }) => failed?.print === print);
  if (again !== undefined)
    return { line: again, how: 'retry', kept: again.entries.length, known: prints.length };
  const name = request.previous ?? request.conversation;
  if (name !== null) {
    const found = named.get(name);
    if (found === undefined || !lines.includes(found.line)) return null;
    const kept = request.previous === null ? found.line.entries.length : found.length;
    return { line: found.line, how: 'named', kept, known: 0 };
  }
  const last = request.messages.findLastIndex(({ role }) => role === 'assistant');
  const answer = request.messages[last];
  if (answer === undefined) return null;
  for (const isNext of [hasCalls, hasAnswer, hasRenamedCalls]) {
    const line = nearestOf(
      lines.filter((one) => isNext(one, answer, asked, last)),
      prints,
    );
    if (line !== null) return { line, how: 'next', kept: line.entries.length, known: last + 1 };
  }
  return earlier(asked);
}

type IsNext = (line: Line, answer: WireMessage, asked: PlacedRequest, last: number) => boolean;

/** True for a line whose open calls the results at the end answer. */
const hasCalls: IsNext = ({ open }, answer, { request }, last) =>
  request.messages.slice(last + 1).some(({ callId }) => {
    const call = open.get(callId ?? '');
    // Some servers number the calls of each answer anew.
    const same = answer.calls.find(({ id }) => id === callId);
    return call !== undefined && same?.name === call.name && same.args === call.args;
  });

/** True for a line whose last answer is the last one of the request. */
const hasAnswer: IsNext = ({ entries }, _answer, { prints }, last) => entries.at(-1)?.print === prints[last];

/** True for a line that waits for results of the same calls under other ids. */
const hasRenamedCalls: IsNext = ({ open, entries }, answer) => {
  const end = entries.at(-1)?.message;
  return open.size > 0 && answer.calls.length > 0 && end !== undefined && looseOf(end) === looseOf(answer);
};

/** The line with the longest common beginning that has an answer: it was edited, or asked anew. */
function earlier({ prints, lines }: PlacedRequest): Place | null {
  let found: Place | null = null;
  for (const line of lines) {
    const kept = line.common(prints);
    const hasAnswer = line.entries.slice(0, kept).some(({ message }) => message.role === 'assistant');
    if (hasAnswer && kept > (found?.kept ?? 0)) found = { line, how: 'earlier', kept, known: kept };
  }
  return found;
}

/** The line that shares most of the beginning, of these the newest. */
function nearestOf(fits: readonly Line[], prints: readonly string[]): Line | null {
  const [first] = fits.toSorted((a, b) => b.common(prints) - a.common(prints) || b.touchedAt - a.touchedAt);
  return first ?? null;
}

/** The results at the end of a request with our keys of their calls, by the place of each result. */
export function keysOfResults(
  { open, entries }: Line,
  messages: readonly WireMessage[],
  from: number,
): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  const own = entries.at(-1)?.message.calls ?? [];
  const theirs = messages[from - 1]?.calls ?? [];
  const free = [...open.keys()];
  for (const [index, { role, callId }] of messages.entries()) {
    if (index < from || role !== 'tool') continue;
    const place = theirs.findIndex(({ id }) => id !== null && id === callId);
    const named = callId !== null && open.has(callId) ? callId : (own[place]?.id ?? null);
    // Results without ids answer the calls in their order.
    const key = named ?? (callId === null ? free[0] : undefined);
    if (key === undefined || !free.includes(key)) continue;
    free.splice(free.indexOf(key), 1);
    keys.set(index, key);
  }
  return keys;
}

/** The open call that a new conversation works at, if its task is in the arguments of one. */
export function parentOf(
  { request, lines }: PlacedRequest,
  hasChild: (line: Line, key: string) => boolean,
): (CallOfLine & { readonly name: string }) | null {
  const task = request.messages
    .filter(({ role }) => role === 'user')
    .map(({ text }) => text.trim())
    .join('\n');
  for (const line of lines.toSorted((a, b) => b.touchedAt - a.touchedAt))
    for (const [key, { name, args }] of line.open) {
      const isTask = textsIn(args).some((text) => isSameTask(text.trim(), task));
      if (isTask && !hasChild(line, key)) return { line, key, name };
    }
  return null;
}

/** Fewest characters of a task that is found inside another text. */
const fewest = 8;

function isSameTask(text: string, task: string): boolean {
  if (text === '' || task === '') return false;
  if (text === task) return true;
  return (text.length >= fewest && task.includes(text)) || (task.length >= fewest && text.includes(task));
}

function textsIn(args: string): readonly string[] {
  const texts: string[] = [];
  try {
    JSON.parse(args, (_key, value: unknown) => (typeof value === 'string' ? void texts.push(value) : value));
  } catch {
    texts.push(args);
  }
  return texts;
}
