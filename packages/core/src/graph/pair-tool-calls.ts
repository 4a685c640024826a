import { type ToolCallPart, type Message, tool } from './message.ts';
import { growList, memoizeGrowing } from '../kit/memoize.ts';

const missing = 'The call has no result: it was interrupted before it ended.';

/**
 * Makes a list valid for a provider: every tool call is followed by its result, and no result is alone. A call without
 * a result gets a synthetic one. A valid list is returned unchanged. In a list that continues a known one, only new
 * messages are examined.
 */
export function pairToolCalls(messages: readonly Message[]): readonly Message[] {
  return pairMessages(messages).paired;
}

type Paired = { readonly given: readonly Message[]; readonly paired: readonly Message[] };

const pairMessages = memoizeGrowing<Message, Paired>((before, given, from) => ({
  given,
  paired: pairBehind(given, before, from),
}));

function pairBehind(messages: readonly Message[], known: Paired | null, from: number): readonly Message[] {
  const isFit = isPairedFrom(messages, from);
  if (isFit && known?.paired === known?.given) return messages;
  const added = messages.slice(from);
  if (known === null) return pair(added);
  if (isFit) return growList(known.paired, added);
  // A late result belongs to a call further up.
  if (!hasForeignResult(added)) return growList(known.paired, pair(added));
  return isPairedFrom(messages, 0) ? messages : pair(messages);
}

function isPairedFrom(messages: readonly Message[], start: number): boolean {
  const open: string[] = [];
  for (let index = start; index < messages.length; index++) {
    const message = messages[index] as Message;
    const results = resultIds(message);
    for (const id of results) {
      const at = open.indexOf(id);
      if (at < 0) return false;
      open.splice(at, 1);
    }
    if (results.length === 0 && open.length > 0) return false;
    for (const { toolCallId } of calls(message)) open.push(toolCallId);
  }
  return open.length === 0;
}

function hasForeignResult(messages: readonly Message[]): boolean {
  const own = new Set<string>();
  for (const message of messages) {
    for (const { toolCallId } of calls(message)) own.add(toolCallId);
    if (resultIds(message).some((id) => !own.has(id))) return true;
  }
  return false;
}

type Asked = { readonly call: ToolCallPart; readonly message: Message };

/**
 * Moves every result after the message of its call, in the order of arrival; of several with one id the next one is
 * used. Valid parts stay unchanged, so that a list can be processed in pieces.
 */
function pair(messages: readonly Message[]): readonly Message[] {
  const waiting = new Map<string, Asked[]>();
  const answered = new Set<ToolCallPart>();
  const answers = new Map<Message, Set<Message>>();
  const placed = new Set<Message>();
  for (const message of messages) {
    const asked = calls(message).map((call): Asked => ({ call, message }));
    for (const { call } of asked) {
      const alike = asked.filter((other) => other.call.toolCallId === call.toolCallId);
      waiting.set(call.toolCallId, alike);
    }
    for (const id of resultIds(message)) {
      const next = waiting.get(id)?.shift();
      if (next === undefined) continue;
      answered.add(next.call);
      if (placed.has(message)) continue;
      placed.add(message);
      answers.set(next.message, (answers.get(next.message) ?? new Set()).add(message));
    }
  }
  return messages.flatMap((message) => {
    if (resultIds(message).length > 0) return [];
    const open = calls(message).filter((call) => !answered.has(call));
    return [message, ...(answers.get(message) ?? []), ...open.map((call) => syntheticResult(message, call))];
  });
}

function calls(message: Message): ToolCallPart[] {
  return message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call') : [];
}

/** The ids of the calls whose results a message has. */
export function resultIds(message: Message): string[] {
  if (message.role !== 'tool') return [];
  return message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
}

function syntheticResult({ id, createdAt }: Message, { toolCallId, toolName }: ToolCallPart): Message {
  return tool(
    { toolCallId, toolName, output: missing, outcome: 'interrupted' },
    { id: `${id}:${toolCallId}`, metadata: { synthetic: true }, createdAt },
  );
}
