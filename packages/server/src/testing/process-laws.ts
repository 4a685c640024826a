import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionHost } from '../host/session-host.ts';
import { anna, done, type HostLaw, type LawContext, pendingIds, until } from './host-law.ts';
import type { LawProcessOptions } from './law-process.ts';

/**
 * A way in which a process ends or stops without a word: by a signal in the middle of an effect, or by a stop in the middle
 * of the transaction in which it takes a session (`transaction`, see {@link LawProcessOptions}).
 */
export type ProcessEnd = 'SIGKILL' | 'SIGSTOP' | 'transaction';

/** Laws of processes that die or stop: 16, 17 and 20. */
export function processLaws(ends: readonly ProcessEnd[]): readonly HostLaw[] {
  return ends.flatMap((end) => {
    if (end === 'transaction') return [stopsInTransaction];
    const takesOver: HostLaw = {
      name: `another process goes on after ${end}, and does no effect again that had begun`,
      keep: async (context) => void (await replace(context, end)),
    };
    return [takesOver, end === 'SIGSTOP' ? comesBack : killsProcesses];
  });
}

/** The law of a host with versions: 22. The host under test and its spawned processes are of the first by default. */
export function versionLaws([, next]: readonly [string, string]): readonly HostLaw[] {
  return [
    {
      name: 'work of a version waits for its processes, and goes to another version when none of them lives',
      async keep(context) {
        const { host } = context;
        const { start, effects } = processesOf(context);
        const old = start({ ms: hour });
        await until(() => old.printedLines().includes('ready'), 'the first process runs sessions', startMs);
        const other = start({ ms: 5, version: next });
        await until(
          () => other.printedLines().includes('ready'),
          'the process of another version is ready',
          startMs,
        );
        await give(host, 'a');
        await until(() => effects().length === 1, 'the first process has begun the effect');
        await give(host, 'b');
        await sleep(3000);
        assert.deepEqual(other.printedLines(), ['ready']);
        old.signal('SIGKILL');
        await until(() => other.printedLines().includes('b'), 'the other version did what was left', startMs);
        assert.deepEqual(effects(), ['s1 a', 's1 b']);
      },
    },
  ];
}

const comesBack: HostLaw = {
  name: 'a stopped process that comes back does nothing more of the sessions that others have',
  async keep(context) {
    const { first, effects } = await replace(context, 'SIGSTOP');
    first.signal('SIGCONT');
    await sleep(2000);
    assert.deepEqual(effects(), ['s1 a', 's1 b']);
  },
};

const stopsInTransaction: HostLaw = {
  name: 'another process goes on when one stops in the middle of taking a session, and everything is done once',
  async keep(context) {
    const { host } = context;
    const { start, effects } = processesOf(context);
    const first = start({ ms: 5, stopsIn: 'transaction' });
    await until(() => first.printedLines().includes('ready'), 'the first process runs sessions', startMs);
    await give(host, 'a');
    await until(() => first.printedLines().includes('stops'), 'the first process has stopped', startMs);
    const second = start({ ms: 5 });
    await until(() => second.printedLines().includes('a'), 'the second process did the command', startMs);
    assert.deepEqual(effects(), ['s1 a']);
  },
};

const killsProcesses: HostLaw = {
  name: 'a session whose runs kill their process three times ends as failed, and the others go on',
  async keep(context) {
    const { host } = context;
    const { start } = processesOf(context);
    const sessions = ['s1', 's2', 's3'];
    await give(host, 'die');
    for (const session of ['s2', 's3']) for (const id of ['a', 'b', 'c']) await give(host, id, session);
    let deaths = 0;
    for (let isOver = false; !isOver;) {
      const process = start({ ms: 200 });
      await until(
        async () => {
          const left = sessions.map((sessionId) => pendingIds(host, { ...anna, sessionId }));
          isOver = (await Promise.all(left)).flat().length === 0;
          return isOver || process.isDead();
        },
        'all commands were answered',
        startMs,
      );
      if (!isOver) deaths++;
    }
    assert.equal(deaths, 3);
    const failed = await host.answerOf(anna, 'die');
    assert(failed !== null && failed !== 'waiting' && failed.error !== null, 'The session was not failed.');
    for (const sessionId of ['s2', 's3'])
      assert.deepEqual(await host.answerOf({ ...anna, sessionId }, 'c'), done);
  },
};

type LawProcess = {
  readonly signal: (name: NodeJS.Signals) => void;
  readonly isDead: () => boolean;
  readonly printedLines: () => readonly string[];
};

/** The processes of a law, and the effects that they have done together, as `session command`. */
function processesOf({ spawn, after }: LawContext): {
  readonly start: (options: Omit<LawProcessOptions, 'log'>) => LawProcess;
  readonly effects: () => readonly string[];
} {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-law-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'log.txt');
  return {
    start(options) {
      const child = spawn?.({ log, ...options });
      assert(child?.stdout, 'The host under test needs `spawn`, with the standard output as a pipe.');
      after(() => void child.kill('SIGKILL'));
      let text = '';
      child.stdout.on('data', (data: Buffer) => (text += data.toString()));
      return {
        signal: (name) => void child.kill(name),
        isDead: () => child.exitCode !== null || child.signalCode !== null,
        printedLines: () => text.split('\n').slice(0, -1),
      };
    },
    effects: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => line.split(' ').slice(2).join(' '))
        : [],
  };
}

/** Ends or stops a process in an effect that it began, and waits until another one does what comes after it. */
async function replace(
  context: LawContext,
  signal: 'SIGKILL' | 'SIGSTOP',
): Promise<{ readonly first: LawProcess; readonly effects: () => readonly string[] }> {
  const { host } = context;
  const { start, effects } = processesOf(context);
  const first = start({ ms: hour });
  await until(() => first.printedLines().includes('ready'), 'the first process runs sessions', startMs);
  await give(host, 'a');
  await until(() => effects().length === 1, 'the first process has begun the effect');
  const second = start({ ms: 5 });
  await sleep(500);
  first.signal(signal);
  await until(() => second.printedLines().includes('a'), 'the second process answered the command', startMs);
  await give(host, 'b');
  await until(() => second.printedLines().includes('b'), 'the second process did the next command');
  assert.deepEqual(effects(), ['s1 a', 's1 b']);
  return { first, effects };
}

const hour = 3_600_000;
const startMs = 60_000;

async function give(host: SessionHost, id: string, sessionId = anna.sessionId): Promise<void> {
  await host.submit({ ...anna, sessionId }, { id, type: 'send' }, 'anna');
}
