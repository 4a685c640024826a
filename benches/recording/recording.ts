import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localChannel, sessionHub, watchSessions } from '@vitrine/inspect';
import { root } from '../../scripts/root.ts';
import { percentile } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

/** Bytes of a request. */
const sizes = [2_000, 100_000, 400_000] as const;
const requests = 100;
const talks = 200;
const traffic = 1_000_000_000;

/** Measures `vitrine record`: what it adds to the first byte, how soon a step is seen, wrong joins, and its memory. */
export async function recording(rounds: number): Promise<Measured> {
  const provider = spawn(process.execPath, [`${import.meta.dirname}/provider.ts`]);
  const upstream = (await lineOf(provider, 'stdout', /(http\S+)/))[1] ?? '';
  const agent = new Agent({ keepAlive: true });
  const started = await startRecording(upstream);
  try {
    const firstStepMs = await untilStep(started, agent);
    const cases = sizes.flatMap((size) => [
      { size, url: upstream },
      { size, url: started.base },
    ]);
    // Loading and compiling do not count.
    for (const { url } of cases) await firstBytes(url, 2_000, agent);
    const times = await interleave(cases, rounds, ({ size, url }) => firstBytes(url, size, agent));
    const at = (size: number, url: string, share: number): number =>
      percentile(times.get(cases.find((one) => one.size === size && one.url === url)!)!.flat(), share);
    const added = (size: number, share: number): number =>
      at(size, started.base, share) - at(size, upstream, share);
    const wrong = await wrongJoins(started, agent);
    const { peakMB, seconds } = await memory(started, agent);
    return {
      tables: [
        {
          title: 'First byte of an answer through vitrine record, ms',
          head: ['request', 'direct p50', 'recorded p50', 'direct p95', 'recorded p95'],
          rows: sizes.map((size) => [
            `${size / 1000} kB`,
            ...[0.5, 0.95].flatMap((share) =>
              [upstream, started.base].map((url) => at(size, url, share).toFixed(2)),
            ),
          ]),
        },
        {
          title: `vitrine record under load`,
          head: ['', 'measured'],
          rows: [
            [`${talks} conversations at once, joined wrongly`, `${wrong}`],
            ['1 GB of traffic took', `${seconds.toFixed(0)} s`],
          ],
        },
      ],
      figures: [
        ...sizes.flatMap((size) => [
          {
            goal: size > 100_000 ? 'recordLong' : 'recordShort',
            of: `${size / 1000} kB`,
            value: added(size, 0.5),
          } as const,
          {
            goal: size > 100_000 ? 'recordLong95' : 'recordShort95',
            of: `${size / 1000} kB`,
            value: added(size, 0.95),
          } as const,
        ]),
        { goal: 'recordStep', of: 'record', value: firstStepMs },
        { goal: 'recordJoins', of: `${talks} conversations`, value: wrong },
        { goal: 'recordMemory', of: '1 GB', value: peakMB },
      ],
    };
  } finally {
    started.child.kill();
    provider.kill();
    agent.destroy();
  }
}

type Started = { readonly child: ChildProcess; readonly base: string; readonly page: string };

async function startRecording(upstream: string): Promise<Started> {
  const args = ['record', '--no-open', '--to', `openai=${upstream}`];
  const child = spawn(process.execPath, [join(root, 'packages/cli/dist/vitrine.js'), ...args]);
  const [, page = '', base = ''] = await lineOf(child, 'stderr', /vitrine: (\S+)[^]*OPENAI_BASE_URL=(\S+)/);
  return { child, base, page };
}

/** Waits until a process has printed something. */
async function lineOf(
  child: ChildProcess,
  stream: 'stdout' | 'stderr',
  what: RegExp,
): Promise<RegExpExecArray> {
  let text = '';
  for (;;) {
    const found = what.exec(text);
    if (found !== null) return found;
    const [chunk] = (await once(child[stream]!, 'data')) as [Buffer];
    text += String(chunk);
  }
}

type Sent = { readonly firstMs: number; readonly text: string };

/** Sends a request of chat completions; `firstMs` is the time of the first byte of its answer. */
function send(url: string, body: string, agent: Agent): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(`${url}/chat/completions`, { method: 'POST', agent }, (response) => {
      let firstMs: number | null = null;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        firstMs ??= performance.now() - began;
        text += chunk;
      });
      response.once('end', () => resolve({ firstMs: firstMs ?? 0, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

const user = (content: string): object => ({ role: 'user', content });

/** The times of the first bytes of requests of a size, one after the other. */
async function firstBytes(url: string, size: number, agent: Agent): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < requests; index++) {
    const body = JSON.stringify({
      model: 'm',
      stream: true,
      messages: [user(`${index} ${'word '.repeat(size / 5)}`)],
    });
    times.push((await send(url, body, agent)).firstMs);
    // A program does something between its requests.
    await sleep(5);
  }
  return times;
}

/** The milliseconds from the end of the first answer to its step in a page. */
async function untilStep({ page, base }: Started, agent: Agent): Promise<number> {
  const leave = watchSessions(localChannel(page));
  await sleep(2_000);
  await send(base, JSON.stringify({ model: 'm', messages: [user('First')] }), agent);
  const began = performance.now();
  while (sessionHub().sources()[0]?.journal.state().execution?.status !== 'completed') await sleep(1);
  leave();
  return performance.now() - began;
}

const tools = [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: {} } }];

/** Plays conversations with tools at once; the number of sessions that hold more or less than one of them. */
async function wrongJoins({ base, page }: Started, agent: Agent): Promise<number> {
  await Promise.all(
    Array.from({ length: talks }, async (_, index) => {
      const messages: object[] = [user(`What is talk-${index}?`)];
      for (let turn = 0; turn < 4; turn++) {
        const { text } = await send(base, JSON.stringify({ model: 'm', messages, tools }), agent);
        const { tool_calls } = (JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}') as Answer).choices[0].delta;
        if (tool_calls === undefined) break;
        messages.push({ role: 'assistant', content: null, tool_calls });
        for (const { id } of tool_calls)
          messages.push({ role: 'tool', tool_call_id: id, content: 'The same.' });
      }
    }),
  );
  const leave = watchSessions(localChannel(page));
  const ofTalks = (): readonly (readonly string[])[] =>
    sessionHub()
      .sources()
      .map(({ journal }) => [...new Set(JSON.stringify(journal.state()).match(/talk-\d+/g) ?? [])])
      .filter((names) => names.length > 0);
  for (let waited = 0; waited < 60 && ofTalks().length < talks; waited++) await sleep(500);
  await sleep(2_000);
  const found = ofTalks();
  const names = new Set(found.flat());
  leave();
  return (
    found.filter((own) => own.length !== 1).length + Math.abs(found.length - talks) + (talks - names.size)
  );
}

type Answer = {
  readonly choices: readonly [
    { readonly delta: { readonly tool_calls?: readonly { readonly id: string }[] } },
  ];
};

/** The peak of memory while a gigabyte passes by, in growing conversations. */
async function memory({ child, base }: Started, agent: Agent): Promise<{ peakMB: number; seconds: number }> {
  const began = performance.now();
  let sent = 0;
  const converse = async (talk: number): Promise<void> => {
    for (let round = 0; sent < traffic; round++) {
      const messages = [user(`chat ${talk}.${round}`)];
      for (let turn = 0; turn < 20 && sent < traffic; turn++) {
        const body = JSON.stringify({ model: 'm', messages });
        sent += body.length;
        await send(base, body, agent);
        const content = `Answer of `;
        messages.push({ role: 'assistant', content }, user(`${turn} ${'word '.repeat(8_000)}`));
      }
    }
  };
  await Promise.all([1, 2, 3, 4].map(converse));
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const [, peak = '0'] = /VmHWM:\s*(\d+)/.exec(status) ?? [];
  return { peakMB: Number(peak) / 1024, seconds: (performance.now() - began) / 1000 };
}
