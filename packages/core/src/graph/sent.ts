import { equalJson } from '../kit/equal-json.ts';
import type { JsonValue } from '../kit/json.ts';
import { sharedLength } from '../kit/grown-list.ts';
import { memoize } from '../kit/memoize.ts';
import { orNothing } from '../kit/nothing.ts';
import { section } from './message-store.ts';
import type { Message } from './message.ts';
import type { ResponseFormat } from './response-format.ts';
import type { AgentState, AgentStep, SentRange, SentRequest, ToolChoice } from './types.ts';

/** A model call as it was sent, put together again. */
export type SentInference = {
  readonly model: string | null;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: JsonValue;
  readonly toolChoice: ToolChoice;
  readonly responseFormat: ResponseFormat | null;
  readonly settings: SentRequest['settings'];
};

const indexes = memoize(
  (messages: readonly Message[]) => new Map(messages.map((message, index) => [message.id, index])),
);

/** The messages that the step's model call was sent, without the system prompt. */
export function inputMessages(state: AgentState, step: AgentStep): readonly Message[] {
  const { sent } = step;
  return sent === null ? [] : sent.messages.flatMap((range) => resolve(state, sent, range));
}

/** The step's model call with the texts behind its hashes; null before it was made. */
export function request(state: AgentState, step: AgentStep): SentInference | null {
  const { sent } = step;
  if (sent === null) return null;
  const { model, toolChoice, settings } = sent;
  const format = sent.responseFormat === null ? null : state.texts[sent.responseFormat];
  return {
    model,
    systemPrompt: String(state.texts[sent.prompt] ?? ''),
    messages: inputMessages(state, step),
    tools: state.texts[sent.tools] ?? [],
    toolChoice,
    responseFormat: (format ?? null) as ResponseFormat | null,
    settings,
  };
}

function resolve(state: AgentState, sent: SentRequest, { section: name, first, last }: SentRange): Message[] {
  if (name !== null) return between(section(state.context.store, name), first, last);
  const extra = between(sent.extra, first, last);
  if (extra.length > 0) return extra;
  const keys = Object.keys(state.retained);
  const from = keys.indexOf(first);
  return from < 0
    ? []
    : keys.slice(from, keys.indexOf(last) + 1).map((key) => state.retained[key] as Message);
}

function between(messages: readonly Message[], first: string, last: string): Message[] {
  const index = indexes(messages);
  const from = index.get(first);
  const to = index.get(last);
  return from === undefined || to === undefined ? [] : messages.slice(from, to + 1);
}

/** The ranges of a list whose messages stand in the store's sections; those that stand nowhere come as extras. */
export function rangesOf(
  state: AgentState,
  messages: readonly Message[],
): { ranges: readonly SentRange[]; extra: readonly Message[] } {
  const ranges: SentRange[] = [];
  const extra: Message[] = [];
  const sections = state.context.store.sections.filter((entry) => entry.messages.length > 0);
  let at = 0;
  while (at < messages.length) {
    const run = longestRun(sections, messages, at);
    if (run === null) {
      const message = messages[at] as Message;
      extra.push(message);
      ranges.push({ section: null, first: message.id, last: message.id, count: 1 });
      at++;
      continue;
    }
    ranges.push({
      section: run.section,
      first: (messages[at] as Message).id,
      last: (messages[at + run.count - 1] as Message).id,
      count: run.count,
    });
    at += run.count;
  }
  // Every kept step holds them: a list that has grown keeps room for more.
  return { ranges: ranges.slice(), extra: orNothing(extra) };
}

type Sections = AgentState['context']['store']['sections'];

/** Lists mostly follow a section from its start or from the middle; both are found without an index. */
function longestRun(
  sections: Sections,
  messages: readonly Message[],
  at: number,
): { section: string; count: number } | null {
  const wanted = messages[at] as Message;
  for (const { name, messages: own } of sections) {
    const start = own[at] === wanted ? at : own[0] === wanted ? 0 : (indexes(own).get(wanted.id) ?? -1);
    if (own[start] !== wanted) continue;
    if (start === 0 && at === 0) return { section: name, count: sharedLength(own, messages) };
    let count = 1;
    while (at + count < messages.length && own[start + count] === messages[at + count]) count++;
    return { section: name, count };
  }
  return null;
}

/**
 * The state's steps and retained messages when a section is about to become another list: what a kept step was sent
 * stays as it was, in its order, and nothing that is put in between becomes part of it.
 * @param isGone True for messages that count as left also when they are put in again.
 */
export function retained(
  state: AgentState,
  name: string,
  next: readonly Message[],
  isGone: (message: Message) => boolean = () => false,
): Pick<AgentState, 'execution' | 'retained'> {
  const { execution } = state;
  const old = section(state.context.store, name);
  const placeOf = (message: Message): number => {
    const place = indexes(next).get(message.id) ?? -1;
    return next[place] === message && !isGone(message) ? place : -1;
  };
  if (execution === null || staysTogether(old, placeOf)) return { execution, retained: state.retained };
  const kept = openBook(state.retained);
  const rewrite = memoize((sent: SentRequest): SentRequest => {
    const ranges = sent.messages.flatMap((range) =>
      range.section === name
        ? splitRange(between(old, range.first, range.last), range, placeOf, kept)
        : [range],
    );
    return ranges.length === sent.messages.length &&
      ranges.every((range, index) => range === sent.messages[index])
      ? sent
      : { ...sent, messages: ranges };
  });
  const rewritten = (step: AgentStep): AgentStep => {
    if (step.sent === null) return step;
    const sent = rewrite(step.sent);
    return sent === step.sent ? step : { ...step, sent };
  };
  const stepExecutions = execution.stepExecutions.map((entry) => {
    const step = rewritten(entry.step);
    return step === entry.step ? entry : { ...entry, step };
  });
  const currentStep = execution.currentStep === null ? null : rewritten(execution.currentStep);
  return { execution: { ...execution, stepExecutions, currentStep }, retained: kept.messages };
}

type PlaceOf = (message: Message) => number;

/** True when the messages still stand one behind the other. */
function staysTogether(messages: readonly Message[], placeOf: PlaceOf): boolean {
  const start = messages[0] === undefined ? 0 : placeOf(messages[0]);
  return start >= 0 && messages.every((message, index) => placeOf(message) === start + index);
}

/** A range in pieces: what stands in its section, one behind the other, and what is retained under a key. */
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

/** The retained messages while more come in. */
type Book = {
  readonly messages: Record<string, Message>;
  readonly retain: (message: Message) => string;
  readonly position: (key: string) => number;
};

/** Keys begin with a letter, because keys like numbers would not keep the order in which they were added. */
function openBook(known: AgentState['retained']): Book {
  const messages: Record<string, Message> = { ...known };
  const positions = new Map(Object.keys(messages).map((key, index) => [key, index]));
  return {
    messages,
    position: (key) => positions.get(key) ?? -1,
    retain(message) {
      for (let version = 0; ; version++) {
        const key = `m${version === 0 ? '' : version}:${message.id}`;
        const known = messages[key];
        // A message that left, came back and leaves again is kept once.
        if (known === message || (known && equalJson(known, message))) return key;
        if (known !== undefined) continue;
        messages[key] = message;
        positions.set(key, positions.size);
        return key;
      }
    },
  };
}
