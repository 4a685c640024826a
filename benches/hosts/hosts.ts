import { startPostgres } from '../../tests/servers/start-postgres.ts';
import type { Figure } from '../goals.ts';
import type { BenchProcess } from '../processes/start-process.ts';
import { median, percentile } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { startBenchServer } from '../server/bench-server.ts';
import { type HostKind, onHost } from './on-host.ts';

const deltas = 3000;
const steps = 40;
const kinds: readonly HostKind[] = ['memory', 'sqlite', 'dbos'];
/** The microseconds of processor of a delta, the milliseconds of a step, and those until a word is heard elsewhere. */
type Costs = { readonly delta: number; readonly step: number; readonly delays: readonly number[] };

/** Compares a run on a server, followed by a device, with the same run in memory. */
export async function hosts(rounds: number): Promise<Measured> {
  const upstream = await startBenchServer('.', 1);
  const database = await startPostgres();
  const measured = kinds.filter((kind) => kind !== 'dbos' || database !== null);
  const places = { upstream: upstream.origins[0] ?? '', database: database?.url ?? '' };
  const results = await interleave(measured, Math.min(rounds, 3), (kind) =>
    onHost(kind, places, (server) => costsOf(kind, server)),
  );
  upstream.close();
  await database?.stop();
  const figure = (kind: HostKind, what: 'delta' | 'step'): number =>
    median((results.get(kind) ?? []).map((costs) => costs[what]));
  const ratio = (kind: HostKind): number => figure(kind, 'delta') / figure('memory', 'delta');
  const more = (kind: HostKind): number => figure(kind, 'step') - figure('memory', 'step');
  const delays = (kind: HostKind): readonly number[] =>
    (results.get(kind) ?? []).flatMap((costs) => costs.delays);
  const served = measured.filter((kind) => kind !== 'memory');
  const goalsOf = (kind: HostKind, delta: Figure['goal'], step: Figure['goal']): Figure[] => [
    { goal: delta, of: `${deltas} deltas`, value: ratio(kind) },
    { goal: step, of: `${steps} steps`, value: more(kind) },
  ];
  return {
    tables: [
      {
        title: 'A run on a server, followed, beside the same run in memory',
        head: ['', 'us of CPU a delta', 'x', 'ms a step', '+ ms'],
        rows: measured.map((kind) => [
          kind,
          figure(kind, 'delta').toFixed(0),
          ratio(kind).toFixed(2),
          figure(kind, 'step').toFixed(1),
          more(kind).toFixed(1),
        ]),
      },
      {
        title: 'From a word of the model to a device that follows, in ms',
        head: ['', 'words', 'p50', 'p99'],
        rows: served.map((kind) => [
          kind,
          String(delays(kind).length),
          percentile(delays(kind), 0.5).toFixed(0),
          percentile(delays(kind), 0.99).toFixed(0),
        ]),
      },
    ],
    figures: [
      ...served.map(
        (kind) => ({ goal: 'serverLive', of: kind, value: percentile(delays(kind), 0.99) }) as const,
      ),
      ...goalsOf('sqlite', 'serverDeltaSqlite', 'serverStepSqlite'),
      ...goalsOf('dbos', 'serverDeltaDbos', 'serverStepDbos'),
    ],
  };
}

async function costsOf(kind: HostKind, server: BenchProcess): Promise<Costs> {
  // Rounds over one database have sessions of their own.
  const round = crypto.randomUUID();
  let session = 0;
  const run = async (
    agent: string,
    count: number,
  ): Promise<{ readonly cpuUs: number; readonly ms: number; readonly heard: readonly number[] }> => {
    const path = `${server.url}/agents/${agent}/sessions/${round}-${++session}`;
    const following = new AbortController();
    const heard: number[] = [];
    const hear = (text: string): void => {
      for (const [word] of text.matchAll(/\b\d{13}(?= )/g)) heard.push(Date.now() - Number(word));
    };
    const answered = kind === 'memory' ? null : await follow(`${path}/events`, following.signal, hear);
    const { cpuUs } = await server.tell<{ readonly cpuUs: number }>();
    const at = performance.now();
    let id: string | null = null;
    if (answered === null) await post(`${server.url}/${agent}/${count}`, null);
    else {
      id = await give(`${path}/commands`, count);
      await answered();
    }
    const ms = performance.now() - at;
    const used = (await server.tell<{ readonly cpuUs: number }>()).cpuUs - cpuUs;
    if (id !== null) await assertCompleted(`${path}/commands/${id}`);
    following.abort();
    return { cpuUs: used, ms, heard };
  };
  // What is loaded and compiled once does not count.
  await run('talker-3000', deltas);
  await run('stepper', steps);
  const [few, many] = [await run('talker-5', 5), await run('talker-3000', deltas)];
  const [none, all] = [await run('stepper', 0), await run('stepper', steps)];
  const { heard } = await run('clock', 0);
  return { delays: heard, delta: (many.cpuUs - few.cpuUs) / (deltas - 5), step: (all.ms - none.ms) / steps };
}

/** Follows a session and hands on what comes. Resolves when events come, with a function that resolves when an answer has come. */
async function follow(
  url: string,
  signal: AbortSignal,
  hear: (text: string) => void,
): Promise<() => Promise<void>> {
  const { body } = await fetch(url, { signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  return async () => {
    for (let last = ''; !last.includes('"type":"answer"');) {
      const { done = true, value = '' } = (await reader?.read()) ?? {};
      if (done) throw new Error('The stream of events ended.');
      hear(value);
      last = last.slice(-20) + value;
    }
  };
}

/** Sends a message. @returns the id of its command */
async function give(path: string, count: number): Promise<string> {
  const id = crypto.randomUUID();
  await post(path, { type: 'send', id, message: { text: String(count) }, options: {}, onBusy: 'queue' });
  return id;
}

/** A run that was stopped on the way would count as a fast one. */
async function assertCompleted(path: string): Promise<void> {
  const { answer } = (await (await fetch(path)).json()) as { answer?: { turn?: { outcome?: string } } };
  const outcome = answer?.turn?.outcome;
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`);
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}
