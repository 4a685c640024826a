import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as AgentState from './agent-state.ts';
import { isAgentError } from '../kit/agent-error.ts';
import {
  journalDocument,
  type JournalDocument,
  readJournal,
} from '@vitrine/inspect/internal/replay/journal-document';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask } from '@vitrine/testing/internal/fixtures';
import { fold } from './apply.ts';
import { createJournal } from './journal.ts';
import type { AgentChange, AgentEventBody } from './events.ts';
import { agentOf } from './random-agent.fixture.ts';
import { plan } from './random-plan.fixture.ts';
import { runAll } from './random-runs.fixture.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);
/** Number of damages tried on each journal; a run costs more time than a damage. */
const damagesOfRun = 10;

const odd: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  0,
  -1,
  1.5,
  '',
  'other',
  true,
  [],
  {},
  [null],
  [{}],
  ['x'],
  { id: 'x' },
  1e20,
);
type Damage = {
  readonly place: number;
  readonly value: unknown;
  readonly kind: 'set' | 'delete' | 'move' | 'copy';
};
const damage: fc.Arbitrary<Damage> = fc.record({
  place: fc.nat(),
  value: odd,
  kind: fc.constantFrom('set', 'set', 'set', 'delete', 'move', 'copy'),
});

type Holder = Record<string, unknown>;

/** Every field of a value, at any depth. */
function fieldsOf(value: unknown, found: [Holder, string][] = []): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, child] of Object.entries(value)) {
    found.push([value as Holder, key]);
    fieldsOf(child, found);
  }
  return found;
}

function damaged(events: readonly AgentChange[], { place, value, kind }: Damage): AgentChange[] {
  const copy = JSON.parse(JSON.stringify(events)) as AgentChange[];
  const at = place % copy.length;
  if (kind === 'move') return [...copy.slice(at), ...copy.slice(0, at)];
  if (kind === 'copy') return copy.toSpliced(at, 0, copy[(at * 7) % copy.length]!);
  const fields = fieldsOf(copy[at]);
  const [holder, key] = fields[Math.floor(place / copy.length) % fields.length]!;
  if (kind === 'delete') delete holder[key];
  else holder[key] = value;
  return copy;
}

/** Reads a damaged journal: folds its events or throws the AgentError that rejects it. */
function read(document: JournalDocument, events: readonly AgentChange[]): void {
  let journal: ReturnType<typeof readJournal>;
  try {
    journal = readJournal({ ...document, events });
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return;
  }
  const state = fold(journal.base, journal.events);
  expect(AgentState.messages(state)).toBeInstanceOf(Array);
}

it('a damaged journal is rejected with an AgentError, or folds', { timeout: 1_800_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.array(damage, { minLength: damagesOfRun, maxLength: damagesOfRun }),
      async (planned, damages) => {
        const env = fixedEnv();
        const { base, entries } = await runAll(planned, agentOf(planned, new Map()), env, ask('Hello', env));
        const document = journalDocument(
          'j',
          base,
          entries.map(({ event }) => event),
        );
        read(document, document.events);
        for (const each of damages) read(document, damaged(document.events, each));
      },
    ),
    { numRuns },
  );
});

it(
  'commit rejects a damaged event with an AgentError and keeps its state',
  { timeout: 1_800_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.array(damage, { minLength: damagesOfRun, maxLength: damagesOfRun }),
        async (planned, damages) => {
          const env = fixedEnv();
          const { base, entries } = await runAll(
            planned,
            agentOf(planned, new Map()),
            env,
            ask('Hello', env),
          );
          const events = entries.flatMap(({ event }) => (event.seq === null ? [] : [event]));
          for (const each of damages) {
            const journal = createJournal(base, { env: fixedEnv() });
            for (const { seq: _seq, at: _at, path, ...body } of damaged(events, {
              ...each,
              kind: each.kind === 'move' ? 'set' : each.kind,
            })) {
              const before = journal.state();
              try {
                if (Array.isArray(path)) journal.commit(path as string[], body as AgentEventBody);
              } catch (thrown) {
                if (!isAgentError(thrown)) throw thrown;
                expect(journal.state()).toBe(before);
                break;
              }
            }
          }
        },
      ),
      { numRuns },
    );
  },
);

const nest = (levels: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown => {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
};
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

it.each<[string, unknown]>([
  ['a list of 100,000 levels', nest(100_000, (inner) => [inner], 1)],
  ['an object that holds itself', cyclic],
  ['a BigInt', 10n],
  ['a function', () => 1],
  ['a Date', new Date(0)],
  ['a Map', new Map([[1, 2]])],
  ['NaN', Number.NaN],
  ['a list with a hole', Array(2)],
])('commit and readJournal reject %s, which no document can hold, with an AgentError', (_what, value) => {
  const ended = {
    type: 'tool-end',
    toolCallId: 'c',
    status: 'completed',
    error: null,
    durationMs: 1,
    pluginWrites: [],
  };
  const bodies: readonly object[] = [
    { type: 'plugin-change', source: 'user', pluginId: 'p', version: 1, data: value },
    { type: 'plugin-change', source: 'user', pluginId: 'p', version: 1, data: { inner: [value] } },
    { ...ended, result: value },
    { ...ended, pluginWrites: [{ pluginId: 'p', version: 1, data: value }] },
    { type: 'call-change', source: 'user', toolCallId: 'c', input: value },
    { type: 'metadata-change', source: 'user', set: { inner: value }, removed: [] },
    {
      type: 'error-record',
      error: { name: 'E', message: 'x', code: null, data: { inner: value }, cause: null },
    },
  ];
  const rejected = expect.objectContaining({ code: 'state-invalid' });
  for (const body of bodies) {
    const journal = createJournal(ask());
    const before = journal.state();
    expect(() => journal.commit([], body as AgentEventBody)).toThrow(rejected);
    expect(journal.state()).toBe(before);
    const events = [{ ...body, seq: before.seq + 1, at: 1, path: [] }] as unknown as AgentChange[];
    expect(() => readJournal({ ...journalDocument('j', before, []), events })).toThrow(rejected);
  }
});

it('commit rejects an error with 100,000 causes and keeps a value that a document can hold', () => {
  const causes = (count: number): unknown =>
    nest(count, (cause) => ({ name: 'E', message: 'x', code: null, data: {}, cause }), null);
  const journal = createJournal(ask());
  const record = (error: unknown): unknown =>
    journal.commit([], { type: 'error-record', error } as AgentEventBody);
  expect(() => record(causes(100_000))).toThrow(expect.objectContaining({ code: 'state-invalid' }));
  const data = { inner: nest(800, (inner) => [inner], { left: undefined, text: 'x', count: -0.5 }) };
  journal.commit([], {
    type: 'plugin-change',
    source: 'user',
    pluginId: 'p',
    version: 1,
    data,
  } as AgentEventBody);
  const document = JSON.parse(JSON.stringify(AgentState.toJSON(journal.state()))) as unknown;
  expect(AgentState.toJSON(AgentState.fromJSON(document))).toEqual(document);
});
