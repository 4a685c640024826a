import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KillableChromium, killableChromium } from './killable-chromium.ts';
import type { KillServer } from './serve-kills.ts';
import type {} from './app/client.ts';

export type Spoken = Awaited<ReturnType<typeof globalThis.kills.play>>;
export type Kind = 'indexedDB' | 'localStorage';

/** The outcome of a run whose browser was killed at a point. */
export type Trial = {
  /** The run came to the point; one whose events fell into fewer writes may not. */
  readonly isReached: boolean;
  /** The browser came back without any database: Chromium makes all of them anew when it cannot read their files. */
  readonly isEmptied: boolean;
  /** Messages of the last write that was done which are gone, or stand in another order. */
  readonly lost: number;
  /** Calls of tools of the kind `once` that had their effect more than once. */
  readonly twice: readonly string[];
  /** Calls that are recorded as interrupted. */
  readonly interrupted: number;
  /** Calls that are recorded as done and had no effect. */
  readonly invented: readonly string[];
  /** Messages that are not those of an undisturbed run, but for the results of interrupted calls. */
  readonly different: readonly string[];
};

/** The loss by a kill while text streams. */
export type Loss = {
  /** Words that were said and are not stored. */
  readonly words: number;
  /** Words that were said since the current write began; 0 without one. */
  readonly whileWriting: number;
  /** The message of the person is gone, too. */
  readonly isAll: boolean;
};

/** One profile, in which a browser is killed again and again. */
export type Killing = {
  /** The run as it is when nobody dies, and the points at which somebody could. */
  readonly undisturbed: () => Promise<{ spoken: Spoken; points: readonly { point: string; what: string }[] }>;
  readonly killAt: (point: string, expected: Spoken) => Promise<Trial>;
  /** Kills so many milliseconds after the first word, of which one comes every `everyMs`. */
  readonly killTalking: (afterMs: number, everyMs: number) => Promise<Loss>;
  readonly end: () => Promise<void>;
};

export async function killing(server: KillServer, kind: Kind): Promise<Killing> {
  const profile = await mkdtemp(join(tmpdir(), 'vitrine-profile-'));
  let browser: KillableChromium = await killableChromium(profile);
  let sessions = 0;
  const newKey = (): string => `${kind}-${process.hrtime.bigint().toString(36)}-${++sessions}`;

  async function restart(): Promise<void> {
    await browser.kill();
    browser = await killableChromium(profile);
  }

  async function play(key: string): Promise<Spoken> {
    const page = await browser.open(server.url);
    const spoken = await page.evaluate(([a, b]) => globalThis.kills.play(a, b), [kind, key] as const);
    await page.close();
    return spoken;
  }

  async function hasNoDatabase(): Promise<boolean> {
    const page = await browser.open(server.url);
    const countDatabases = (): Promise<number> =>
      page.evaluate(async () => (await indexedDB.databases()).length);
    let count: number | null = null;
    // Chromium repairs the files of a killed one first, and may refuse to open them meanwhile.
    for (let tries = 0; count === null; tries++) {
      await sleep(tries * 100);
      count = await countDatabases().catch((error: unknown) => {
        if (tries === 15) throw error;
        return null;
      });
    }
    await page.close();
    return count === 0;
  }

  async function undisturbed() {
    const key = newKey();
    const points: { point: string; what: string }[] = [];
    server.listen(key, ({ point, what }) => {
      points.push({ point, what });
      return false;
    });
    return { spoken: await play(key), points };
  }

  async function killAt(point: string, expected: Spoken): Promise<Trial> {
    const key = newKey();
    const isReached = await new Promise<boolean>((resolve) => {
      server.listen(key, (reached) => {
        if (reached.point === point) resolve(true);
        return reached.point === point;
      });
      // The page dies in the middle of it.
      void play(key).then(
        () => resolve(false),
        () => undefined,
      );
    });
    if (isReached) await restart();
    const isEmptied = isReached && (await hasNoDatabase());
    const committed = server.committed(key);
    server.listen(key, () => false);
    const spoken = await play(key);
    return {
      isReached,
      isEmptied,
      ...judge({ committed, spoken, expected, effects: server.effects(key) }),
    };
  }

  async function killTalking(afterMs: number, everyMs: number): Promise<Loss> {
    const key = newKey();
    let saidBefore: number | null = null;
    let isKilled = false;
    server.listen(key, ({ point }) => {
      if (!isKilled) saidBefore = point.endsWith('begun') ? server.said(key).length : null;
      return false;
    });
    const page = await browser.open(server.url);
    void page
      .evaluate(([a, b, c]) => globalThis.kills.talk(a, b, c), [kind, key, everyMs] as const)
      .catch(() => undefined);
    while (server.said(key).length === 0) await sleep(10);
    await sleep(afterMs);
    const said = server.said(key);
    isKilled = true;
    await restart();
    const again = await browser.open(server.url);
    const texts = await again.evaluate(([a, b]) => globalThis.kills.stored(a, b), [kind, key] as const);
    await again.close();
    const stored = texts?.[1] ?? '';
    return {
      words: said.filter((word) => !stored.includes(word)).length,
      whileWriting: saidBefore === null ? 0 : said.length - saidBefore,
      isAll: texts?.[0] !== 'Talk',
    };
  }

  return {
    undisturbed,
    killAt,
    killTalking,
    async end() {
      await browser.kill();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function judge(given: {
  committed: readonly string[];
  spoken: Spoken;
  expected: Spoken;
  effects: ReadonlyMap<string, number>;
}): Omit<Trial, 'isReached' | 'isEmptied'> {
  const { committed, spoken, expected, effects } = given;
  const kept = spoken.map(({ id }) => id).filter((id) => committed.includes(id));
  const different = Array.from({ length: Math.max(spoken.length, expected.length) }, (_, at) => {
    const [found, wanted] = [spoken[at]?.content ?? 'nothing', expected[at]?.content ?? 'nothing'];
    const isSame = found === wanted || (found.endsWith('…') && wanted.startsWith(found.slice(0, -1)));
    return isSame ? [] : [`${found} instead of ${wanted}`];
  }).flat();
  const done = spoken.flatMap(({ content }) => /answers "(\w+) is done"/.exec(content)?.[1] ?? []);
  return {
    lost: committed.filter((id, at) => kept[at] !== id).length,
    twice: [...effects].flatMap(([words, count]) => (count > 1 && words !== 'again' ? [words] : [])),
    interrupted: spoken.flatMap(({ interrupted }) => interrupted).length,
    invented: done.filter((words) => !effects.has(words)),
    different,
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
