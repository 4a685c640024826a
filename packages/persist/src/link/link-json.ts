import { fromJSON, toJSON } from '@vitrine/core/internal/graph/document/agent-state';
import { type StateDocument, takeMessage } from '@vitrine/core/internal/graph/document/document';
import { readJsonAs } from '@vitrine/core/internal/graph/document/shape';
import type { Message } from '@vitrine/core/internal/graph/message';
import { section } from '@vitrine/core/internal/graph/message-store';
import * as nouns from '@vitrine/core/internal/graph/shapes';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as is from '@vitrine/core/internal/kit/check';
import type { Check, ValueOf } from '@vitrine/core/internal/kit/check';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { sharedLength } from '@vitrine/core/internal/kit/memoize';
import { isSound } from '@vitrine/core/internal/run/event-shapes';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import type { Cursor, TabDocument } from '@vitrine/core/internal/session/machine/session-model';
import { type LinkMessage, type Place, seal, unseal } from './protocol.ts';
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

const places = is.list(is.count);
const anything = is.list(is.json as Check<unknown>);
/** The document of a state whose messages are places, or JSON. */
const stateWith = <Messages>(messages: Check<Messages>) =>
  is.loose<{ readonly [field: string]: unknown; readonly messages: Messages }>({ messages });

/**
 * A document as JSON. Its states have most messages in common, so each message is written once: in the main state or in
 * `others`. Branches and checkpoints name places in both lists; a checkpoint begins with messages of the main state.
 */
const writtenDocument = is.objectOf({
  journalId: is.text,
  earlier: is.list(is.text),
  state: stateWith(anything),
  others: anything,
  branches: is.list(is.objectOf({ id: is.text, leftAt: is.timestamp, state: stateWith(places) })),
  checkpoints: is.list(
    is.objectOf({
      messageId: is.text,
      plugins: nouns.plugins,
      sections: is.list(is.objectOf({ name: is.text, shared: is.count, rest: places })),
    }),
  ),
});

function writeTabDocument({ journalId, earlier, state, tree }: TabDocument): ValueOf<typeof writtenDocument> {
  const main = writtenState(state);
  const others: unknown[] = [];
  const known = new Map(main.messages.map((message, place) => [JSON.stringify(message), place]));
  const placeOf = (message: unknown): number => {
    const text = JSON.stringify(message);
    const place = known.get(text) ?? main.messages.length + others.push(message) - 1;
    known.set(text, place);
    return place;
  };
  const branches = tree.branches.map((branch) => {
    const own = writtenState(branch.state);
    return { ...branch, state: { ...own, messages: own.messages.map(placeOf) } };
  });
  const checkpoints = tree.checkpoints.map(({ messageId, plugins, store }) => {
    const sections = store.sections.map(({ name, messages }) => {
      const shared = sharedLength(messages, section(state.context.store, name));
      return { name, shared, rest: messages.slice(shared).map((message) => placeOf(takeMessage(message))) };
    });
    return { messageId, plugins, sections };
  });
  return { journalId, earlier: [...earlier], state: main, others, branches, checkpoints };
}

function writtenState(state: AgentState): StateDocument & { readonly messages: unknown[] } {
  return toJSON(state) as StateDocument & { readonly messages: unknown[] };
}

/** Reads a document that {@link writeTabDocument} wrote. @throws AgentError `state-invalid` for one that is none */
function readTabDocument(written: unknown): TabDocument {
  const { journalId, earlier, ...document } = readJsonAs(writtenDocument, written, 'document');
  const state = fromJSON(document.state);
  const all = [...document.state.messages, ...document.others];
  const messages: Message[] = [];
  const writtenAt = (place: number): unknown => {
    if (place < all.length) return all[place];
    throw errors.stateInvalid({ path: 'document', what: `it names message ${place} of ${all.length}` });
  };
  const messageAt = (place: number): Message =>
    (messages[place] ??= readJsonAs(nouns.message, writtenAt(place), 'document'));
  const branches = document.branches.map((branch) => {
    const own = branch.state.messages.map(writtenAt);
    return { ...branch, state: fromJSON({ ...branch.state, messages: own }) };
  });
  const checkpoints = document.checkpoints.map(({ messageId, plugins, sections }) => {
    const lists = sections.map(({ name, shared, rest }) => {
      const begin = section(state.context.store, name).slice(0, shared);
      return { name, messages: [...begin, ...rest.map(messageAt)] };
    });
    return { messageId, plugins, store: { sections: lists } };
  });
  return { journalId, earlier, state, tree: { branches, checkpoints } };
}
