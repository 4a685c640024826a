import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionHost } from '../host/session-host.ts';
import { anna, type HostLaw, type LawContext, until } from './host-law.ts';

/** A signal that ends or stops a process without a word. */
export type DeathSignal = 'SIGKILL' | 'SIGSTOP';

/** Laws of processes that die or stop in the middle of an effect: 16 and 17. */
export function processLaws(signals: readonly DeathSignal[]): readonly HostLaw[] {
  return signals.flatMap((signal) => [
    {
      name: `another process goes on after ${signal}, and does no effect again that had begun`,
      keep: async (context: LawContext) => void (await replace(context, signal)),
    },
    ...(signal === 'SIGSTOP' ? [comesBack] : []),
  ]);
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

type LawProcess = {
  readonly signal: (name: NodeJS.Signals) => void;
  /** The lines that it printed. */
  readonly said: () => readonly string[];
};

/** Ends or stops a process in an effect that it began, and waits until another one does what comes after it. */
async function replace(
  { host, spawn, after }: LawContext,
  signal: DeathSignal,
): Promise<{ readonly first: LawProcess; readonly effects: () => readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-law-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'log.txt');
  const effects = (): readonly string[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(' ').slice(2).join(' '))
      : [];

  function start(ms: number): LawProcess {
    const child = spawn?.({ log, ms });
    assert(child?.stdout, 'The host under test needs `spawn`, with the standard output as a pipe.');
    after(() => void child.kill('SIGKILL'));
    let text = '';
    child.stdout.on('data', (data: Buffer) => (text += data.toString()));
    return { signal: (name) => void child.kill(name), said: () => text.split('\n').slice(0, -1) };
  }

  const hour = 3_600_000;
  const first = start(hour);
  await until(() => first.said().includes('ready'), 'the first process runs sessions', startMs);
  await give(host, 'a');
  await until(() => effects().length === 1, 'the first process has begun the effect');
  const second = start(5);
  await sleep(500);
  first.signal(signal);
  await until(() => second.said().includes('a'), 'the second process answered the command', startMs);
  await give(host, 'b');
  await until(() => second.said().includes('b'), 'the second process did the next command');
  assert.deepEqual(effects(), ['s1 a', 's1 b']);
  return { first, effects };
}

/** The time for a process to start. */
const startMs = 60_000;

async function give(host: SessionHost, id: string): Promise<void> {
  await host.submit(anna, { id, type: 'send' }, 'anna');
}
