import type { JsonValue } from '../kit/json.ts';
import { work } from '../kit/work.ts';
import { nothing, orNothing, sharedLength } from '../kit/memoize.ts';
import { placeOf } from './messages-by-id.ts';
import { section, compile } from './message-store.ts';
import { isForeignTrace, withoutForeignTraces } from './foreign-traces.ts';
import type { Message } from './message.ts';
import type { ResponseFormat } from './llm-config.ts';
import type { AgentState, AgentStep, SentRange, SentRequest, ToolChoice } from './types.ts';

/** A model call in full, assembled from its references. */
type SentInference = {
  readonly model: string | null;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: JsonValue;
  readonly toolChoice: ToolChoice;
  readonly responseFormat: ResponseFormat | null;
  readonly settings: SentRequest['settings'];
};

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
  if (name !== null) return membersOf(sent, section(state.context.store, name), first, last);
  const extra = between(sent.extra, first, last);
  if (extra.length > 0) return extra;
  const keys = Object.keys(state.retained);
  const from = keys.indexOf(first);
  return from < 0
    ? []
    : keys.slice(from, keys.indexOf(last) + 1).map((key) => state.retained[key] as Message);
}

/** The messages of a range of a request, in a list of its section. */
export function membersOf(
  { tracesOf }: SentRequest,
  messages: readonly Message[],
  first: string,
  last: string,
): Message[] {
  const members = between(messages, first, last);
  return tracesOf === undefined ? members : members.filter((message) => !isForeignTrace(message, tracesOf));
}

/** The messages from the first to the last of the named ones; none when one of them is not there. */
export function between(messages: readonly Message[], first: string, last: string): Message[] {
  const from = placeOf(messages, first);
  const to = placeOf(messages, last);
  return from < 0 || to < 0 ? [] : messages.slice(from, to + 1);
}

/** The ranges of a list whose messages are in the store's sections; the others are returned as extras. */
export function rangesOf(
  state: AgentState,
  messages: readonly Message[],
): { ranges: readonly SentRange[]; tracesOf?: string; extra: readonly Message[] } {
  const usual = usualRanges(state);
  if (messages.length > 0 && usual?.messages.length === messages.length)
    if (sharedLength(usual.messages, messages) === messages.length)
      return { ...usual.sent, ranges: usual.sent.ranges.slice(), extra: nothing };
  const ranges: SentRange[] = [];
  const extra: Message[] = [];
  const sections = state.context.store.sections.filter((entry) => entry.messages.length > 0);
  let at = 0;
  while (at < messages.length) {
    const run = longestRun(sections, messages, at);
    work.units += run?.count ?? 1;
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
  // A copy without the spare room of an array that grew: every stored step holds one.
  return { ranges: ranges.slice(), extra: orNothing(extra) };
}

/** The usual content of a request: every section without the traces of other executions. */
function usualRanges(
  state: AgentState,
): { messages: readonly Message[]; sent: { ranges: readonly SentRange[]; tracesOf?: string } } | null {
  const { execution, context } = state;
  if (execution === null) return null;
  const { executionId } = execution;
  let isWhole = true;
  const ranges = context.store.sections.flatMap(({ name, messages }): SentRange[] => {
    const visible = withoutForeignTraces(messages, executionId);
    const [first, last] = [visible[0], visible.at(-1)];
    if (visible.length < messages.length) isWhole = false;
    if (first === undefined || last === undefined) return [];
    return [{ section: name, first: first.id, last: last.id, count: visible.length }];
  });
  const visible = withoutForeignTraces(compile(context.store), executionId);
  return { messages: visible, sent: isWhole ? { ranges } : { ranges, tracesOf: executionId } };
}

type Sections = AgentState['context']['store']['sections'];

/** The longest run of messages that a section has in the same order, mostly from its start or middle. */
function longestRun(
  sections: Sections,
  messages: readonly Message[],
  at: number,
): { section: string; count: number } | null {
  const wanted = messages[at] as Message;
  for (const { name, messages: own } of sections) {
    const start = own[at] === wanted ? at : own[0] === wanted ? 0 : placeOf(own, wanted.id);
    if (own[start] !== wanted) continue;
    if (start === 0 && at === 0) return { section: name, count: sharedLength(own, messages) };
    let count = 1;
    while (at + count < messages.length && own[start + count] === messages[at + count]) count++;
    return { section: name, count };
  }
  return null;
}
