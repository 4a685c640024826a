import { type FoundMessage, type FoundSession, type ReadSessions, timeOf } from './reading.ts';
import type { MessagePart, MessageRole } from '@vitrine/core/internal/graph/message';
import { normalizeMessagePart } from '@vitrine/core/internal/graph/normalize-message';

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

/** Reads sessions in the plain shape of this library, which `exportMessages` writes. */
export const readPlain: ReadSessions = (list, reading) =>
  reading.entriesOf(list, '', 'conversation').map(([session, at]): FoundSession => {
    const { id, title, createdAt, updatedAt, head, messages } = session;
    return {
      at,
      id,
      title,
      createdAt,
      updatedAt,
      head,
      messages: reading
        .entriesOf(messages, `${at}.messages`)
        .flatMap(([message, place]): readonly FoundMessage[] => {
          const { role, parentId, metadata } = message;
          if (!roles.includes(role)) return reading.leaveUnknown(place, 'role', role);
          return [
            {
              at: place,
              id: message['id'],
              role: role as MessageRole,
              createdAt: timeOf(message['createdAt']),
              parentId: typeof parentId === 'string' ? parentId : null,
              ...(typeof metadata === 'object' && metadata !== null ? { metadata: { ...metadata } } : {}),
              parts: reading.partsOf(message['parts'], `${place}.parts`, (part) => {
                const own = normalizeMessagePart(part);
                return own === null ? null : ([own] as readonly MessagePart[]);
              }),
            },
          ];
        }),
    };
  });
