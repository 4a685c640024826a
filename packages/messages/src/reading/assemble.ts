import type { Env } from '@vitrine/core/internal/graph/env';
import type { Message, MessagePart, MessageRole } from '@vitrine/core/internal/graph/message';
import { normalizeMessage, normalizeMessagePart } from '@vitrine/core/internal/graph/normalize-message';
import { type FoundMessage, placePrefix, type Import } from './reading.ts';

/** The trust in a file, and the ids of it that are kept. */
export type AssembleOptions = {
  readonly trust: 'none' | 'full';
  /** True for an id of the file that is kept. Others become new ones, the same for a call and its result. */
  readonly isKept?: (id: string) => boolean;
};

/** The messages of a list or tree, and the message that each id of the file has become. */
export type Assembled = {
  readonly messages: readonly Message[];
  /** The id of the last message of each; null when it was left out and nothing is above it. */
  readonly lastOf: ReadonlyMap<string, string | null>;
};

const orders =
  'A system message gives orders to the model, and this file is not trusted. Give { trust: "full" } to keep it.';

/**
 * Makes messages of what a reader found. A message with results of tools in it becomes several, since results are
 * messages of the role `tool` here. Of two messages or calls with one id the second gets a new one.
 */
export function assemble(
  found: readonly FoundMessage[],
  reading: Import,
  { trust, isKept = () => true }: AssembleOptions,
): Assembled {
  const { env } = reading;
  const messages: Message[] = [];
  const lastOf = new Map<string, string | null>();
  const taken = new Set<string>();
  const calls = createCalls(env, isKept);
  for (const message of found) {
    const given = typeof message.id === 'string' ? message.id : '';
    const { parentId } = message;
    let above = typeof parentId === 'string' ? (lastOf.get(parentId) ?? parentId) : null;
    if (typeof parentId === 'string' && lastOf.get(parentId) === null) above = null;
    if (message.role === 'system' && trust === 'none') {
      reading.leave(message.at, 'system', orders);
      if (given !== '') lastOf.set(given, above);
      continue;
    }
    for (const [index, piece] of piecesOf(message, reading).entries()) {
      const isFirst = index === 0;
      const isFree = isFirst && given !== '' && isKept(given) && !taken.has(given);
      const id = isFree ? given : env.id();
      taken.add(id);
      messages.push(
        normalizeMessage(
          {
            id,
            role: piece.role,
            parts: piece.parts.map(calls),
            metadata: isFirst ? message.metadata : undefined,
            createdAt: message.createdAt ?? undefined,
            parentId: isFirst || parentId !== undefined ? above : null,
          },
          env,
        ),
      );
      above = id;
    }
    if (given !== '') lastOf.set(given, above);
  }
  return { messages, lastOf };
}

type Piece = { readonly role: MessageRole; readonly parts: readonly MessagePart[] };

/** The pieces of a message: runs of results, and runs of other parts. A message without parts says nothing: none. */
function piecesOf({ role, parts, at, isOurs }: FoundMessage, { leave }: Import): readonly Piece[] {
  const other = role === 'tool' ? 'assistant' : role;
  const pieces: { role: MessageRole; parts: MessagePart[] }[] = [];
  for (const given of parts) {
    const part = normalizeMessagePart(given);
    if (part === null) {
      leave(at, given.type, 'It has no content.');
      continue;
    }
    const own = part.type === 'tool-result' ? 'tool' : other;
    const last = pieces.at(-1);
    if (last?.role === own) last.parts.push(part);
    else pieces.push({ role: own, parts: [part] });
  }
  return pieces.length === 0 && isOurs === true ? [{ role, parts: [] }] : pieces;
}

/** Gives calls ids of their own, and results the id and the name of their call. */
function createCalls(env: Env, isKept: (id: string) => boolean): (part: MessagePart) => MessagePart {
  const taken = new Set<string>();
  const known = new Map<string, { readonly id: string; readonly name: string }>();
  const idOf = (given: string): string => {
    const isFree = given !== '' && !given.startsWith(placePrefix) && isKept(given) && !taken.has(given);
    const id = isFree ? given : env.id();
    taken.add(id);
    return id;
  };
  return (part) => {
    if (part.type === 'tool-call') {
      const id = idOf(part.toolCallId);
      known.set(part.toolCallId, { id, name: part.toolName });
      if (id === part.toolCallId) return part;
      const isPlace = part.toolCallId === '' || part.toolCallId.startsWith(placePrefix);
      return {
        ...part,
        toolCallId: id,
        providerCallId: part.providerCallId ?? (isPlace ? null : part.toolCallId),
      };
    }
    if (part.type !== 'tool-result') return part;
    const call = known.get(part.toolCallId);
    const toolName = part.toolName === '' ? (call?.name ?? '') : part.toolName;
    if (call !== undefined) return { ...part, toolCallId: call.id, toolName };
    // A result without its call, as at the beginning of a history that was cut.
    const id = idOf(part.toolCallId);
    known.set(part.toolCallId, { id, name: toolName });
    return { ...part, toolCallId: id, toolName };
  };
}
