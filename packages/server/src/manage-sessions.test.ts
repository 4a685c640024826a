import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  AgentError,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  fold,
} from '@vitrine/core';
import { deleteSession, renameSession, restoreSession } from '@vitrine/persist';
import { agentServer } from '@vitrine/react/server';
import { sessionHub } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { approveOne, pendingOf, serveClerk, type ServedClerk, textOf } from './served-clerk.fixture.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

function follow(served: ServedClerk, sessionId = 's1'): AgentSession {
  const { agents, sessions } = served.remoteOf();
  const session = createAgentSession({ agent: agents.clerk, sessions, sessionId, publish: 'immediate' });
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return session;
}

describe('the sessions of a server in a list', () => {
  it('a session that no page has open is renamed', async () => {
    const served = await serveClerk();
    const phone = follow(served);
    await phone.sendMessage('hello');
    const { sessions } = served.remoteOf();
    await renameSession(sessions, 's1', 'Orders');
    expect((await sessions.list()).sessions).toMatchObject([{ id: 's1', title: 'Orders' }]);
    await expect.poll(() => phone.store.getState().title).toBe('Orders');
  });

  it('a page whose agent is another version than the server runs is answered by the one of the server', async () => {
    const served = await serveClerk();
    const { sessions } = served.remoteOf();
    const agent = defineAgent({
      name: 'clerk',
      version: '7',
      inference: scriptedInference([{ text: 'From the page' }]),
    });
    const page = createAgentSession({ agent, sessions, sessionId: 's1' });
    onTestFinished(async () => void (await page.dispose()));
    expect(await page.sendMessage('hello')).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(textOf(page)).toBe('hello|All of it is done');
    await expect(page.update((state) => state)).rejects.toThrow(
      /the type is "update"; it must be one of send/,
    );
  });

  it('a deleted session leaves the list, stops its run, and every device shows it', async () => {
    const deeds: string[] = [];
    let goOn = (): void => undefined;
    const isDeleted = new Promise<void>((resolve) => (goOn = resolve));
    // The second tool waits, so that the run does not end before the session is deleted.
    const clerk = clerkOf({
      deed: (text) => void deeds.push(text),
      pause: (ms) => (deeds.includes('pay b') ? isDeleted : pauseFor(ms)),
    });
    const served = await serveClerk({ agents: { clerk } });
    const [laptop, phone] = [follow(served), follow(served)];
    const sent = laptop.sendMessage('pay:a pay:b pay:c');
    await expect.poll(() => deeds, { timeout: 10_000 }).toContain('pay b');
    const { sessions } = served.remoteOf();
    await deleteSession(sessions, 's1');
    expect((await sessions.list()).sessions).toEqual([]);
    await expect.poll(() => phone.store.getState().status).toBe('deleted');
    await expect.poll(() => laptop.store.getState().status).toBe('deleted');
    goOn();
    expect(await sent).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
    const refused = await phone.sendMessage('more');
    expect(refused).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
    expect(deeds).toEqual(['pay a', 'pay b']);
  });

  it('a deleted session comes back within 10 seconds, and its run goes on', async () => {
    const served = await serveClerk();
    const phone = follow(served);
    void phone.sendMessage('pay:a look:b look:c');
    await expect.poll(() => served.deeds).toContain('pay a');
    const { sessions } = served.remoteOf();
    await deleteSession(sessions, 's1');
    await expect.poll(() => phone.store.getState().status).toBe('deleted');
    await restoreSession(sessions, 's1');
    await expect.poll(() => textOf(phone), { timeout: 10_000 }).toContain('All of it is done');
    expect(served.deeds.filter((deed) => deed === 'pay a')).toHaveLength(1);
    expect((await sessions.list()).sessions).toMatchObject([{ id: 's1' }]);
  });

  it('an idle session is deleted for a device that follows it', async () => {
    const served = await serveClerk();
    const phone = follow(served);
    await phone.sendMessage('hello');
    await new Promise((resolve) => setTimeout(resolve, 400));
    await deleteSession(served.remoteOf().sessions, 's1');
    await expect.poll(() => phone.store.getState().status).toBe('deleted');
    await restoreSession(served.remoteOf().sessions, 's1');
    await expect.poll(() => phone.store.getState().status).toBe('ready');
    expect(textOf(phone)).toContain('All of it is done');
  });

  it('a device is shown a deletion at whatever moment the process leaves the session', async () => {
    const lingerMs = 150;
    const served = await serveClerk({ lingerMs });
    const { sessions } = served.remoteOf();
    for (let waitMs = lingerMs - 110; waitMs <= lingerMs; waitMs += 10) {
      const id = `s${waitMs}`;
      const phone = follow(served, id);
      await phone.sendMessage('hello');
      await pauseFor(waitMs);
      await deleteSession(sessions, id);
      await expect.poll(() => phone.store.getState().status, { message: id }).toBe('deleted');
    }
  });

  it('a device that was away while a session was erased shows it as deleted, and gets an answer to what it sends', async () => {
    const host = sqliteHost({ path: join(folderOfTest('erased'), 'sessions.db') });
    const served = await serveClerk({ host });
    let away: AbortController | null = null;
    const connection = new AbortController();
    const { agents, sessions } = served.remoteOf('anna', (input, init) => {
      if (away !== null) return Promise.reject(new TypeError('no network'));
      const signals = [connection.signal, ...(init?.signal ? [init.signal] : [])];
      return fetch(input, { ...init, signal: AbortSignal.any(signals) });
    });
    const phone = createAgentSession({ agent: agents.clerk, sessions, sessionId: 's1' });
    onTestFinished(async () => void (await phone.dispose()));
    await phone.sendMessage('hello');
    await expect.poll(() => host.isAwake({ owner: 'anna', agent: 'clerk', sessionId: 's1' })).toBe(false);
    away = connection;
    away.abort();
    await host.sessions('anna').remove('s1');
    away = null;
    Object.defineProperty(connection, 'signal', { value: new AbortController().signal });
    await expect.poll(() => phone.store.getState().status, { timeout: 10_000 }).toBe('deleted');
    expect(await phone.sendMessage('more')).toMatchObject({
      status: 'refused',
      error: { code: 'session-deleted' },
    });
    // A page that comes later is told, too.
    const later = follow(served);
    await expect.poll(() => later.store.getState().status).toBe('deleted');
  });

  it('an approval is kept for the next run when the stored session cannot be read once', async () => {
    const own = sqliteHost({ path: join(folderOfTest('unread'), 'sessions.db') });
    let failures = 0;
    const start: typeof own.start = (run, limits) =>
      own.start((address, lease) => {
        const error = new AgentError('session-storage', 'The connection is lost.');
        const load: typeof lease.sessions.load = async (id) =>
          failures-- > 0 ? { kind: 'unknown', error } : lease.sessions.load(id);
        return run(address, { ...lease, sessions: { ...lease.sessions, load } });
      }, limits);
    const served = await serveClerk({ host: { ...own, start } });
    const phone = follow(served);
    void phone.sendMessage('refund:a');
    await expect.poll(() => pendingOf(phone), { timeout: 10_000 }).toHaveLength(1);
    await expect.poll(() => own.isAwake({ owner: 'anna', agent: 'clerk', sessionId: 's1' })).toBe(false);
    failures = 1;
    expect(await approveOne(phone)).toMatchObject({ outcome: 'completed' });
    expect(served.deeds).toEqual(['refund a']);
  });

  it('a session that is not there is neither renamed nor deleted', async () => {
    const { sessions } = (await serveClerk()).remoteOf();
    await expect(renameSession(sessions, 'none', 'Orders')).rejects.toThrow(/has no session "none"/);
    await expect(deleteSession(sessions, 'none')).rejects.toThrow(/has no session "none"/);
  });

  it('a removed session takes its commands, effects, epochs and wake-ups with it', async () => {
    const path = join(folderOfTest('removed'), 'sessions.db');
    const host = sqliteHost({ path });
    const served = await serveClerk({ host });
    const phone = follow(served);
    await phone.sendMessage('pay:a');
    await host.wakeAt({ owner: 'anna', agent: 'clerk', sessionId: 's1' }, Date.now() + 60_000);
    await expect.poll(() => rowsOf(path)).toEqual({ commands: 1, wakes: 1, epochs: 1, effects: 0 });
    await host.sessions('anna').remove('s1');
    expect(rowsOf(path)).toEqual({ commands: 0, wakes: 0, epochs: 0, effects: 0 });
    const load = await host.sessions('anna').load('s1');
    expect(load).toMatchObject({ kind: 'absent', removedAt: expect.any(Number) });
    expect(load.kind === 'absent' ? load.epoch : 0).toBeGreaterThan(0);
  });
});

function rowsOf(path: string): Record<string, number> {
  const database = new DatabaseSync(path, { readOnly: true });
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS n FROM host_${table}`).get()?.['n']);
  const [commands = 0, wakes = 0, epochs = 0, effects = 0] = ['commands', 'wakes', 'epochs', 'effects'].map(
    count,
  );
  database.close();
  return { commands, wakes, epochs, effects };
}

it('the panel of a device that comes later gets the runs before it, also those in the events that are not folded yet', async () => {
  const served = await serveClerk({ access: ({ id }, { owner }) => id === owner });
  const laptop = follow(served);
  for (const text of ['look:a', 'look:b', 'look:c']) await laptop.sendMessage(text);
  const phone = follow(served);
  await phone.ready;
  await expect.poll(() => textOf(phone)).toContain('look:c');
  const source = sessionHub().sources().at(-1);
  expect(source?.id).toBe('s1');
  const past = await source?.past?.();
  const found = (past?.runs ?? []).map(({ stepExecutions }) => stepExecutions.length);
  expect(found).toEqual([2, 2]);
  const { base, events } = past?.journal ?? { base: phone.store.getState().state, events: [] };
  expect(AgentState.toJSON(fold(base, events))).toEqual(AgentState.toJSON(phone.store.getState().state));
  const other = served.remoteOf('ben');
  await expect(other.sessions.served?.past('s1')).rejects.toMatchObject({ code: 'session-not-found' });
  // What was sent to models is for whom the server lets inspect it.
  const plain = await serveClerk();
  await follow(plain).sendMessage('look:a');
  const refused = plain.remoteOf().sessions.served?.past('s1');
  await expect(refused).rejects.toMatchObject({ code: 'command-not-allowed' });
  // One that begins here is not stored yet.
  const fresh = follow(served, 's2');
  await fresh.ready;
  const sources = sessionHub().sources;
  await expect.poll(() => sources().map(({ id }) => id)).toContain('s2');
  expect(await sources().at(-1)?.past?.()).toBeNull();
});

it('a page learns the versions and the tools of the agents of its server', async () => {
  const served = await serveClerk();
  expect(await served.remoteOf().describe()).toMatchObject([
    { name: 'clerk', version: null, tools: ['pay', 'look', 'refund'], pageTools: [] },
  ]);
  const nobody = agentServer({ url: 'http://127.0.0.1:9' });
  await expect(nobody.describe()).rejects.toThrow(/cannot be reached/);
});
