import { isSound } from '@vitrine/core/internal/run/event-shapes';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { Cursor } from '@vitrine/core/internal/session/machine/session-model';
import { readTabDocument, writeTabDocument } from './document-shape.ts';
import { type LinkMessage, unseal, type Place, seal } from './protocol.ts';
import { withoutPrompts } from './without-prompts.ts';

/**
 * Writes a message of a link as JSON, for a connection that carries text. With `hidesPrompts` it is without what models are
 * sent besides the conversation, for a follower who may not read that.
 */
export function linkToJSON(given: LinkMessage, { hidesPrompts = false } = {}): JsonValue {
  const message = hidesPrompts ? withoutPrompts(given) : given;
  const written =
    message.type === 'document' ? { ...message, document: writeTabDocument(message.document) } : message;
  return seal(written as LinkMessage) as unknown as JsonValue;
}

/**
 * Reads a message that {@link linkToJSON} wrote; null for one of another format. Events that cannot be applied are read as
 * lost ones.
 * @throws AgentError `state-invalid` for a document that is none
 */
export function linkFromJSON(value: JsonValue): LinkMessage | null {
  const message = unseal(value);
  if (message !== null && !eventsOf(message).every(isSound)) return { type: 'lost' };
  return message?.type === 'document' ? { ...message, document: readTabDocument(message.document) } : message;
}

function eventsOf(message: LinkMessage): readonly AgentEvent[] {
  if (message.type === 'batch') return message.events;
  return message.type === 'records' ? [...message.records, ...message.preview] : [];
}

/** The position of a follower: the stored place that it can go back to, and its last live message. */
export type LinkPosition = { readonly have: Cursor | null; readonly seen: Place | null };

/** Writes a position as text, for the id of a server-sent event. Empty for a follower that has nothing. */
export function positionToText({ have, seen }: LinkPosition): string {
  const stored = have === null ? '' : `${encodeURIComponent(have.journalId)}:${have.record}`;
  return seen === null ? stored : `${stored}@${seen.term}.${seen.n}`;
}

const position = /^(?:([^:@]{1,400}):(\d{1,15}))?(?:@(\d{1,15}(?:\.5)?)\.(\d{1,15}))?$/;

/** Reads a position that {@link positionToText} wrote. Any other text is the position of a follower that has nothing. */
export function positionFromText(text: string): LinkPosition {
  const [, journalId, record, term, n] = position.exec(text) ?? [];
  return {
    have: journalId === undefined ? null : { journalId: decodeSegment(journalId), record: Number(record) },
    seen: term === undefined ? null : { term: Number(term), n: Number(n) },
  };
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
