import type { Message } from '../message.ts';
import type { MessagePart } from '../message-part.ts';
import { compact, unlessEmpty } from './compact.ts';
import type { EncodedMessage } from './message-schema.ts';

/** Encodes a message; empty and null fields are left out. */
export function encodeMessage(message: Message): EncodedMessage {
  const { id, role, parts, metadata, createdAt, parentId } = message;
  return compact({
    id,
    role,
    parts: parts.map(encodePart) as EncodedMessage['parts'],
    metadata: unlessEmpty(metadata),
    createdAt,
    parentId: parentId ?? undefined,
  });
}

/** Encodes a part without null fields and the usual outcome. */
function encodePart(part: MessagePart): object {
  if (part.type === 'tool-call' && part.providerCallId === null) return omit(part, 'providerCallId');
  if (part.type !== 'tool-result') return part;
  const { outcome, durationMs, ...rest } = part;
  return {
    ...rest,
    ...(outcome === 'completed' ? {} : { outcome }),
    ...(durationMs === null ? {} : { durationMs }),
  };
}

function omit(value: object, key: string): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
