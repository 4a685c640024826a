import type { Message } from '../graph/message.ts';
import type { ToolCallPart } from '../graph/message-part.ts';

const missing = 'The call has no result: it was interrupted before it ended.';

/**
 * Makes a list fit for a provider: every tool call is followed by its result, no result stands alone. A call without
 * a result gets a synthetic one; the list itself comes back when nothing is wrong with it.
 */
export function pairToolCalls(messages: readonly Message[]): readonly Message[] {
  if (isPaired(messages)) return messages;
  const results = new Map<string, Message>();
  for (const message of messages) for (const id of resultIds(message)) results.set(id, message);
  const paired: Message[] = [];
  const placed = new Set<Message>();
  for (const message of messages) {
    if (resultIds(message).length > 0) continue;
    paired.push(message);
    for (const call of calls(message)) {
      const result = results.get(call.toolCallId) ?? syntheticResult(message, call);
      if (!placed.has(result)) paired.push(result);
      placed.add(result);
    }
  }
  return paired;
}

/** The last list that was found in order, by its first message: what begins with it needs no second look. */
const inOrder = new WeakMap<Message, readonly Message[]>();

/** Asked before every model call, so it makes nothing on the way and looks at what is new only. */
function isPaired(messages: readonly Message[]): boolean {
  const [first] = messages;
  if (first === undefined) return true;
  const known = inOrder.get(first);
  const start = known !== undefined && startsWith(messages, known) ? known.length : 0;
  const isFit = isPairedFrom(messages, start);
  if (isFit) inOrder.set(first, messages);
  return isFit;
}

function startsWith(messages: readonly Message[], start: readonly Message[]): boolean {
  for (let at = 0; at < start.length; at++) if (messages[at] !== start[at]) return false;
  return true;
}

function isPairedFrom(messages: readonly Message[], start: number): boolean {
  const open: string[] = [];
  for (let index = start; index < messages.length; index++) {
    const { role, parts } = messages[index] as Message;
    if (role === 'tool') {
      for (const part of parts) {
        if (part.type !== 'tool-result') continue;
        const at = open.indexOf(part.toolCallId);
        if (at < 0) return false;
        open.splice(at, 1);
      }
    } else if (open.length > 0) return false;
    if (role !== 'assistant') continue;
    for (const part of parts) if (part.type === 'tool-call') open.push(part.toolCallId);
  }
  return open.length === 0;
}

function calls(message: Message): ToolCallPart[] {
  return message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call') : [];
}

function resultIds(message: Message): string[] {
  if (message.role !== 'tool') return [];
  return message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
}

function syntheticResult(message: Message, call: ToolCallPart): Message {
  const { toolCallId, toolName } = call;
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
