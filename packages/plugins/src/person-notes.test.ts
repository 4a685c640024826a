import 'fake-indexeddb/auto';
import {
  AgentState,
  createAgentSession,
  defineAgent,
  loadedSession,
  Message,
  resolveRecord,
  type SessionStore,
} from '@vitrine/core';
import { deleteSession, indexedDBSessions, localStorageSessions, memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import { fakeStorage } from '@vitrine/testing/internal/session.fixture';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { notesPlugin } from './notes.ts';
import { play } from './sessions.fixture.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 30);

type Call = { readonly name: string; readonly input: { key: string; value?: string } };
const write = (key: string, value: string): Call => ({ name: 'write_note', input: { key, value } });
const read = (key: string): Call => ({ name: 'read_note', input: { key } });
const erase = (key: string): Call => ({ name: 'delete_note', input: { key } });
const own = (store: SessionStore) => notesPlugin({ scope: 'person', store });

/** The notes as a person sees and changes them in a page. */
type State = { notes: { key: string; value: string; by: 'model' | 'person' }[]; deleted: string[] };
type Page = {
  readonly get: () => State | undefined;
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => Promise<State>;
  readonly change: (change: (now: State) => State, id?: string) => Promise<State>;
};
const pageOf = (plugin: object): Page =>
  (plugin as { shared: (principal: string | null) => Page }).shared(null);
const deleteNote =
  (key: string) =>
  ({ notes, deleted }: State): State => ({
    notes: notes.filter((one) => one.key !== key),
    deleted: [...deleted.filter((one) => one !== key), key],
  });
const addNote =
  (key: string) =>
  ({ notes, deleted }: State): State => ({
    notes: [...notes, { key, value: 'mine', by: 'person' as const }],
    deleted,
  });

/** The results and the requests of a new session in which the model makes these calls. */
async function note(plugin: ReturnType<typeof notesPlugin>, calls: readonly Call[], owner?: string) {
  const told: string[] = [];
  const inference = scriptedInference(
    [...calls.map((call) => ({ toolCalls: [call] })), { text: 'Done.' }].map((answer) => (request) => {
      told.push(request.messages.map(Message.text).join('\n'));
      return answer;
    }),
  );
  const agent = defineAgent({ plugins: [plugin], inference });
  const session = createAgentSession({ agent, ...(owner === undefined ? {} : { owner }) });
  await session.sendMessage('Note it.');
  const { state } = session.store.getState();
  await session.dispose();
  const results = AgentState.steps(state).flatMap(({ toolExecutions }) =>
    toolExecutions.map(({ result, error }) => result ?? error),
  );
  return { results, told };
}

function soon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  return controller.signal;
}

type Fate = 'fine' | 'refused' | 'lost';

/** A store whose writes fail or lose their answer. After a failure the next ones are fine until one is done. */
function flakyStore(store: SessionStore, fates: readonly Fate[]): SessionStore {
  let [uses, hasFailed] = [0, false];
  return {
    ...store,
    async save(record, options) {
      const fate = hasFailed ? 'fine' : fates[uses++ % fates.length];
      hasFailed = hasFailed || fate !== 'fine';
      if (fate === 'refused') throw new Error('The disk is full.');
      const version = await store.save(record, options);
      if (fate === 'lost') throw new Error('No answer.');
      hasFailed = false;
      return version;
    },
  };
}

describe('notes of a person', () => {
  it('two sessions with random writes, lost answers and a reload at any event keep what each of them wrote', async () => {
    const fates = fc.array(fc.constantFrom<Fate[]>('fine', 'refused', 'lost'), {
      minLength: 1,
      maxLength: 5,
    });
    const steps = fc.array(
      fc.uniqueArray(fc.record({ key: fc.constantFrom('x', 'y', 'z'), isErased: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ key }) => key,
      }),
      { minLength: 1, maxLength: 6 },
    );
    const course = fc.record({ steps, fates, cut: fc.nat({ max: 60 }) });
    const deletions = fc.array(fc.constantFrom('a:x', 'b:y'), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(course, course, deletions, fates, async (a, b, deleted, ofPerson) => {
        const base = memorySessions();
        const kept = new Map<string, string>();
        const playOf = (name: string, { steps, fates, cut }: typeof a) => {
          const calls = steps.map((step, number) =>
            step.map(({ key, isErased }) => {
              if (isErased) kept.delete(`${name}:${key}`);
              else kept.set(`${name}:${key}`, `${number}`);
              return isErased ? erase(`${name}:${key}`) : write(`${name}:${key}`, `${number}`);
            }),
          );
          return play(
            {
              init: () => ({ plugins: [own(flakyStore(base, fates))] }),
              script: (step) => (calls[step] ? { toolCalls: calls[step] } : { text: 'Done.' }),
              questions: ['Note it.'],
            },
            cut,
          );
        };
        const page = pageOf(own(flakyStore(base, ofPerson)));
        const person = async (): Promise<void> => {
          for (const key of deleted) await page.change(deleteNote(key));
          await page.change(addNote('mine'));
        };
        const played = await Promise.all([playOf('a', a), playOf('b', b), person()]);
        for (const key of deleted) kept.delete(key);
        const { notes, deleted: gone } = await page.read();
        const mine = notes.filter(({ by }) => by === 'person');
        expect(mine).toEqual([{ key: 'mine', value: 'mine', by: 'person' }]);
        const byModel = notes.filter(({ by }) => by === 'model').map(({ key, value }) => [key, value]);
        expect(byModel.toSorted()).toEqual([...kept].toSorted());
        expect(gone.toSorted()).toEqual([...new Set(deleted)].toSorted());
        for (const one of played.slice(0, 2)) {
          const text = JSON.stringify((one as Awaited<ReturnType<typeof play>>).requests.at(-1));
          expect(text).not.toContain('cannot be read or written');
        }
      }),
      { numRuns },
    );
  });

  it.each([
    ['memory', () => memorySessions()],
    ['localStorage', () => localStorageSessions({ storage: fakeStorage() })],
    ['IndexedDB', () => indexedDBSessions({ name: 'memory' })],
  ])('a note of one session is read in the next one, over a store in %s', async (_name, open) => {
    const store = open();
    await note(own(store), [write('hotel', 'Seaview')]);
    const { results, told } = await note(own(store), [read('hotel'), erase('hotel'), read('hotel')]);
    expect(told[0]).toContain('There are: hotel.');
    expect(results).toEqual([
      { success: true, value: 'Seaview' },
      { success: true },
      { success: false, error: 'There is no note "hotel". There are none.' },
    ]);
    const record = loadedSession(await store.load('notes'));
    expect(record?.title).toBe('Notes');
    expect(record && resolveRecord(record).state.plugins['notes']?.revision).toBe(2);
  });

  it('a note that a person deleted is refused in every session, until they add it again', async () => {
    const store = memorySessions();
    const page = pageOf(own(store));
    await note(own(store), [write('hotel', 'Seaview')]);
    await page.change(deleteNote('hotel'));
    const refused = 'The person has deleted the note "hotel". They may add it again themselves.';
    const { results } = await note(own(store), [write('hotel', 'Hill'), write('train', '9:00')]);
    expect(results).toEqual([{ success: false, error: refused }, { success: true }]);
    await page.change(({ notes }) => addNote('hotel')({ notes, deleted: [] }));
    await note(own(store), [write('hotel', 'Hill')]);
    expect((await page.read()).notes).toEqual([
      { key: 'train', value: '9:00', by: 'model' },
      { key: 'hotel', value: 'Hill', by: 'model' },
    ]);
  });

  it('a full store of 200 notes and a note of more than 64 KiB give a sentence and store nothing', async () => {
    const store = memorySessions();
    const page = pageOf(own(store));
    const notes = Array.from({ length: 200 }, (_none, at) => addNote(`note ${at}`));
    await page.change((now) => notes.reduce((state, add) => add(state), now));
    const { results } = await note(own(store), [
      write('new', 'x'),
      write('note 7', 'ä'.repeat(32_769)),
      write('note 7', 'ä'.repeat(32_768)),
    ]);
    expect(results).toEqual([
      { success: false, error: 'There are 200 notes already. Put some together, or delete one first.' },
      { success: false, error: 'A note has at most 65536 bytes; write several.' },
      { success: true },
    ]);
    await expect(page.change(addNote('one more'))).rejects.toThrow(/at most 200 notes/);
    const long = { key: 'note 1', value: 'ä'.repeat(32_769), by: 'person' as const };
    await expect(page.change((now) => ({ ...now, notes: [long] }))).rejects.toThrow(/at most 65536 bytes/);
    expect((await page.read()).notes).toHaveLength(200);
  });

  it('a store that is full or away tells the model, the run goes on, and the notes stay as they were', async () => {
    const base = memorySessions();
    await note(own(base), [write('hotel', 'Seaview')]);
    const fail = (): never => {
      throw new Error('The disk is full.');
    };
    const full = await note(own({ ...base, save: fail }), [write('train', '9:00'), read('hotel')]);
    const sentence = 'The notes cannot be read or written now: The disk is full.';
    expect(full.results).toEqual([
      { success: false, error: sentence },
      { success: true, value: 'Seaview' },
    ]);
    const away = await note(own({ ...base, load: fail }), [read('hotel')]);
    expect(away.told[0]).toContain(sentence);
    expect(away.results).toEqual([{ success: false, error: sentence }]);
    const page = pageOf(own({ ...base, save: fail }));
    await expect(page.change(deleteNote('hotel'))).rejects.toThrow('The disk is full.');
    expect((await pageOf(own(base)).read()).notes).toHaveLength(1);
  });

  it('a store that never answers is given up after 10 seconds', async () => {
    const clock = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((ms) => (ms === 10_000 ? soon() : new AbortController().signal));
    const late = own({ ...memorySessions(), load: () => new Promise(() => undefined) });
    const { told, results } = await note(late, [read('hotel')]);
    clock.mockRestore();
    const sentence = 'The notes cannot be read or written now: The store has not answered for 10 seconds.';
    expect(told[0]).toContain(sentence);
    expect(results).toEqual([{ success: false, error: sentence }]);
  });

  it('notes that were deleted as a session are gone, and are not written to while they may be restored', async () => {
    const store = memorySessions();
    await note(own(store), [write('hotel', 'Seaview')]);
    await deleteSession(store, 'notes');
    const { told, results } = await note(own(store), [read('hotel'), write('train', '9:00')]);
    expect(told[0]).not.toContain('hotel');
    expect(results[0]).toEqual({ success: false, error: 'There is no note "hotel". There are none.' });
    expect(JSON.stringify(results[1])).toContain('was deleted');
    await store.remove('notes');
    expect((await note(own(store), [write('train', '9:00')])).results).toEqual([{ success: true }]);
  });

  it('a server of agents keeps the notes of each principal apart, and refuses one store for all', async () => {
    const stores = new Map<string | null, SessionStore>();
    const plugin = notesPlugin({
      scope: 'person',
      store: (principal) => {
        const store = stores.get(principal) ?? memorySessions();
        stores.set(principal, store);
        return store;
      },
    });
    await note(plugin, [write('hotel', 'Seaview')], 'ann');
    const { told } = await note(plugin, [], 'bo');
    expect(told[0]).not.toContain('hotel');
    expect((await note(plugin, [read('hotel')], 'ann')).results).toEqual([
      { success: true, value: 'Seaview' },
    ]);
    expect([...stores.keys()]).toEqual(['ann', 'bo']);
    const { told: none } = await note(own(memorySessions()), [], 'ann');
    expect(none).toEqual([]);
    expect(() => notesPlugin({ scope: 'person' } as never)).toThrow(/needs a store/);
  });

  it('a page is told of what other sessions write', async () => {
    const store = memorySessions();
    const page = pageOf(own(store));
    const seen: number[] = [];
    const leave = page.subscribe(() => seen.push(page.get()?.notes.length ?? -1));
    await note(own(store), [write('hotel', 'Seaview')]);
    await vi.waitFor(() => expect(seen.at(-1)).toBe(1));
    leave();
  });
});
