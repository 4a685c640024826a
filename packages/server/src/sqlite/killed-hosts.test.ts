import type { ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AgentState, loadedSession, resolveRecord } from '@vitrine/core';
import { expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import type { SessionAddress } from '../host/session-host.ts';
import { spawnFixture } from '../testing/spawn-fixture.fixture.ts';
import { sqliteHost } from './sqlite-host.ts';

/** Processes start slowly on a busy machine. */
const timeout = 300_000;
const startMs = 60_000;
const runs = Number(process.env['PROVE_RUNS'] ?? 3);
const address: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };

type HostProcess = ChildProcessByStdio<null, Readable, null> & { readonly said: () => readonly string[] };

function spawnHost(path: string, log: string, ms: number, mostDeaths = 3): HostProcess {
  return spawnOf('host-process.fixture.ts', [path, log, String(ms), String(mostDeaths)]);
}

function spawnOf(name: string, args: readonly string[]): HostProcess {
  const child = spawnFixture(new URL(name, import.meta.url), args);
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  return Object.assign(child, { said: () => text.split('\n').slice(0, -1) });
}

const ended = (child: HostProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('close', resolve));

it(
  'every kept command is answered once and in order, however often the process is killed',
  { timeout },
  async () => {
    const folder = folderOfTest('host');
    const [path, log] = [join(folder, 'sessions.db'), join(folder, 'log.txt')];
    // It never starts, so it owns nothing: it gives commands, as a web process would.
    const giver = sqliteHost({ path });
    onTestFinished(() => giver.stop({ graceMs: 0 }));
    // More than the processes can do before they are killed, so that each has some left.
    const ids = Array.from({ length: 4 * runs }, (_, i) => `c${String(i).padStart(3, '0')}`);
    for (const id of ids) await giver.submit(address, { id, type: 'send' }, 'anna');
    for (let run = 0; run < runs; run++) {
      const child = spawnHost(path, log, 15, runs + 1);
      await expect
        .poll(() => child.said().length, { interval: 3, timeout: startMs })
        .toBeGreaterThan(1 + (run % 3));
      const over = ended(child);
      child.kill('SIGKILL');
      await over;
      for (const id of ids) await giver.submit(address, { id, type: 'send' }, 'anna');
    }
    const last = spawnHost(path, log, 15, runs + 1);
    await expect.poll(() => giver.pending(address), { timeout: startMs }).toEqual([]);
    const over = ended(last);
    last.kill('SIGTERM');
    await over;
    const done = readFileSync(log, 'utf8').trim().split('\n');
    const order = done.map((line) => line.split(' ')[3]);
    expect(order).toEqual([...new Set(order)]);
    // A kill interrupts one effect at most, between its beginning and its end.
    expect(order.length).toBeGreaterThanOrEqual(ids.length - runs);
    expect(order).toEqual(order.toSorted());
    const epochs = done.map((line) => Number(line.split(' ')[1]));
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  },
);

it(
  'a `once` call is made at most once, and no recorded call again, however often its process is killed',
  { timeout },
  async () => {
    for (let round = 0; round < Math.max(1, runs / 3); round++) {
      const folder = folderOfTest('host');
      const [path, log] = [join(folder, 'sessions.db'), join(folder, 'log.txt')];
      const giver = sqliteHost({ path });
      onTestFinished(() => giver.stop({ graceMs: 0 }));
      await giver.submit(address, { id: 'c1', type: 'send' }, 'anna');
      const kills = 4;
      for (let kill = 0; kill < kills; kill++) {
        const child = spawnOf('paying-process.fixture.ts', [path, log]);
        await expect.poll(() => child.said().length, { interval: 1, timeout: startMs }).toBeGreaterThan(0);
        await new Promise((resolve) => setTimeout(resolve, 10 + ((round * 37 + kill * 23) % 80)));
        const over = ended(child);
        child.kill('SIGKILL');
        await over;
      }
      const last = spawnOf('paying-process.fixture.ts', [path, log]);
      await expect.poll(() => giver.pending(address), { timeout: startMs }).toEqual([]);
      last.kill('SIGKILL');
      const lines = readFileSync(log, 'utf8').trim().split('\n');
      const paid = lines.filter((line) => line.startsWith('paid'));
      expect(paid).toEqual([...new Set(paid)]);
      // A kill interrupts one answer at most, which is then asked for again.
      expect(lines.length - paid.length).toBeLessThanOrEqual(4 + kills);
      const found = loadedSession(await giver.sessions('anna').load(address.sessionId));
      if (found === null) throw new Error('The session is not stored.');
      const { state } = resolveRecord(found);
      expect(AgentState.status(state)).toBe('completed');
      const outcomes = AgentState.steps(state).flatMap(({ toolExecutions }) =>
        toolExecutions.map(({ status, toolCall }) => ({ status, input: JSON.stringify(toolCall.input) })),
      );
      expect(outcomes).toHaveLength(6);
      // A completed call was paid; an interrupted one may have been.
      for (const { status, input } of outcomes)
        if (status === 'completed') expect(paid).toContain(`paid ${input}`);
        else expect(status).toBe('interrupted');
    }
  },
);
