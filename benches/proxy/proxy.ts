import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { readStreams } from './read-streams.ts';
import { startProcess } from '../processes/start-process.ts';

const streams = 500;
/** Half a minute an answer. The recorded ones of more than a few sentences have 119, 219, 302 and 662 events. */
const [chunks, everyMs] = [120, 250];
/** A steady load as on a real server: while 500 answers are read, some end and others begin, never all at once. */
const steady = { readers: streams, answers: 2, withinMs: chunks * everyMs };
/** A warm-up, so that loading and compiling do not count as the cost of an event. */
const first = { readers: 100, answers: 1, withinMs: 1000 };
/** Peak memory is mostly uncollected garbage, so the memory that answers retain is reported as well. */
const held = { readers: streams, answers: 1, withinMs: 1000 };
/** By then the proxy has removed an ended answer, see `server-process.ts`. */
const forgottenMs = 12_000;
const kinds = ['pass-through', 'provider', 'proxy', 'ai-sdk'] as const;
const names = {
  'pass-through': 'pass-through',
  provider: 'the package of the provider alone',
  proxy: 'proxy',
  'ai-sdk': 'the AI SDK over the same package',
};

type Used = { readonly cpuMs: number; readonly rss: number; readonly heap: number };
type Figures = {
  readonly cpuUs: number;
  readonly rssMB: number;
  readonly heldKB: number;
  readonly p99: number;
};

/**
 * Compares 500 concurrent answers through the proxy with the AI SDK. A plain pass-through of the same server and the
 * provider package alone show the part of each.
 */
export async function proxy(rounds: number): Promise<Measured> {
  const upstream = await startProcess('../proxy/paced-upstream.ts', String(chunks), String(everyMs));
  const results = await interleave(kinds, Math.min(rounds, 3), async (kind): Promise<Figures> => {
    const server = await startProcess('../proxy/server-process.ts', kind, upstream.url);
    await readStreams(server.url, first);
    const before = await server.tell<Used>();
    const delays = await readStreams(server.url, steady);
    const after = await server.tell<Used>();
    const answers = readStreams(server.url, held);
    await sleep(steady.withinMs * 0.9);
    const during = await server.tell<Used>();
    await answers;
    await sleep(forgottenMs);
    const rest = await server.tell<Used>();
    server.stop();
    if (delays.length !== steady.readers * steady.answers * chunks)
      throw new Error(`${kind}: ${delays.length} chunks came.`);
    return {
      cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / delays.length,
      rssMB: after.rss / 1024 / 1024,
      heldKB: (during.heap - rest.heap) / held.readers / 1024,
      p99: delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.99)] ?? Number.NaN,
    };
  });
  upstream.stop();
  const figure = (kind: (typeof kinds)[number], read: (figures: Figures) => number): number =>
    median((results.get(kind) ?? []).map(read));
  const ratio = (kind: (typeof kinds)[number], read: (figures: Figures) => number): number =>
    figure(kind, read) / figure('ai-sdk', read);
  const cells = (kind: (typeof kinds)[number], read: (figures: Figures) => number): string[] => [
    figure(kind, read).toFixed(0),
    ratio(kind, read).toFixed(2),
  ];
  /** The ratio of each round. */
  const ratios = (read: (figures: Figures) => number): number[] =>
    (results.get('proxy') ?? []).map((figures, round) => {
      const peer = results.get('ai-sdk')?.[round];
      return peer === undefined ? Number.NaN : read(figures) / read(peer);
    });
  return {
    published: [
      {
        what: 'CPU of a server with 500 concurrent answers / a route with `streamText`',
        vitrine: ratios(({ cpuUs }) => cpuUs),
        peer: [1],
      },
      {
        what: 'Memory of that server / a route with `streamText`',
        vitrine: ratios(({ rssMB }) => rssMB),
        peer: [1],
      },
    ],
    tables: [
      {
        title: `${streams} streams side by side, a chunk every ${everyMs} ms in each`,
        head: [
          '',
          'us of CPU a chunk',
          'x',
          'MB of memory at most',
          'x',
          'KB that an answer holds',
          'x',
          'ms on its way, 99th percentile',
          'x',
        ],
        rows: kinds.map((kind) => [
          names[kind],
          ...cells(kind, ({ cpuUs }) => cpuUs),
          ...cells(kind, ({ rssMB }) => rssMB),
          ...cells(kind, ({ heldKB }) => heldKB),
          ...cells(kind, ({ p99 }) => p99),
        ]),
      },
    ],
    figures: [
      { goal: 'proxyCpu', of: `${streams} streams`, value: ratio('proxy', ({ cpuUs }) => cpuUs) },
      { goal: 'proxyMemory', of: `${streams} streams`, value: ratio('proxy', ({ rssMB }) => rssMB) },
      {
        goal: 'proxyDelay',
        of: `${streams} streams`,
        value: ratio('proxy', ({ p99 }) => p99),
      },
    ],
  };
}
