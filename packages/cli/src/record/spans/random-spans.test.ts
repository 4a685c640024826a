import { systemEnv } from '@vitrine/core';
import { createSessionHub } from '@vitrine/core/internal/session/hub';
import { createRecorder, eventsOf } from '@vitrine/inspect';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { spansPath } from '../copies.ts';
import { ExchangeReader } from '../exchange-reader.ts';
import { isSoundState } from '../programs.fixture.ts';
import { batchOf, tell, toldPrograms, type TrueRun } from './told-programs.fixture.ts';

/** The number of random programs; more in `npm run prove`. */
const runs = Number(process.env['PROVE_RUNS'] ?? 30);

type Batch = ReturnType<typeof batchOf>;

/** The journals that batches are read into, in an order of their own, and with ids by the order of their first use. */
function readBatches(batches: readonly Batch[], sent: ReturnType<typeof tell>['sent'] = []) {
  const hub = createSessionHub();
  const recorder = createRecorder({ hub });
  const reader = new ExchangeReader(hub, systemEnv, { origin: 0 });
  const halves = sent.flatMap(({ from, to, request, answer }, id) => {
    const bytesOf = (body: object) => Uint8Array.from(Buffer.from(JSON.stringify(body)));
    const both = { id, encoding: null };
    const asked = { method: 'POST', path: '/chat/completions', client: 'test' };
    const answered = { status: 200, contentType: 'application/json', cut: null, firstAt: to };
    return [
      { type: 'request', ...both, ...asked, at: from, bytes: bytesOf(request) } as const,
      { type: 'answer', ...both, ...answered, at: to, bytes: bytesOf(answer) } as const,
    ];
  });
  for (const half of halves.toSorted((a, b) => a.at - b.at || a.id - b.id)) reader.take(half);
  for (const bytes of batches)
    reader.take({
      type: 'request',
      id: 0,
      at: 0,
      method: 'POST',
      path: spansPath,
      client: '',
      encoding: null,
      bytes,
    });
  reader.close('exit code 0');
  const records = hub.sources().map((source) => ({ name: source.name, record: recorder.read(source) }));
  recorder.dispose();
  return { counts: reader.counts, records };
}

type Told = ReturnType<typeof readBatches>;

function journalsOf({ records }: Told): readonly string[] {
  return records
    .map(({ name, record }) => {
      const ids = new Map<string, number>();
      const text = JSON.stringify([name, eventsOf(record).map(({ event }) => event)]);
      return text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, (id) => {
        if (!ids.has(id)) ids.set(id, ids.size);
        return `#${ids.get(id)}`;
      });
    })
    .toSorted();
}

/** The runs in the journals, in the form of the truth. */
function runsOf({ records }: Told): readonly TrueRun[] {
  return records.map(({ name, record }) => {
    const names = new Map<string, string>();
    for (const { event } of eventsOf(record))
      if (event.type === 'subagent-start') names.set(event.toolCallId, event.name);
    const runOf = (own: string, state: typeof record.state): TrueRun => ({
      name: own,
      status: state.execution!.status,
      steps: state.execution!.stepExecutions.map(({ step }) =>
        step.toolExecutions.map(({ toolCall, status, startedAt, completedAt, childState }) => ({
          name: toolCall.name,
          status,
          ms: completedAt! - startedAt!,
          agent: childState === null ? null : runOf(names.get(toolCall.id)!, childState),
        })),
      ),
    });
    expect(isSoundState(record.state)).toBe(true);
    return runOf(name, record.state);
  });
}

it(
  'spans of random programs make the same journals in any order of batches, and their runs are the true ones',
  { timeout: 600_000 },
  () => {
    const property = fc.property(
      toldPrograms,
      fc.constantFrom('gen_ai' as const, 'openinference' as const),
      fc.array(fc.record({ place: fc.nat(), size: fc.integer({ min: 1, max: 4 }), isJson: fc.boolean() }), {
        minLength: 1,
        maxLength: 8,
      }),
      (programs, convention, cuts) => {
        const { spans, runs: truth } = tell(programs, convention);
        const whole = readBatches([batchOf(spans, true)]);
        const byText = (a: TrueRun, b: TrueRun): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
        expect(runsOf(whole).toSorted(byText)).toEqual(truth.toSorted(byText));
        const rest = [...spans];
        const batches: Batch[] = [];
        for (let index = 0; rest.length > 0; index++) {
          const { place, size, isJson } = cuts[index % cuts.length]!;
          batches.push(batchOf(rest.splice(place % rest.length, size), isJson));
        }
        const shuffled = readBatches(batches);
        expect(shuffled.counts).toEqual(whole.counts);
        expect(journalsOf(shuffled)).toEqual(journalsOf(whole));
      },
    );
    fc.assert(property, { numRuns: runs });
  },
);

it(
  'a model call that came through both doors, in its request and in a span, is shown once',
  { timeout: 600_000 },
  () => {
    fc.assert(
      fc.property(
        toldPrograms,
        fc.constantFrom('gen_ai' as const, 'openinference' as const),
        (programs, words) => {
          const { spans, sent } = tell(programs, words);
          const calls = readBatches([batchOf(spans, false)], sent).records.flatMap(({ record }) =>
            eventsOf(record).filter(({ event }) => event.type === 'inference-start'),
          );
          expect(calls).toHaveLength(sent.length);
        },
      ),
      { numRuns: runs },
    );
  },
);

it('bytes that are no spans are counted, and never an error', () => {
  const { spans } = tell([{ agent: { name: 1, isCut: false, steps: [] }, at: 0 }], 'gen_ai');
  const bytes = batchOf(spans, false);
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(bytes.length - 1), fc.boolean(), (junk, at, isJson) => {
      const broken = Uint8Array.from([...(isJson ? [123] : bytes.slice(0, at)), ...junk, ...bytes.slice(at)]);
      const { counts } = readBatches([broken, bytes]);
      expect(counts.spans).toBeGreaterThan(0);
      if (isJson) expect(counts.unread).toBe(1);
    }),
    { numRuns: runs },
  );
});
