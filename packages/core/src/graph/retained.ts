import { equalJson } from '../kit/json.ts';
import { memoize } from '../kit/memoize.ts';
import { isTrace, type Message } from './message.ts';
import { placeOf } from './messages-by-id.ts';
import { mapSteps } from './execution-state.ts';
import { section } from './message-store.ts';
import { between, membersOf } from './sent.ts';
import type { AgentState, SentRange, SentRequest } from './types.ts';

/**
 * The state's steps and retained messages before a section becomes another list. Steps keep the messages they were
 * sent, in their order, and none that is inserted between them.
 * @param isGone True for messages that count as removed also when they are added again.
 */
export function retain(
  state: AgentState,
  name: string,
  next: readonly Message[],
  isGone: (message: Message) => boolean = () => false,
): Pick<AgentState, 'execution' | 'retained'> {
  const { execution } = state;
  const old = section(state.context.store, name);
  const placeIn = (message: Message): number => {
    const place = placeOf(next, message.id);
    return saysTheSame(next[place], message) && !isGone(message) ? place : -1;
  };
  if (execution === null || staysTogether(old, placeIn)) return { execution, retained: state.retained };
  const kept = openBook(state.retained);

  /** A request that left out traces, after its messages moved: its ranges then name all messages. */
  function namedOneByOne({ tracesOf, ...sent }: SentRequest): SentRequest {
    const fields = { ...sent, ...(tracesOf === undefined ? {} : { tracesOf }) };
    const members = ({ section: owner, first, last }: SentRange): Message[] =>
      membersOf(fields, owner === name ? old : section(state.context.store, owner ?? ''), first, last);
    const own = sent.messages.find((range) => range.section === name);
    if (own === undefined) return fields;
    const before = members(own);
    const after = membersOf(fields, next, own.first, own.last);
    const stays =
      before.length === after.length &&
      before.every((message, at) => placeIn(message) >= 0 && saysTheSame(after[at], message));
    if (stays) return fields;
    const messages = sent.messages.flatMap((range) => {
      if (range.section === null) return [range];
      const list = section(state.context.store, range.section);
      const place =
        range.section === name ? placeIn : (message: Message): number => placeOf(list, message.id);
      return splitRange(members(range), range, place, kept);
    });
    return { ...sent, messages };
  }

  const rewrite = memoize((sent: SentRequest): SentRequest => {
    if (sent.tracesOf !== undefined) return namedOneByOne(sent);
    const messages = sent.messages.flatMap((range) =>
      range.section === name
        ? splitRange(between(old, range.first, range.last), range, placeIn, kept)
        : [range],
    );
    const isSame =
      messages.length === sent.messages.length && messages.every((range, at) => range === sent.messages[at]);
    return isSame ? sent : { ...sent, messages };
  });
  const rewritten = mapSteps(execution, (step) => {
    const sent = step.sent && rewrite(step.sent);
    return sent === step.sent ? step : { ...step, sent };
  });
  return { execution: rewritten, retained: kept.messages };
}

/** True for messages with equal content and trace. Metadata is not sent to models, so it is not compared. */
function saysTheSame(a: Message | undefined, b: Message): boolean {
  if (a === b || a === undefined) return a === b;
  const isSameTrace = isTrace(a) === isTrace(b) && a.metadata['execution_id'] === b.metadata['execution_id'];
  return isSameTrace && a.role === b.role && equalJson(a.parts, b.parts);
}

type PlaceOf = (message: Message) => number;

/** True when the messages still follow each other directly. */
function staysTogether(messages: readonly Message[], placeOf: PlaceOf): boolean {
  const start = messages[0] === undefined ? 0 : placeOf(messages[0]);
  return start >= 0 && messages.every((message, index) => placeOf(message) === start + index);
}

/** Splits a range into the pieces that follow each other in their section, and those retained under a key. */
function splitRange(
  members: readonly Message[],
  range: SentRange,
  placeOf: PlaceOf,
  kept: Book,
): SentRange[] {
  if (staysTogether(members, placeOf)) return [range];
  const pieces: SentRange[] = [];
  let before = -1;
  for (const message of members) {
    const place = placeOf(message);
    const leaves = place < 0;
    const key = leaves ? kept.retain(message) : message.id;
    const at = leaves ? kept.position(key) : place;
    const last = pieces.at(-1);
    const owner = leaves ? null : range.section;
    if (last?.section === owner && at === before + 1)
      pieces[pieces.length - 1] = { ...last, last: key, count: last.count + 1 };
    else pieces.push({ section: owner, first: key, last: key, count: 1 });
    before = at;
  }
  return pieces;
}

type Book = ReturnType<typeof openBook>;

/** Opens the retained messages. Keys begin with a letter: numeric keys would not keep their order of insertion. */
function openBook(known: AgentState['retained']) {
  const messages: Record<string, Message> = { ...known };
  const positions = new Map(Object.keys(messages).map((key, index) => [key, index]));
  return {
    messages,
    position: (key: string): number => positions.get(key) ?? -1,
    retain(message: Message): string {
      for (let version = 0; ; version++) {
        const key = `m${version === 0 ? '' : version}:${message.id}`;
        const known = messages[key];
        // A message that left, came back and leaves again is stored once.
        if (known === message || (known && equalJson(known, message))) return key;
        if (known !== undefined) continue;
        messages[key] = message;
        positions.set(key, positions.size);
        return key;
      }
    },
  };
}
