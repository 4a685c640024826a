import { growList, memoizeGrowing, nothing } from '../kit/memoize.ts';
import { type Message, isTrace } from './message.ts';
import { isPlainObject, type JsonValue } from '../kit/json.ts';

type Traced = {
  readonly plain: readonly Message[];
  /** The messages with the traces of the execution whose trace is last; null before the first trace. */
  readonly own: { readonly executionId: JsonValue | undefined; readonly messages: readonly Message[] } | null;
  /** Executions that have traces in this list or in one derived from the same list. */
  readonly executions: Set<JsonValue | undefined>;
};

const none: readonly Message[] = nothing;

/** Runs before every model call, so only new messages are examined. */
const traceMessages = memoizeGrowing<Message, Traced>((before, list, from) => {
  const { plain, own, executions } = before ?? { plain: none, own: null, executions: new Set() };
  const added = list.slice(from);
  const said = added.filter((message) => !isTrace(message));
  /** Returns the list itself when nothing has to be left out, which saves a copy. */
  const longer = (known: readonly Message[], items: readonly Message[]): readonly Message[] =>
    known.length === from && items.length === added.length ? list : growList(known, items);
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
  const { plain, own, executions } = traceMessages(list);
  const visible = own !== null && own.executionId === executionId ? own.messages : plain;
  if (visible === plain && executions.has(executionId))
    return list.filter((message) => !isForeignTrace(message, executionId));
  return visible.length === list.length ? list : visible;
}

/** True for a message of a tool trace that belongs to another execution. */
export function isForeignTrace(message: Message, executionId: JsonValue | undefined): boolean {
  return isTrace(message) && executionOf(message) !== executionId;
}

/** True for a message that tells the model what plugins know: no chat shows it, and no other library gets it. */
export function isToldContext(message: Pick<Message, 'role' | 'metadata'>): boolean {
  return message.role === 'system' && isTrace(message) && isPlainObject(message.metadata['context']);
}

function executionOf({ metadata }: Message): JsonValue | undefined {
  return metadata['execution_id'];
}
