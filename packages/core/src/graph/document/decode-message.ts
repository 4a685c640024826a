import type { Message } from '../message.ts';
import type { MessagePart } from '../message-part.ts';
import type { EncodedMessage } from './message-schema.ts';

/** Decodes a message of a document, with all its fields. */
export function decodeMessage(encoded: EncodedMessage): Message {
  const { id, role, parts, metadata = {}, createdAt, parentId = null } = encoded;
  return { id, role, parts: parts.map(decodePart), metadata, createdAt, parentId };
}

function decodePart(part: EncodedMessage['parts'][number]): MessagePart {
  switch (part.type) {
    case 'tool-call':
      return { ...part, providerCallId: part.providerCallId ?? null } as MessagePart;
    case 'tool-result':
      return { ...part, outcome: part.outcome ?? 'completed', durationMs: part.durationMs ?? null };
    default:
      return part as MessagePart;
  }
}
