import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMessages } from '@vitrine/core/internal/graph/agent-state/transitions';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { user, type BlobReference, type FilePart } from '@vitrine/core/internal/graph/message';
import { createJournal } from '@vitrine/core/internal/run/journal';
import type {
  BlobStore,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { assertErased, assertSame, assertTrue, outcomeOf, storedIn } from './assert-same.ts';
import { sampleRecord } from './sample-session.ts';
import type { Law, SuiteContext } from './suite-context.ts';

const mediaType = 'image/png';

/** The laws of files that are stored beside sessions. */
export const blobLaws: readonly Law[] = [
  {
    name: 'a file is read back byte by byte in every instance, and equal bytes are stored once',
    needs: ['blobs'],
    async run(context) {
      const { under, reopen, random } = context;
      for (const size of [0, 1, 3, 70_000]) {
        const bytes = Uint8Array.from({ length: size }, () => random.below(256));
        const put = await blobsOf(under.store).put(bytes, { mediaType, sessionId: 'a' });
        assertTrue(/^[0-9a-f]{64}$/.test(put.hash), `${put.hash} is no SHA-256 in hexadecimal digits.`);
        assertSame(put.size, size, 'The size of a file');
        const again = await blobsOf(reopen()).put(new Blob([bytes]), { mediaType, sessionId: 'a' });
        assertSame(again, put, 'The same bytes, put again');
        await assertThere(reopen(), put, bytes);
      }
      assertSame(await blobsOf(under.store).get('0'.repeat(64)), null, 'An absent file');
    },
  },
  {
    name: 'files of messages, branches, checkpoints, events and the queue are kept',
    needs: ['blobs'],
    async run(context) {
      const { under, reopen, env } = context;
      const holders = await Promise.all(['message', 'branch', 'checkpoint', 'queue'].map(put(context, 'a')));
      const [message, branch, checkpoint, queued] = holders.map(({ part }) => part) as FilePart[];
      const blank = withFiles([], context);
      const record: SessionRecord = {
        ...recordOf('a', [message as FilePart], context),
        branches: [{ id: 'left', leftAt: env.now(), state: withFiles([branch as FilePart], context) }],
        checkpoints: [
          { messageId: 'm', store: withFiles([checkpoint as FilePart], context).context.store, plugins: {} },
        ],
        queue: [{ id: 'q', text: 'later', isSteered: false, files: [queued as FilePart] }],
      };
      const saved = await under.store.save(record, { expectedVersion: 0 });
      const inEvent = await put(context, 'a')('event');
      const said = user([inEvent.part], { id: env.id() }, env);
      const journal = createJournal(record.state, { env });
      const event = journal.commit([], {
        type: 'message-add',
        message: said,
        section: 'messages',
        source: 'user',
      });
      const appended = await under.store.append('a', {
        expectedVersion: saved,
        journalId: record.journal.id,
        events: event === null ? [] : [event],
      });
      for (const { reference, bytes } of [...holders, inEvent]) await assertThere(reopen(), reference, bytes);
      const empty = { ...record, state: blank, branches: [], checkpoints: [], queue: [] };
      const folded = { ...empty, journal: { ...record.journal, records: 1, tail: [] } };
      await under.store.save(folded, { expectedVersion: appended });
      for (const { reference, what } of [...holders, inEvent])
        assertSame(
          await blobsOf(reopen()).get(reference.hash),
          null,
          `A file that only a ${what} referenced`,
        );
    },
  },
  {
    name: 'a file is deleted with the last message that references it, and not before, also after a reload',
    needs: ['blobs'],
    async run(context) {
      const { under, reopen } = context;
      const [one, two] = [await put(context, 'a')('one'), await put(context, 'a')('two')];
      const both = recordOf('a', [one.part, one.part, two.part], context);
      const first = await under.store.save(both, { expectedVersion: 0 });
      const store = reopen();
      await storedIn(store, 'a');
      const fewer = { ...both, state: withMessages(both.state, messages(both.state).slice(1), context.env) };
      const second = await store.save(fewer, { expectedVersion: first });
      await assertThere(reopen(), one.reference, one.bytes);
      const last = { ...both, state: withMessages(both.state, messages(both.state).slice(2), context.env) };
      await reopen().save(last, { expectedVersion: second });
      assertSame(await blobsOf(under.store).get(one.reference.hash), null, 'A file without references');
      await assertThere(under.store, two.reference, two.bytes);
    },
  },
  {
    name: 'a file that two sessions share is kept until both are removed',
    needs: ['blobs'],
    async run(context) {
      const { under, reopen } = context;
      const { raw, store } = under;
      const shared = await put(context, 'a')('shared');
      await put(context, 'b')('shared');
      for (const id of ['a', 'b'])
        await store.save(recordOf(id, [shared.part], context), { expectedVersion: 0 });
      await reopen().remove('a');
      await assertThere(reopen(), shared.reference, shared.bytes);
      await reopen().remove('b');
      assertSame(await blobsOf(reopen()).get(shared.reference.hash), null, 'A file of removed sessions');
      if (raw) await assertErased(raw, ['a', 'b'], 'The texts after a removal');
    },
  },
  {
    name: 'a file that is put during the removal of another session that references it is kept',
    needs: ['blobs'],
    async run(context) {
      const { under, reopen } = context;
      const { part, reference, bytes } = await put(context, 'a')('shared');
      await under.store.save(recordOf('a', [part], context), { expectedVersion: 0 });
      await put(context, 'b')('shared');
      await reopen().remove('a');
      await under.store.save(recordOf('b', [part], context), { expectedVersion: 0 });
      await assertThere(reopen(), reference, bytes);
    },
  },
  {
    name: 'a file that is put again during the removal of its last message is kept',
    needs: ['blobs'],
    async run(context) {
      const { under, reopen } = context;
      const { part, reference, bytes } = await put(context, 'a')('again');
      const first = await under.store.save(recordOf('a', [part], context), { expectedVersion: 0 });
      await put(context, 'a')('again');
      const second = await reopen().save(recordOf('a', [], context), { expectedVersion: first });
      await assertThere(reopen(), reference, bytes);
      const third = await reopen().save(recordOf('a', [part], context), { expectedVersion: second });
      await assertThere(reopen(), reference, bytes);
      await reopen().save(recordOf('a', [], context), { expectedVersion: third });
      assertSame(await blobsOf(reopen()).get(reference.hash), null, 'A file whose last reference expired');
    },
  },
  {
    name: 'a file that a stored session references is never lost, wherever a write is cut short',
    needs: ['blobs', 'injectedErrors'],
    async run(context) {
      const { under, reopen } = context;
      const { injectedErrors, store } = under;
      if (injectedErrors === undefined) return;
      const one = await put(context, 'a')('one');
      const before = recordOf('a', [one.part], context);
      let version = await store.save(before, { expectedVersion: 0 });
      for (let at = 1; at < 40; at++) {
        injectedErrors.failAt(at);
        const two = await put(context, 'a')('two').catch(() => null);
        const after = recordOf('a', two === null ? [] : [two.part], context);
        await outcomeOf(() => reopen().save(after, { expectedVersion: version }));
        injectedErrors.failAt(null);
        const stored = await storedIn(reopen(), 'a');
        for (const { parts } of messages((stored ?? before).state)) {
          for (const entry of parts) {
            if (entry.type !== 'file' || entry.blob === undefined) continue;
            const found = await blobsOf(reopen()).get(entry.blob.hash);
            assertTrue(found !== null, `A write cut short at ${at} lost a referenced file.`);
          }
        }
        await put(context, 'a')('one');
        version = await reopen().save(before, { expectedVersion: stored?.version ?? 0 });
      }
    },
  },
];

type Put = {
  readonly what: string;
  readonly bytes: Uint8Array;
  readonly reference: BlobReference;
  readonly part: FilePart;
};

/** Returns a function that stores a distinct file for each word. */
function put({ under }: SuiteContext, sessionId: string): (what: string) => Promise<Put> {
  return async (what) => {
    const bytes = new TextEncoder().encode(`the file of a ${what}`);
    const reference = await blobsOf(under.store).put(bytes, { mediaType, sessionId });
    return { what, bytes, reference, part: { type: 'file', mediaType, filename: what, blob: reference } };
  };
}

function recordOf(id: string, files: readonly FilePart[], context: SuiteContext): SessionRecord {
  return { ...sampleRecord(id, withFiles(files, context), context.env), queue: [] };
}

function withFiles(files: readonly FilePart[], { env }: SuiteContext): SessionRecord['state'] {
  const said = files.map((part) => user([part], { id: env.id() }, env));
  return withMessages(create({}, env), said, env);
}

function blobsOf({ blobs }: SessionStore): BlobStore {
  if (blobs === undefined) throw new Error('The store keeps no files.');
  return blobs;
}

async function assertThere(store: SessionStore, { hash }: BlobReference, bytes: Uint8Array): Promise<void> {
  const found = await blobsOf(store).get(hash);
  assertTrue(found !== null, `The file ${hash} is absent.`);
  const read = found === null ? [] : [...new Uint8Array(await found.arrayBuffer())];
  assertSame(read, [...bytes], 'The bytes of a file');
  assertSame(found?.type, mediaType, 'The media type of a file');
}
