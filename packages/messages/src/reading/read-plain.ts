import {
  entriesOf,
  type FoundMessage,
  type FoundSession,
  partsOf,
  type ReadSessions,
  timeOf,
} from './reading.ts';
import type { MessagePart, MessageRole } from '@vitrine/core/internal/graph/message';
import { normalizeMessagePart } from '@vitrine/core/internal/graph/normalize-message';

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

/** Reads sessions in the plain shape of this library, which `exportMessages` writes. */
export const readPlain: ReadSessions = (list, reading) =>
  entriesOf(list, reading, '', 'conversation').map(([session, at]): FoundSession => {
    const { id, title, createdAt, updatedAt, head, messages } = session;
    const given: readonly unknown[] = Array.isArray(messages) ? messages : [];
    return {
      at,
      id,
      title,
      createdAt: timeOf(createdAt),
      updatedAt: timeOf(updatedAt),
      head: typeof head === 'string' ? head : null,
      messages: entriesOf(given, reading, `${at}.messages`).flatMap(
        ([message, place]): readonly FoundMessage[] => {
          const { role, parentId, metadata } = message;
          if (!roles.includes(role))
            return reading.leave(
              place,
              'message',
              `Its role ${JSON.stringify(role)?.slice(0, 40)} is unknown.`,
            );
          return [
            {
              at: place,
              id: message['id'],
              role: role as MessageRole,
              createdAt: timeOf(message['createdAt']),
              parentId: typeof parentId === 'string' ? parentId : null,
              ...(typeof metadata === 'object' && metadata !== null ? { metadata: { ...metadata } } : {}),
              parts: partsOf(message['parts'], `${place}.parts`, reading, (part) => {
                const own = normalizeMessagePart(part);
                return own === null ? null : ([own] as readonly MessagePart[]);
              }),
            },
          ];
        },
      ),
    };
  });
