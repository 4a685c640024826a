import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Killing, killing, type Loss, type Spoken } from './kill-trials.ts';
import { type KillServer, serveKills } from './serve-kills.ts';
import { table } from './table.ts';

/** The number of kills at every point; 0 means once at some of them. */
const times = Number(process.env['KILLS_PER_POINT'] ?? 0);
/** So many points are tried where not all are. */
const samples = 6;
/** A word is said every 50 ms of the page, and text waits for 2 s of it at most, which are 40 words. */
const [everyMs, longestWait] = [50, 40];
/** Words that the timers of a busy page, and the way of a word to the test, take besides. */
const slack = 15;
const minutes = 60_000;

let server: KillServer;
beforeAll(async () => {
  server = await serveKills();
});
afterAll(() => server.close());

describe('a browser that is killed, with its sessions in IndexedDB', () => {
  let killer: Killing;
  let expected: Spoken;
  let points: readonly { point: string; what: string }[];
  beforeAll(async () => {
    killer = await killing(server, 'indexedDB');
    ({ spoken: expected, points } = await killer.undisturbed());
  });
  afterAll(() => killer.end());

  it('a browser is killed in a run of five steps of tools, two subagents and an approval', () => {
    const contents = expected.map(({ content }) => content).join('\n');
    expect(contents.match(/assistant: .*calls/g)?.length).toBe(5);
    expect(contents.match(/delegate answers "I do it."/g)?.length).toBe(2);
    expect(contents).toContain('pay answers "approved is done"');
    expect(points.length).toBeGreaterThanOrEqual(30);
  });

  it(
    'a killed browser loses no committed message, pays nothing twice, and ends as if nothing had happened, at any point',
    { timeout: Math.max(3, times * 20) * minutes },
    async () => {
      const step = Math.ceil(points.length / samples);
      const chosen = times > 0 ? points : points.filter((_, at) => at % step === 0);
      const rows: (string | number)[][] = [];
      for (const { point, what } of chosen) {
        const trials = [];
        for (let n = 0; n < Math.max(1, times); n++) trials.push(await killer.killAt(point, expected));
        const bad = trials.filter(
          ({ isEmptied, lost, twice, different, invented }) =>
            !isEmptied && lost + twice.length + different.length + invented.length > 0,
        );
        const reached = trials.filter(({ isReached }) => isReached).length;
        const interrupted = trials.reduce((sum, trial) => sum + trial.interrupted, 0);
        const emptied = trials.filter(({ isEmptied }) => isEmptied).length;
        rows.push([point, what, reached, interrupted, emptied, bad.length]);
        // A count that takes an hour says how far it is.
        if (times > 0) process.stdout.write(`${rows.length} of ${chosen.length} points, ${bad.length} bad\n`);
        expect.soft(bad, `${point} ${what}`).toEqual([]);
      }
      const heads = ['point', 'what is written', 'kills', 'calls interrupted', 'emptied by Chromium'];
      table([...heads, 'lost, twice or different'], rows);
      const sum = (column: number): number => rows.reduce((all, row) => all + Number(row[column]), 0);
      expect(sum(2)).toBeGreaterThan(0);
      // Two of 1,900 kills were seen; more would be ours.
      expect(sum(4)).toBeLessThanOrEqual(Math.ceil(sum(2) / 200));
    },
  );

  it(
    'a killed browser loses no more of a streaming answer than the text that waits to be written',
    { timeout: Math.max(2, times) * minutes },
    async () => {
      const losses: Loss[] = [];
      for (let n = 0; n < Math.max(1, times); n++)
        losses.push(await killer.killTalking(2500 + Math.random() * 3000, everyMs));
      tableOfLosses('IndexedDB', losses);
      for (const { words, whileWriting, isAll } of losses) {
        expect(isAll).toBe(false);
        expect(words).toBeLessThanOrEqual(longestWait + whileWriting + slack);
      }
    },
  );
});

describe.runIf(times > 0)('a browser that is killed, with its sessions in localStorage', () => {
  it(
    'a killed browser loses what it has not written to its disk, within the measured bound',
    { timeout: 30 * minutes },
    async () => {
      const killers = await Promise.all([1, 2, 3, 4].map(() => killing(server, 'localStorage')));
      const rounds = Math.ceil(times / killers.length);
      const losses = await Promise.all(
        killers.map(async (killer) => {
          const own: Loss[] = [];
          for (let n = 0; n < rounds; n++)
            own.push(await killer.killTalking(1000 + Math.random() * 55_000, everyMs));
          await killer.end();
          return own;
        }),
      );
      tableOfLosses('localStorage', losses.flat());
      expect(losses.flat().length).toBeGreaterThanOrEqual(times);
    },
  );
});

function tableOfLosses(store: string, losses: readonly Loss[]): void {
  const words = losses.map((loss) => loss.words).toSorted((a, b) => a - b);
  const gone = losses.filter(({ isAll }) => isAll).length;
  table(
    ['text lost while it streams', 'kills', 'median words', 'most words', 'whole session lost'],
    [[store, words.length, words[Math.floor(words.length / 2)] ?? 0, words.at(-1) ?? 0, gone]],
  );
}
