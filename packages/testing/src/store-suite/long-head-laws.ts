import type {
  SessionHead,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { assertErased, assertSame, assertTrue, storedIn } from './assert-same.ts';
import { sampleEvents } from './sample-session.ts';
import { headIn } from '@vitrine/persist/internal/rows/head';
import type { Law, SuiteContext } from './suite-context.ts';

const lengths = [5_000, 100_000, 1_000_000];

/** The laws of long texts in a head, such as pasted drafts. */
export const longHeadLaws: readonly Law[] = [
  {
    name: 'drafts and queued messages of any length are kept, and no byte of them remains after their removal',
    async run(context) {
      const { reopen, sample, env } = context;
      const { record } = await sample('a', 1);
      let stored: SessionRecord = { ...record, version: await reopen().save(record, { expectedVersion: 0 }) };
      const write = async (change: Partial<SessionHead>, events: 0 | 1 = 0): Promise<void> => {
        stored = await writeHead(
          reopen(),
          stored,
          change,
          events === 0 ? [] : sampleEvents(stored.state, ['more'], env),
        );
        assertSame(await storedIn(reopen(), 'a'), stored, `The stored session with ${brief(stored)}`);
      };
      for (const length of lengths) {
        await write({ draft: markText('draft', length) }, 1);
        await write({ queue: [{ id: 'q', text: markText('queue', length), isSteered: false }] });
        stored = { ...stored, epoch: (await reopen().takeEpoch('a')).epoch };
        await write({ title: `Titled ${length}` });
        await write({ draft: `${markText('draft', length)}!` });
        stored = {
          ...stored,
          version: await reopen().save(stored, { expectedVersion: stored.version, ...epochOf(stored) }),
        };
        await write({}, 1);
        await write({ draft: '' });
        await assertNone(context, 'draft', 'A draft that was sent');
        await write({ queue: [] });
        await assertNone(context, 'queue', 'A queued message that was taken up');
      }
      await write({ draft: markText('draft', 5_000) });
      await reopen().save({ ...stored, draft: '' }, { expectedVersion: stored.version, ...epochOf(stored) });
      await assertNone(context, 'draft', 'A draft that a whole save left out');
      const { version = 0 } = (await storedIn(reopen(), 'a')) ?? {};
      stored = { ...stored, draft: '', version };
      await write({ draft: markText('draft', 5_000) });
      await reopen().remove('a');
      if (context.under.raw) await assertErased(context.under.raw, ['a'], 'The texts after a removal');
    },
  },
  {
    name: 'commands of any length are kept in the outbox, and no byte of them remains after they are dropped',
    async run(context) {
      const { reopen } = context;
      for (const length of lengths) {
        const commands = ['one', 'two'].map((id) => ({ id, text: markText('command', length) }));
        for (const command of commands) await reopen().outbox.put('a', command);
        assertSame(await reopen().outbox.take('a'), commands, 'The commands');
        await reopen().outbox.drop('a', ['one']);
        assertSame(await reopen().outbox.take('a'), commands.slice(1), 'The commands that are left');
        await reopen().outbox.put('a', { id: 'short' });
        await reopen().outbox.drop('a', ['two']);
        assertSame(await reopen().outbox.take('a'), [{ id: 'short' }], 'The short command');
        await assertNone(context, 'command', 'Commands that were dropped');
        await reopen().outbox.drop('a', ['short']);
      }
    },
  },
];

/** Writes a changed head, as an append where the store supports it, and otherwise as a whole session. */
async function writeHead(
  store: SessionStore,
  before: SessionRecord,
  change: Partial<SessionHead>,
  events: SessionRecord['journal']['tail'],
): Promise<SessionRecord> {
  const { version: expectedVersion, journal } = before;
  const head = { ...headIn(before), ...change };
  const { id: journalId, records, tail } = journal;
  const count = events.length;
  const after = {
    ...before,
    ...change,
    journal: { id: journalId, records: records + count, tail: count === 0 ? tail : [...tail, ...events] },
  };
  const options = { expectedVersion, ...epochOf(before) };
  const changed = Object.keys(change).length === 0 ? {} : { head };
  const version = await store.append(before.id, { ...options, journalId, events, ...changed });
  return { ...after, version };
}

function epochOf({ epoch }: SessionRecord): { epoch?: number } {
  return epoch === undefined ? {} : { epoch };
}

function markText(mark: string, length: number): string {
  return `${mark}-mark "ü\u{1f600}\n`.repeat(Math.ceil(length / 16)).slice(0, length);
}

async function assertNone({ under: { raw } }: SuiteContext, mark: string, what: string): Promise<void> {
  for (const key of (await raw?.keys()) ?? []) {
    const text = (await raw?.get(key)) ?? '';
    assertTrue(!text.includes(`${mark}-mark`), `${what} stands in ${key}.`);
  }
}

function brief({ draft, queue, title }: SessionRecord): string {
  return `a draft of ${draft.length} characters and ${queue.length} queued messages as ${title}`;
}
