import { AgentState, createJournal, fold, Message, type MessagePart, loadedSession } from '@vitrine/core';
import type { FullSessionStore } from '@vitrine/persist';
import { recordOf } from './record-of.fixture.ts';

/** The interval of whole writes; the others append records. */
const wholeEvery = 7;
/** The interval of messages with their own file. */
const fileEvery = 3;

/**
 * Puts the messages `1`, `2`, `3` … into a new session, one write each, and reports each stored number. Ends only by a
 * store that rejects.
 */
export async function writeOn(
  store: FullSessionStore,
  id: string,
  tell: (number: number) => void,
): Promise<never> {
  const start = AgentState.create({});
  const journal = createJournal(start);
  const first = recordOf(id, id, start);
  let version = await store.save(first, { expectedVersion: 0 });
  tell(0);
  for (let number = 1, records = 0; ; number++) {
    const message = Message.user(await partsOf(store, id, number));
    const event = journal.commit([], { type: 'message-add', message, section: 'messages', source: 'user' });
    if (event === null) throw new Error('The message was not taken.');
    const expectedVersion = version;
    if (number % wholeEvery === 0) {
      const record = recordOf(id, id, journal.state());
      version = await store.save({ ...record, journal: { ...first.journal, records } }, { expectedVersion });
    } else {
      const written = { expectedVersion, journalId: first.journal.id, events: [event] };
      version = await store.append(id, written);
      records++;
    }
    tell(number);
  }
}

async function partsOf(store: FullSessionStore, sessionId: string, number: number): Promise<MessagePart[]> {
  const text: MessagePart = { type: 'text', text: `${number}` };
  if (number % fileEvery !== 0) return [text];
  const mediaType = 'text/plain';
  const blob = await store.blobs?.put(new TextEncoder().encode(text.text), { mediaType, sessionId });
  return blob === undefined ? [text] : [text, { type: 'file', mediaType, filename: null, blob }];
}

/**
 * The messages of a stored session in order; null when there is none.
 * @throws Error when a file that a message speaks of is not there.
 */
export async function writtenIn(store: FullSessionStore, id: string): Promise<readonly string[] | null> {
  const stored = loadedSession(await store.load(id));
  if (stored === null) return null;
  const messages = AgentState.messages(fold(stored.state, stored.journal.tail));
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== 'file' || part.blob === undefined) continue;
    if ((await store.blobs?.get(part.blob.hash)) == null) throw new Error(`A file of ${id} is lost.`);
  }
  return messages.map((message) => Message.text(message));
}
