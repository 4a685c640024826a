import { nothing, memoize, memoizeGrowing } from '../kit/memoize.ts';
import { type Message, isTrace } from './message.ts';
import { grown } from '../kit/grown-list.ts';
import type { JsonValue } from '../kit/json.ts';
import { section, type MessageStore, type SectionName } from './message-store.ts';

const compiled = memoize((store: MessageStore): readonly Message[] => joined(filled(store)));

function filled({ sections }: MessageStore): MessageStore['sections'] {
  return sections.filter(({ messages }) => messages.length > 0);
}

/** Joins the lists. The last one usually continues a list that was joined before. */
function joined(sections: MessageStore['sections']): readonly Message[] {
  let all: readonly Message[] = nothing;
  for (const { messages } of sections) all = all.length === 0 ? messages : behind(all)(messages);
  return all;
}

const behind = memoize((first: readonly Message[]) =>
  memoizeGrowing<Message, readonly Message[]>((before, list, from) =>
    grown(before ?? first, list.slice(from)),
  ),
);

/**
 * All messages in section order. Without names, every section is included; an empty list of names means only
 * `messages`.
 */
export function compile(store: MessageStore, names?: readonly SectionName[]): readonly Message[] {
  if (names?.length === 0) return section(store);
  const sections = filled(store);
  if (names !== undefined) return joined(sections.filter((entry) => names.includes(entry.name)));
  // Garbage collectors keep values of weak maps for a while. A list that is the store's own is not remembered.
  return sections.length === 1 ? joined(sections) : compiled(store);
}

type Traced = {
  /** The messages without any trace. */
  readonly plain: readonly Message[];
  /** The messages with the traces of the execution whose trace is last; null before the first trace. */
  readonly own: { readonly executionId: JsonValue | undefined; readonly messages: readonly Message[] } | null;
  /** Executions that have traces in this list or in one derived from the same list. */
  readonly executions: Set<JsonValue | undefined>;
};

const none: readonly Message[] = nothing;

/** Runs before every model call, so only new messages are examined. */
const traced = memoizeGrowing<Message, Traced>((before, list, from) => {
  const { plain, own, executions } = before ?? { plain: none, own: null, executions: new Set() };
  const added = list.slice(from);
  const said = added.filter((message) => !isTrace(message));
  /** Returns the list itself when nothing has to be left out, which saves a copy. */
  const longer = (known: readonly Message[], items: readonly Message[]): readonly Message[] =>
    known.length === from && items.length === added.length ? list : grown(known, items);
  const next = { plain: longer(plain, said), executions };
  const last = added.findLast(isTrace);
  if (last === undefined)
    return { ...next, own: own === null ? null : { ...own, messages: longer(own.messages, said) } };
  const executionId = executionOf(last);
  const isOwn = (message: Message): boolean => !isForeignTrace(message, executionId);
  const isSame = own !== null && own.executionId === executionId;
  const goesOn = isSame ? own.messages : plain;
  const isKnown = !isSame && executions.has(executionId);
  const messages = isKnown ? list.filter(isOwn) : longer(goesOn, added.filter(isOwn));
  for (const message of added) if (isTrace(message)) executions.add(executionOf(message));
  return { ...next, own: { executionId, messages } };
});

/** The messages without the tool traces of other executions; the list itself when there are none. */
export function withoutForeignTraces(
  list: readonly Message[],
  executionId: string | undefined,
): readonly Message[] {
  const { plain, own, executions } = traced(list);
  const visible = own !== null && own.executionId === executionId ? own.messages : plain;
  if (visible === plain && executions.has(executionId))
    return list.filter((message) => !isForeignTrace(message, executionId));
  return visible.length === list.length ? list : visible;
}

/** True for a message of a tool trace that belongs to another execution. */
export function isForeignTrace(message: Message, executionId: JsonValue | undefined): boolean {
  return isTrace(message) && executionOf(message) !== executionId;
}

function executionOf({ metadata }: Message): JsonValue | undefined {
  return metadata['execution_id'];
}
