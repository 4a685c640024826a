import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMessages, withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { assertErased, assertSame, assertTrue, outcomeOf, storedIn } from './assert-same.ts';
import { sampleEvents } from './sample-session.ts';
import type { Law, SuiteContext } from './suite-context.ts';

/** A write, and the session that is stored after it. */
type Write = {
  readonly what: string;
  readonly apply: (store: SessionStore, expectedVersion: number) => Promise<number>;
  readonly after: SessionRecord;
};

/** The laws of interrupted writes, and of writes without room. */
export const faultLaws: readonly Law[] = [
  {
    name: 'a write that is cut short leaves the complete old or the complete new session',
    needs: ['injectedErrors'],
    async run(context) {
      const { under, reopen } = context;
      const { injectedErrors, raw } = under;
      const { before, writes } = await edits(context);
      if (injectedErrors === undefined) return;
      for (const write of writes) {
        const parts = await countWrites(context, before, write);
        for (let at = 1; at <= parts; at++) {
          let store = reopen();
          const version = await putBack(store, before);
          injectedErrors.failAt(at);
          await outcomeOf(() => write.apply(store, version));
          injectedErrors.failAt(null);
          store = reopen();
          const what = `A ${write.what} cut short at write ${at} of ${parts}`;
          assertOneOf(await storedIn(store, before.id), [before, write.after], what);
          const saved = await putBack(store, before);
          assertSame(
            await storedIn(reopen(), before.id),
            { ...before, version: saved },
            `${what}, and a save behind it`,
          );
        }
      }
      await reopen().list();
      await under.store.remove(before.id);
      if (raw) await assertErased(raw, [before.id], 'The texts after writes that were cut short');
    },
  },
  {
    name: 'a first write that is cut short leaves no session or the complete one',
    needs: ['injectedErrors'],
    async run(context) {
      const { injectedErrors, raw } = context.under;
      const { record } = await context.sample('a', 2);
      if (injectedErrors === undefined) return;
      const from = injectedErrors.writes();
      await context.reopen().save(record, { expectedVersion: 0 });
      const parts = injectedErrors.writes() - from;
      await context.reopen().remove('a');
      for (let at = 1; at <= parts; at++) {
        injectedErrors.failAt(at);
        await outcomeOf(() => context.reopen().save(record, { expectedVersion: 0 }));
        injectedErrors.failAt(null);
        const found = await storedIn(context.reopen(), 'a');
        if (found !== null)
          assertSame({ ...found, version: 0 }, record, `A first save cut short at write ${at}`);
        if (raw && found === null) {
          await context.reopen().list();
          await assertErased(raw, ['a'], `The texts after a first save cut short at write ${at} and a list`);
        }
        await context.reopen().remove('a');
      }
    },
  },
  {
    name: 'a write without room leaves the complete old session',
    needs: ['injectedErrors'],
    async run(context) {
      const { under, reopen, options } = context;
      const { injectedErrors, raw } = under;
      const { before, writes } = await edits(context);
      if (injectedErrors === undefined) return;
      for (const write of writes) {
        for (let room = 0, isDone = false; !isDone; room += options.limitStep) {
          assertTrue(room < 1_000_000, `A ${write.what} fails with any amount of room.`);
          const store = reopen();
          const version = await putBack(store, before);
          const keys = await raw?.keys();
          injectedErrors.limit(room);
          const outcome = await outcomeOf(() => write.apply(store, version));
          injectedErrors.limit(null);
          isDone = 'value' in outcome;
          const what = `A ${write.what} with room for ${room} characters`;
          if (!isDone) assertSame(outcome, { code: 'session-storage' }, what);
          if (!isDone && keys) assertSame(await raw?.keys(), keys, `${what}: the keys afterwards`);
          const expected = isDone ? write.after : before;
          const found = await storedIn(reopen(), before.id);
          assertSame({ ...found, version: 0 }, { ...expected, version: 0 }, what);
          if (!isDone) await write.apply(store, found?.version ?? 0);
        }
      }
    },
  },
];

/** A session, and writes that change it: an edit, records with and without a head, a head alone, a long draft. */
async function edits({
  sample,
  env,
}: SuiteContext): Promise<{ before: SessionRecord; writes: readonly Write[] }> {
  const { record: before } = await sample('a', 3);
  const list = messages(before.state);
  const { record: other } = await sample('other', 1);
  const shorter = withMessages(before.state, [...list.slice(0, 2), ...list.slice(5)], env);
  const state = withUserMessage(shorter, 'Edited', env);
  const edited = { ...before, title: 'Edited', state, branches: other.branches, checkpoints: [] };
  const events = sampleEvents(before.state, ['behind it'], env);
  const journal = { ...before.journal, records: 1, tail: events };
  const { version: _v, state: _s, journal: _j, branches: _b, checkpoints: _c, ...head } = before;
  const entry = { journalId: before.journal.id, events };
  return {
    before,
    writes: [
      {
        what: 'save',
        after: edited,
        apply: (store, expectedVersion) => store.save(edited, { expectedVersion }),
      },
      ...(['record', 'record with a head', 'head', 'record with a long draft'] as const).map(
        (what): Write => {
          const isRecord = what !== 'head';
          const isHead = what !== 'record';
          const changed =
            what === 'record with a long draft' ? { draft: 'long '.repeat(1000) } : { title: 'Titled' };
          return {
            what,
            after: { ...before, ...(isHead ? changed : {}), ...(isRecord ? { journal } : {}) },
            async apply(store, expectedVersion) {
              const sent = { ...entry, expectedVersion, events: isRecord ? events : [] };
              return store.append(before.id, isHead ? { ...sent, head: { ...head, ...changed } } : sent);
            },
          };
        },
      ),
    ],
  };
}

async function countWrites(
  { under, reopen }: SuiteContext,
  before: SessionRecord,
  write: Write,
): Promise<number> {
  const store = reopen();
  const version = await putBack(store, before);
  const from = under.injectedErrors?.writes() ?? 0;
  await write.apply(store, version);
  return (under.injectedErrors?.writes() ?? 0) - from;
}

/** Stores the session as it was before; returns its version. */
async function putBack(store: SessionStore, before: SessionRecord): Promise<number> {
  const found = await storedIn(store, before.id);
  return store.save(before, { expectedVersion: found?.version ?? 0 });
}

function assertOneOf(found: SessionRecord | null, allowed: readonly SessionRecord[], what: string): void {
  const plain = { ...found, version: 0 } as unknown as JsonValue;
  const isAllowed = allowed.some((record) => equalJson(plain, { ...record, version: 0 }));
  if (!isAllowed) assertSame(plain, { ...allowed[0], version: 0 }, what);
}
