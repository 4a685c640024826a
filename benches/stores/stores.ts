import { AgentState } from '@vitrine/core';
import { localStorageSessions } from '@vitrine/persist';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';
import { sideBySide } from '../side-by-side.ts';
import { addMessage, benchId, makeRun, record, withHistory } from '../bench-session.ts';
import { inChromium } from './in-chromium.ts';
import { type CountingStorage, countingStorage } from './counting-storage.ts';

const sizes = [1_000, 10_000, 100_000];
const writes = 15;

type Row = {
  size: number;
  saveMs: number;
  saveBytes: number;
  appendMs: number;
  loadMs: number;
  /** The time of JSON.parse for its plain messages. */
  floorMs: number;
  bytes: number;
};

/**
 * Measures sessions of so many messages and 200 steps with a store in memory: saving the changes, and loading all of
 * it.
 */
export async function stores(rounds: number): Promise<Measured> {
  const rows: Row[] = [];
  const run = await makeRun();
  for (const size of sizes) rows.push(await measure(withHistory(run, size), size, rounds));
  const [{ loadMs, floorMs } = { loadMs: Number.NaN, floorMs: 1 }] = rows;
  const figures = rows.flatMap(({ size, saveMs, appendMs }) => [
    { goal: 'saveOneMore' as const, of: `save, ${size} messages`, value: saveMs },
    { goal: 'saveOneMore' as const, of: `append, ${size} messages`, value: appendMs },
  ]);
  return {
    tables: [
      {
        title: `A session with 200 steps in localStorageSessions, over a storage in memory`,
        head: [
          'messages',
          'save one more ms',
          'it writes B',
          'append one more ms',
          'load ms',
          'JSON.parse ms',
          'stored kB',
        ],
        rows: rows.map((row) => [
          String(row.size),
          row.saveMs.toFixed(3),
          row.saveBytes.toFixed(0),
          row.appendMs.toFixed(3),
          row.loadMs.toFixed(2),
          row.floorMs.toFixed(2),
          (row.bytes / 1000).toFixed(0),
        ]),
      },
      await inChromium(rounds),
    ],
    figures: [...figures, { goal: 'load', of: 'end to end, 1,000 messages', value: loadMs / floorMs }],
  };
}

async function measure(start: AgentState, size: number, rounds: number): Promise<Row> {
  const storage = countingStorage();
  const store = localStorageSessions({ storage });
  let state = start;
  let version = await store.save(record(state), { expectedVersion: 0 });
  const { saveMs, saveBytes } = await timed(rounds * writes, storage, async (time) => {
    state = AgentState.withUserMessage(state, 'One more message of some words.');
    const next = record(state);
    version = await time(() => store.save(next, { expectedVersion: version }));
  });
  let number = 0;
  const append = await timed(rounds * writes, storage, async (time) => {
    const options = {
      expectedVersion: version,
      journalId: 'journal',
      events: [addMessage(++number)],
    };
    version = await time(() => store.append(benchId, options));
  });
  const plain = JSON.stringify(AgentState.messages(start));
  const [floorMs, loadMs] = await sideBySide(size > 10_000 ? rounds : rounds * 30, [
    () => void JSON.parse(plain),
    () => localStorageSessions({ storage }).load(benchId),
  ]);
  return { size, saveMs, saveBytes, appendMs: append.saveMs, loadMs, floorMs, bytes: storage.stored() };
}

type Time = <Value>(act: () => Promise<Value>) => Promise<Value>;

/** Medians of the times and the written size of each round. */
async function timed(
  rounds: number,
  storage: CountingStorage,
  round: (time: Time) => Promise<void>,
): Promise<{ saveMs: number; saveBytes: number }> {
  const [times, written]: [number[], number[]] = [[], []];
  for (let at = 0; at < rounds; at++) {
    await round(async (act) => {
      const before = storage.written();
      const startedAt = performance.now();
      const value = await act();
      times.push(performance.now() - startedAt);
      written.push(storage.written() - before);
      return value;
    });
  }
  return { saveMs: median(times), saveBytes: median(written) };
}
