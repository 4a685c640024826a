import { setTimeout as sleep } from 'node:timers/promises';
import { proxyInference } from '@vitrine/core';
import { type BenchProcess, startProcess } from '../processes/start-process.ts';
import { request } from '../../tests/upstream/plain-request.ts';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';

const readers = 20;
const sampleMs = 5000;
/** The longest time before a reader leaves, in milliseconds. */
const longestMs = 400;

type Sample = { readonly minute: number; readonly heapMB: number; readonly answers: number };

/** Runs readers that leave at any time against a provider that fails in every way, for `--minutes` (20). */
export async function soak(): Promise<Measured> {
  const at = process.argv.indexOf('--minutes');
  const minutes = at < 0 ? 20 : Number(process.argv[at + 1]);
  const upstream = await startProcess('../soak/faulty-upstream.ts');
  const server = await startProcess('../proxy/server-process.ts', 'proxy', upstream.url);
  const until = Date.now() + minutes * 60_000;
  const counts = { answers: 0 };
  const reading = Array.from({ length: readers }, () => readUntil(until, server, counts));
  const samples: Sample[] = [];
  while (Date.now() < until) {
    await sleep(sampleMs);
    const { heap } = await server.tell<{ heap: number }>();
    const minute = minutes - (until - Date.now()) / 60_000;
    samples.push({ minute, heapMB: heap / 1024 / 1024, answers: counts.answers });
  }
  await Promise.all(reading);
  await sleep(2000);
  const left = await upstream.tell<number>();
  for (const one of [server, upstream]) one.stop();
  // The first tenth contains loading and compiling.
  const quarter = Math.floor(samples.length / 4);
  const settled = samples.slice(Math.ceil(samples.length / 10));
  const heapOf = (part: readonly Sample[]): number => median(part.map(({ heapMB }) => heapMB));
  const rows = samples.filter((_, index) => index % Math.ceil(samples.length / 10) === 0);
  return {
    tables: [
      {
        title: `${readers} readers for ${minutes} minutes`,
        head: ['minute', 'answers so far', 'heap MB'],
        rows: rows.map(({ minute, heapMB, answers }) => [
          minute.toFixed(1),
          String(answers),
          heapMB.toFixed(1),
        ]),
      },
    ],
    figures: [
      {
        goal: 'soakGrowth',
        of: `${counts.answers} answers`,
        value: heapOf(settled.slice(-quarter)) / heapOf(settled.slice(0, quarter)),
      },
      { goal: 'soakLeft', of: `${counts.answers} answers`, value: left },
    ],
  };
}

async function readUntil(until: number, server: BenchProcess, counts: { answers: number }): Promise<void> {
  const client = proxyInference({ url: server.url, reconnect: { attempts: 1 } });
  while (Date.now() < until) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), Math.random() * longestMs);
    try {
      for await (const event of client.stream(request, { signal: controller.signal }))
        if (event.type === 'text-delta' && Math.random() < 0.01) break;
    } catch {
      // The reader has left.
    }
    clearTimeout(timer);
    counts.answers++;
  }
}
