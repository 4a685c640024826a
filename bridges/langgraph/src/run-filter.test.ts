import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFilter } from './run-filter.ts';

type Told = {
  readonly method: string;
  readonly params: { readonly namespace: string[]; readonly data: object };
};
const lifecycle = (event: string): Told => ({
  method: 'lifecycle',
  params: { namespace: [], data: { event } },
});
const said = (text: string): Told => ({ method: 'messages', params: { namespace: [], data: { text } } });

const ending = fc.constantFrom('completed', 'failed', 'interrupted').map(lifecycle);
const beginning = fc.constantFrom('running', 'started').map(lifecycle);
const words = (name: string) =>
  fc.array(
    fc.nat(9).map((n) => said(`${name} ${n}`)),
    { maxLength: 4 },
  );

/** The events that another run of the thread still tells, and those of the own run, as servers order them. */
const told = fc
  .record({
    other: fc.option(fc.tuple(words('other'), ending)),
    // The beginning has the status that the run has when it is told: before the answer it may have ended.
    begins: fc.oneof(
      beginning.map((first) => ({ first, isBefore: false })),
      fc.oneof(beginning, ending).map((first) => ({ first, isBefore: true })),
    ),
    own: words('own'),
    end: ending,
    /** Events of other channels, which are numbered and not told. */
    skipped: fc.nat(2),
    since: fc.nat(3),
    tellsNumber: fc.boolean(),
  })
  .filter(({ begins, tellsNumber }) => tellsNumber || !begins.isBefore);

describe('the events of a run among those of its thread', () => {
  it('every order of servers gives the whole run and nothing of the one before', () => {
    fc.assert(
      fc.property(told, ({ other, begins, own, end, skipped, since, tellsNumber }) => {
        const before = other === null ? [] : [...other[0], other[1]];
        const numbered = [...before, begins.first, ...own, end].map((event, at) => ({
          ...event,
          seq: since + 1 + at + (at > before.length ? skipped : 0),
        }));
        const answered = since + before.length + (begins.isBefore ? 1 : 0);
        const take = runFilter({
          answeredAt: tellsNumber ? answered : null,
          isBehindOther: other !== null,
        });
        const taken = numbered.flatMap(take);
        // A beginning that says that the run goes on may be given too: it changes nothing.
        const isBeginning = ({ method, params: { data } }: Told): boolean =>
          method === 'lifecycle' && /running|started/.test(JSON.stringify(data));
        expect(taken.filter((event) => !isBeginning(event as never))).toEqual(
          numbered.slice(before.length + 1),
        );
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 300) },
    );
  });
});
