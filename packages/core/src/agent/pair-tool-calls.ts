import type { ToolCallPart } from '../graph/message-part.ts';
import type { Message } from '../graph/message.ts';

const missing = 'The call has no result: it was interrupted before it ended.';

/**
 * Makes a list fit for a provider: every tool call is followed by its result, no result stands alone. A call without
 * a result gets a synthetic one; the list itself comes back when nothing is wrong with it. Of a list that continues one
 * that was seen before only what is new is looked at.
 */
export function pairToolCalls(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last === undefined) return messages;
  const known = longestKnown(messages);
  const paired = pairBehind(messages, known);
  // One entry for every conversation that is alive: the shorter list is not asked for again.
  if (known !== null) seen.delete(known.given.at(-1) as Message);
  seen.set(last, { given: messages, paired });
  return paired;
}

type Known = { readonly given: readonly Message[]; readonly paired: readonly Message[] };

/** Lists that were paired, by their last message, so that conversations with one beginning do not take turns. */
const seen = new WeakMap<Message, Known>();

function longestKnown(messages: readonly Message[]): Known | null {
  for (let at = messages.length - 1; at >= 0; at--) {
    const known = seen.get(messages[at] as Message);
    if (known?.given.length === at + 1 && startsWith(messages, known.given)) return known;
  }
  return null;
}

function startsWith(messages: readonly Message[], start: readonly Message[]): boolean {
  for (let at = 0; at < start.length; at++) if (messages[at] !== start[at]) return false;
  return true;
}

function pairBehind(messages: readonly Message[], known: Known | null): readonly Message[] {
  const start = known?.given.length ?? 0;
  const isFit = isPairedFrom(messages, start);
  if (isFit && known?.paired === known?.given) return messages;
  const added = start === 0 ? messages : messages.slice(start);
  if (known === null) return pair(added);
  if (isFit) return added.length === 0 ? known.paired : [...known.paired, ...added];
  // A result that came late belongs to a call further up.
  if (!hasForeignResult(added)) return [...known.paired, ...pair(added)];
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
 * Puts every result behind the message of its call, in the order in which they came; of several with one id the next
 * one counts. What is fit comes out as it went in, so that a list may be looked at piece by piece.
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

function resultIds(message: Message): string[] {
  if (message.role !== 'tool') return [];
  return message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
}

function syntheticResult(message: Message, { toolCallId, toolName }: ToolCallPart): Message {
  return {
    id: `${message.id}:${toolCallId}`,
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        toolCallId,
        toolName,
        output: missing,
        outcome: 'interrupted',
        durationMs: null,
      },
    ],
    metadata: { synthetic: true },
    createdAt: message.createdAt,
    parentId: null,
  };
}
