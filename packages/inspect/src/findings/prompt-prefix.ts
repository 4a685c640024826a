import { isToldContext } from '@vitrine/core/internal/graph/foreign-traces';
import { type ModelPrice, priceOf, priceRow } from '@vitrine/core/internal/graph/llm-config';
import { section } from '@vitrine/core/internal/graph/message-store';
import { inputMessages } from '@vitrine/core/internal/graph/sent';
import { isTrace, type Message } from '@vitrine/core/internal/graph/message';
import type { AgentState, AgentStep, SentRange, SentRequest } from '@vitrine/core/internal/graph/types';
import type { Usage } from '@vitrine/core/internal/graph/usage';
import { hashText } from '@vitrine/core/internal/kit/hash';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { memoize, sharedLength } from '@vitrine/core/internal/kit/memoize';
import { work } from '@vitrine/core/internal/kit/work';
import type { AgentEventOf } from '@vitrine/core/internal/run/events';
import type { DetectorReads, ReadEvent, Seen } from './detector.ts';

/** The events by which a detector follows the model calls of an agent. */
export const callReads = {
  'inference-start': ['sent', 'replaced', 'contributions'],
  'inference-end': ['response'],
  'context-change': ['source', 'systemPrompt', 'responseFormat', 'llmConfig'],
  'section-change': ['source', 'removed'],
  'message-add': ['source'],
  'price-record': ['model', 'price'],
} as const satisfies DetectorReads;

type CallEvent = ReadEvent<typeof callReads>;
type Start = Pick<AgentEventOf<'inference-start'>, 'sent' | 'replaced' | 'contributions' | 'at' | 'seq'>;

/** A model call that was answered, with the state at its start. */
export type AnsweredCall = Start & {
  readonly agent: AgentState;
  readonly step: AgentStep;
  readonly executionId: string | undefined;
  readonly endedAt: number;
  readonly usage: Usage;
  /** The model that answered. */
  readonly model: string | null;
  readonly price: ModelPrice | null;
};

type CallSize = { readonly messages: number; readonly inputTokens: number };

/** A call and the one before it, which may be of the run before. */
export type CallPair = {
  readonly former: AnsweredCall;
  readonly call: AnsweredCall;
  /** Input tokens of the calls of the former one's run up to it, with the number of their messages. */
  readonly earlier: readonly CallSize[];
  /** Changes of the conversation and its settings between the two. */
  readonly between: readonly CallEvent[];
};

/** Most changes that are remembered between two calls. */
const mostChanges = 100;

/** Follows the model calls of an agent. The function that it returns gives a call when it is answered, with the one before. */
export function followCalls(): (seen: Seen<CallEvent>) => CallPair | null {
  const prices = new Map<string | null, ModelPrice | null>();
  let between: CallEvent[] = [];
  let open: Pick<AnsweredCall, keyof Start | 'agent' | 'step'> | null = null;
  let former: AnsweredCall | null = null;
  let earlier: CallSize[] = [];
  return ({ event, agent, step }) => {
    if (event.type === 'price-record') prices.set(event.model, event.price);
    else if (event.type === 'inference-start') open = step === null ? null : { ...event, agent, step };
    else if (event.type !== 'inference-end') between = [...between.slice(1 - mostChanges), event];
    if (event.type !== 'inference-end' || open === null) return null;
    const { usage, model } = event.response;
    const executionId = agent.execution?.executionId;
    const known = [model, open.sent.model].map(
      (id) => priceOf(id, agent.llmConfig) ?? prices.get(id) ?? null,
    );
    const price = known.find((one) => one !== null) ?? null;
    const call = { ...open, executionId, endedAt: event.at, usage, model, price };
    if (former !== null)
      earlier.push({ messages: countOf(former.sent), inputTokens: former.usage.inputTokens });
    const pair = former === null ? null : { former, call, earlier, between };
    if (former?.executionId !== executionId) earlier = [];
    [former, open, between] = [call, null, []];
    return pair;
  };
}

function countOf({ messages }: SentRequest): number {
  return messages.reduce((sum, { count }) => sum + count, 0);
}

/** A part of a request in the order in which a cache reads it: with a change of it, all that follows is lost. */
export type PrefixPart = 'model' | 'tools' | 'prompt' | 'settings' | 'messages';

/** A change of what the request before had. */
export type PrefixChange = {
  readonly where: PrefixPart;
  readonly who: string;
  /** The writer in words. */
  readonly writer: string;
  readonly place: string;
  readonly before: string;
  readonly after: string;
  /** Tokens of the request before that stayed the same in front of the change; a part of them is estimated from its text. */
  readonly kept: number;
};

/** The changes that keep a provider's cache from reading what the request before has written; none for an intact one. */
export function prefixChanges(pair: CallPair): readonly PrefixChange[] {
  return [...changedParts(pair), ...changedMessages(pair)];
}

type Part = Omit<PrefixChange, 'who' | 'writer'> & { readonly field: string };

function changedParts(pair: CallPair): readonly PrefixChange[] {
  const { former, call } = pair;
  const [a, b] = [former.sent, call.sent];
  const found: Part[] = [];
  if (a.model !== b.model) {
    const [before, after] = [a.model ?? 'the default', b.model ?? 'the default'];
    found.push({ where: 'model', field: 'model', place: 'the model', before, after, kept: 0 });
  }
  if (a.tools !== b.tools) found.push(changedTools(former, call));
  const [before, after] = [textOf(former, a.prompt), textOf(call, b.prompt)];
  const tools = tokensOf(former.agent.texts[a.tools] ?? null);
  if (a.prompt !== b.prompt) {
    const at = sharedStart(before, after);
    found.push({
      where: 'prompt',
      field: 'prompt',
      place: `the system prompt, at character ${at}`,
      before: excerpt(before, at),
      after: excerpt(after, at),
      kept: tools + Math.floor(at / charactersPerToken),
    });
  }
  const kept = tools + Math.floor(before.length / charactersPerToken);
  const changes = [...found, ...changedSettings(a, b, kept)].map(({ field, ...part }) => ({
    ...part,
    ...writerOf(pair, part.where, field),
  }));
  // People choose the model of a turn, and how hard it thinks.
  const isChosen = ({ where, who }: PrefixChange): boolean =>
    former.executionId !== call.executionId &&
    (where === 'model' || where === 'settings') &&
    isPerson({ who });
  return changes.filter((change) => !isChosen(change));
}

function textOf({ agent }: AnsweredCall, hash: string): string {
  return String(agent.texts[hash] ?? '');
}

function changedTools(former: AnsweredCall, call: AnsweredCall): Part {
  const listOf = ({ agent, sent }: AnsweredCall): readonly JsonValue[] =>
    (agent.texts[sent.tools] ?? []) as readonly JsonValue[];
  const [before, after] = [listOf(former), listOf(call)];
  const at = before.findIndex((tool, index) => !equalJson(tool, after[index]));
  const index = at < 0 ? before.length : at;
  const [gone, added] = [before[index], after[index]].map((tool) =>
    tool === undefined ? '' : JSON.stringify(tool),
  );
  return {
    where: 'tools',
    field: 'tools',
    place: `tool ${index + 1} of the request`,
    before: excerpt(gone ?? '', 0),
    after: excerpt(added ?? '', 0),
    kept: 0,
  };
}

/** Settings that choose among tokens, or end an answer: no cache depends on them. */
const harmless = new Set(
  'temperature topP topK seed maxOutputTokens stopSequences presencePenalty frequencyPenalty'.split(' '),
);

function changedSettings(a: SentRequest, b: SentRequest, kept: number): readonly Part[] {
  const names = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])];
  const rows = [
    ...names
      .filter((name) => !harmless.has(name))
      .map((name) => ['settings', name, a.settings[name], b.settings[name]] as const),
    ['toolChoice', 'toolChoice', a.toolChoice, b.toolChoice] as const,
    ['responseFormat', 'responseFormat', a.responseFormat, b.responseFormat] as const,
  ];
  const changed = rows.filter(([, , before, after]) => !equalJson(before, after));
  return changed.slice(0, 1).map(([field, name, before, after]) => ({
    where: 'settings',
    field,
    place: `the setting ${name}`,
    before: excerpt(JSON.stringify(before ?? null), 0),
    after: excerpt(JSON.stringify(after ?? null), 0),
    kept,
  }));
}

function changedMessages(pair: CallPair): readonly PrefixChange[] {
  const { former, call } = pair;
  const isNextRun = former.executionId !== call.executionId;
  const at = isNextRun ? changedAcrossRuns(pair) : changedAt(former, call);
  if (at === null) return [];
  const writer = writerOf(pair, 'messages', 'messages');
  // A person who edits a message or opens another branch wants another conversation, and a summary makes it shorter.
  if (isNextRun && isPerson(writer)) return [];
  if (pair.between.some((event) => event.type === 'section-change' && event.removed.length > 1)) return [];
  const [before, after] = [former, call].map(({ agent, step }) =>
    messageText(inputMessages(agent, step)[at]),
  );
  const known = pair.earlier.findLast(({ messages }) => messages <= at)?.inputTokens;
  const share = Math.floor((former.usage.inputTokens * at) / Math.max(1, countOf(former.sent)));
  return [
    {
      where: 'messages',
      ...writer,
      place: `message ${at + 1} behind the prompt`,
      before: before ?? '',
      after: after ?? '',
      kept: Math.min(known ?? share, former.usage.inputTokens),
    },
  ];
}

function messageText(message: Message | undefined): string {
  return message === undefined ? '' : excerpt(`${message.role}: ${JSON.stringify(message.parts)}`, 0);
}

/** The index of the first message of the former request that the next one of its run does not have in its place; or null. */
function changedAt(former: AnsweredCall, call: AnsweredCall): number | null {
  if (!sectionsGrew(former, call)) return differentAt(former, call, (list) => list);
  const [before, after] = [withoutTold(former.sent), call.sent.messages];
  let at = 0;
  for (const [index, range] of before.entries()) {
    const next = after[index];
    work.units++;
    if (next === undefined || next.section !== range.section) return at;
    if (range.section !== null && next.first !== range.first) return at;
    if (range.section === null && !isSame(extra(former, range), extra(call, next))) return at;
    at += Math.min(range.count, next.count);
    if (next.count < range.count || (next.count > range.count && index < before.length - 1)) return at;
  }
  return null;
}

function extra({ sent }: AnsweredCall, { first }: SentRange): Message | undefined {
  return sent.extra.find(({ id }) => id === first);
}

/** The ranges without what a compiler left out and the run told at the end of one request only. */
function withoutTold({ messages, extra: own }: SentRequest): readonly SentRange[] {
  const last = messages.at(-1);
  const told = last?.section === null ? own.find(({ id }) => id === last.first) : undefined;
  return told !== undefined && isToldContext(told) ? messages.slice(0, -1) : messages;
}

/** True when messages were only added to the sections that the former request took messages from. */
function sectionsGrew(former: AnsweredCall, call: AnsweredCall): boolean {
  if (former.sent.tracesOf !== call.sent.tracesOf) return false;
  const names = new Set(former.sent.messages.flatMap(({ section: name }) => (name === null ? [] : [name])));
  return [...names].every((name) => {
    const before = section(former.agent.context.store, name);
    return sharedLength(before, section(call.agent.context.store, name)) === before.length;
  });
}

/** As above for the first call of the next run, which begins with the former one up to its question. */
function changedAcrossRuns(pair: CallPair): number | null {
  const { former, call } = pair;
  const isWritten = [former, call].some(({ replaced }) => replaced?.fields.includes('messages') === true);
  const [a, b] = [former.sent.messages[0], call.sent.messages[0]];
  const isMoved = a !== undefined && (b === undefined || a.section !== b.section || a.first !== b.first);
  const isEdited = pair.between.some(({ type }) => type === 'section-change');
  if (!isWritten && !isMoved && !isEdited) return null;
  return differentAt(former, call, (list) => {
    const plain = list.filter((message) => !isTrace(message));
    return plain.slice(0, plain.findLastIndex(({ role }) => role === 'user') + 1);
  });
}

function differentAt(
  former: AnsweredCall,
  call: AnsweredCall,
  expected: (list: readonly Message[]) => readonly Message[],
): number | null {
  const before = expected(inputMessages(former.agent, former.step));
  const last = before.at(-1);
  const isToldOnce = last !== undefined && isToldContext(last) && former.sent.extra.includes(last);
  const after = inputMessages(call.agent, call.step);
  const length = before.length - (isToldOnce ? 1 : 0);
  work.units += length;
  for (let at = 0; at < length; at++) if (!isSame(before[at], after[at])) return at;
  return null;
}

function isSame(a: Message | undefined, b: Message | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  return a.role === b.role && equalJson(a.parts, b.parts);
}

/** The author of a change: a hook, a plugin, the author of a change of the state, or the application. */
function writerOf(
  { former, call, between }: CallPair,
  where: PrefixPart,
  field: string,
): Pick<PrefixChange, 'who' | 'writer'> {
  const plugins = where === 'prompt' || where === 'tools' ? changedPlugins(former, call) : [];
  const [then, now] = [former, call].map(({ replaced }) =>
    replaced?.fields.includes(field) === true ? replaced.hook : null,
  );
  // A hook that writes in both calls passes on what a plugin changed.
  const isPassedOn =
    then !== null && now !== null && (plugins.length > 0 || call.replaced?.prompt !== undefined);
  const hook = isPassedOn ? null : (now ?? then ?? null);
  if (hook !== null) return { who: hook, writer: `Hook ${JSON.stringify(hook)}` };
  const source = between.findLast((event) => touches(event, where, field));
  if (source !== undefined && 'source' in source) return namedWriter(source.source ?? 'app');
  if (plugins.length > 0) {
    const named = plugins.map((id) => JSON.stringify(id)).join(', ');
    return {
      who: plugins.join(', '),
      writer: `${plugins.length === 1 ? 'Plugin' : 'One of the plugins'} ${named}`,
    };
  }
  return where === 'messages'
    ? { who: 'compileMessages', writer: 'The compiler of the agent (compileMessages)' }
    : namedWriter('app');
}

function namedWriter(who: string): Pick<PrefixChange, 'who' | 'writer'> {
  const words: { readonly [who: string]: string } = { app: 'The application', user: 'A person' };
  return { who, writer: words[who] ?? JSON.stringify(who) };
}

/** True for a change by a person, or by the application in the name of one. */
function isPerson({ who }: Pick<PrefixChange, 'who'>): boolean {
  return who === 'user' || who === 'app';
}

function touches(event: CallEvent, where: PrefixPart, field: string): boolean {
  if (event.type === 'section-change') return where === 'messages';
  if (event.type === 'message-add') return where === 'messages' && event.source !== 'context';
  if (event.type !== 'context-change') return false;
  if (where === 'prompt') return event.systemPrompt !== undefined;
  if (field === 'responseFormat') return event.responseFormat !== undefined;
  return (where === 'model' || where === 'settings') && event.llmConfig !== undefined;
}

/** The hash of a plugin without instructions and tools, which gives context at most. */
const contextOnly = hashText('');

function changedPlugins(
  { contributions: a = {} }: AnsweredCall,
  { contributions: b = {} }: AnsweredCall,
): string[] {
  const ids = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...ids].filter((id) => (a[id] ?? contextOnly) !== (b[id] ?? contextOnly));
}

const charactersPerToken = 4;

const lengthOf = memoize((value: object) => JSON.stringify(value).length);

function tokensOf(value: JsonValue): number {
  const length = typeof value === 'object' && value !== null ? lengthOf(value) : 0;
  return Math.floor(length / charactersPerToken);
}

function sharedStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The part of a text around a place. */
function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 40);
  return `${from > 0 ? '…' : ''}${text.slice(from, at + 160)}${text.length > at + 160 ? '…' : ''}`;
}

/** Money that tokens cost more because a cache did not read them. `isAtMost` for a bound from the cost of the whole answer. */
export type ExtraCost = { readonly cost: number | null; readonly isAtMost: boolean };

/** The extra cost of tokens that were paid as new in a call. */
export function extraCost({ price, usage }: AnsweredCall, tokens: number): ExtraCost {
  if (price !== null) {
    const { input, cacheRead = input, cacheWrite = input } = priceRow(price, usage.inputTokens);
    const each = (usage.cacheWriteTokens > 0 ? cacheWrite : input) - cacheRead;
    return { cost: Math.max(0, Math.round(tokens * each)) / 1_000_000, isAtMost: false };
  }
  if (usage.cost === null || usage.inputTokens === 0) return { cost: null, isAtMost: false };
  const most = (usage.cost * tokens) / usage.inputTokens;
  return { cost: Math.round(most * 1_000_000) / 1_000_000, isAtMost: true };
}

/** The words of a cost behind a sentence; empty for an unknown one. */
export function costText({ cost, isAtMost }: ExtraCost): string {
  return cost === null || cost === 0 ? '' : `, which cost ${isAtMost ? 'up to ' : ''}${cost} more`;
}
