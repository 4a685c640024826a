import { join } from 'node:path';
import { type AgentSession, createAgentSession, definePlugin } from '@vitrine/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { approveOne, serveClerk, type ServedClerk } from './served-clerk.fixture.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

/** A clerk with a plugin that notes what it opens and closes, and fails its first attempts. */
function linedClerk(failures = 0) {
  const log: string[] = [];
  let attempts = 0;
  const plugin = definePlugin({
    id: 'line',
    state: z.unknown(),
    async open({ sessionId }) {
      await Promise.resolve();
      if (attempts++ < failures) throw new Error('no line');
      log.push(`open ${sessionId}`);
      return () => log.push(`close ${sessionId}`);
    },
  });
  const clerk = { ...clerkOf({ deed: () => undefined, pause: pauseFor }), plugins: [plugin] };
  return { agents: { clerk }, log };
}

/** A device of a person that follows a session of the server. */
function device({ remoteOf }: ServedClerk, sessionId = 's1'): AgentSession {
  const remote = remoteOf();
  const session = createAgentSession({ agent: remote.agents.clerk, sessions: remote.sessions, sessionId });
  onTestFinished(async () => void (await session.dispose()));
  return session;
}

describe('a plugin that opens something, on a server', { timeout: 120_000 }, () => {
  it('a plugin is open once for all devices and turns of a session until the server leaves it, and once more for the next turn', async () => {
    const { agents, log } = linedClerk();
    const served = await serveClerk({ agents });
    const [one, two] = [device(served), device(served)];
    const turns = [one.sendMessage('look:a refund:b'), approveOne(two), two.sendMessage('look:c')];
    await Promise.all(turns);
    expect(log[0]).toBe('open s1');
    await vi.waitFor(() => expect(log).toEqual(['open s1', 'close s1']), { timeout: 20_000 });
    const turn = await two.sendMessage('look:d');
    expect(turn).toMatchObject({ outcome: 'completed' });
    await vi.waitFor(() => expect(log).toEqual(['open s1', 'close s1', 'open s1', 'close s1']), {
      timeout: 20_000,
    });
  });

  it('a plugin whose open fails is opened by the next turn, and closed once', async () => {
    const { agents, log } = linedClerk(1);
    const served = await serveClerk({ agents, lingerMs: 60_000 });
    const person = device(served);
    expect((await person.sendMessage('look:a')).error).toMatchObject({ code: 'plugin-failed' });
    expect(await person.retry()).toMatchObject({ outcome: 'completed' });
    expect(await person.sendMessage('look:b')).toMatchObject({ outcome: 'completed' });
    expect(log).toEqual(['open s1']);
    await served.server.stop({ graceMs: 1000 });
    await vi.waitFor(() => expect(log).toEqual(['open s1', 'close s1']), { timeout: 20_000 });
  });

  it('a server that stops closes what its sessions have opened, and the next server opens its own', async () => {
    const path = join(folderOfTest('opened'), 'sessions.db');
    const first = linedClerk();
    const before = await serveClerk({
      agents: first.agents,
      lingerMs: 60_000,
      host: sqliteHost({ path }),
    });
    await device(before, 'a').sendMessage('look:a');
    await device(before, 'b').sendMessage('look:b');
    expect(first.log.toSorted()).toEqual(['open a', 'open b']);
    await before.server.stop({ graceMs: 1000 });
    const closed = ['close a', 'close b', 'open a', 'open b'];
    await vi.waitFor(() => expect(first.log.toSorted()).toEqual(closed), { timeout: 20_000 });
    const next = linedClerk();
    const after = await serveClerk({ agents: next.agents, host: sqliteHost({ path }) });
    expect(await device(after, 'a').sendMessage('look:c')).toMatchObject({ outcome: 'completed' });
    await vi.waitFor(() => expect(next.log).toEqual(['open a', 'close a']), { timeout: 20_000 });
    expect(first.log).toHaveLength(4);
  });
});
