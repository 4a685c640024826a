import { join } from 'node:path';
import {
  type AgentDefinition,
  AgentState,
  type AgentSession,
  createAgentSession,
  defineAgent,
  defineTool,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import type { Access } from './routes/asked-session.ts';
import { approveOne, pendingOf, serveClerk, type ServedClerk, textOf } from './served-clerk.fixture.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

function follow(served: ServedClerk, name: string, { owner = name, sessionId = 's1' } = {}): AgentSession {
  const remote = served.remoteOf(name);
  const sessions = owner === name ? remote.sessions : remote.sessionsOf(owner);
  const agent = remote.agents.clerk;
  const session = createAgentSession({ agent, sessions, sessionId, publish: 'immediate' });
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return session;
}

/** Ben is a colleague of Anna: he may follow her sessions and approve in them, but not send. Cleo is a stranger. */
const colleagues: Access = ({ id }, { owner }, act) =>
  id === owner ? act !== 'approve' : id === 'ben' && act !== 'command';

describe('the principal of a command', () => {
  it('a tool of the server gets the principal who sent the message, also when another person approves its call', async () => {
    const seen: unknown[] = [];
    const tell = defineTool({
      name: 'tell',
      description: 'Tells for whom it works',
      input: z.object({}),
      needsApproval: true,
      execute: (_input, { principal }) => void seen.push(principal),
    });
    const inference = scriptedInference([{ toolCalls: [{ name: 'tell', input: {} }] }, { text: 'Told' }]);
    const clerk: AgentDefinition = defineAgent({ name: 'clerk', inference, tools: [tell] });
    const served = await serveClerk({ agents: { clerk }, access: colleagues });
    const [anna, ben] = [follow(served, 'anna'), follow(served, 'ben', { owner: 'anna' })];
    const sent = anna.sendMessage('Who am I?');
    await approveOne(ben);
    expect(await sent).toMatchObject({ status: 'awaiting-input', by: 'anna' });
    expect(seen).toEqual([{ id: 'anna' }]);
  });

  it('a tool that runs in a page gets no principal', async () => {
    const seen: unknown[] = [];
    const tell = defineTool({
      name: 'tell',
      description: 'Tells for whom it works',
      input: z.object({}),
      execute: (_input, { principal }) => void seen.push(principal),
    });
    const inference = scriptedInference([{ toolCalls: [{ name: 'tell', input: {} }] }, { text: 'Told' }]);
    const session = createAgentSession({ agent: defineAgent({ name: 'clerk', inference, tools: [tell] }) });
    await session.sendMessage('Who am I?');
    expect(seen).toEqual([null]);
  });

  it('the journal says who sent, who approved and who stopped', async () => {
    const path = join(folderOfTest('principals'), 'sessions.db');
    const host = sqliteHost({ path });
    const served = await serveClerk({ host, access: () => true });
    const [anna, ben] = [follow(served, 'anna'), follow(served, 'ben', { owner: 'anna' })];
    const many = Array.from({ length: 15 }, (_entry, at) => `pay:${at}`);
    void anna.sendMessage(['refund:a', 'pay:b', ...many].join(' '));
    void approveOne(ben);
    await expect.poll(() => served.deeds).toContain('pay b');
    await ben.stop();
    const givenIn = async (): Promise<readonly unknown[]> => {
      const load = await host.sessions('anna').load('s1');
      const events = load.kind === 'there' ? load.session.journal.tail : [];
      return events.flatMap((event) => ('by' in event ? [[event.type, event.by]] : []));
    };
    // The first message is in the snapshot that the first write makes.
    await expect.poll(givenIn).toEqual([
      ['execution-start', 'anna'],
      ['approval-answer', 'ben'],
      ['stop-signal', 'ben'],
    ]);
    const { state } = anna.store.getState();
    expect(AgentState.messages(state)[0]?.metadata).toEqual({ by: 'anna' });
    expect(state.execution?.by).toBe('anna');
    expect(AgentState.stopSignal(state)?.context).toEqual({ by: 'ben' });
    const [call] = state.execution?.stepExecutions[0]?.step.toolExecutions ?? [];
    expect(call?.approval).toMatchObject({ decision: 'approved', by: 'ben' });
  });

  it('a page cannot name a principal, neither in a command nor in a session that moves', async () => {
    const served = await serveClerk();
    const body = { type: 'retry', id: 'c1', by: 'boss' };
    const response = await fetch(`${served.url}/agents/clerk/sessions/s1/commands`, {
      method: 'POST',
      headers: { authorization: 'Bearer anna', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('by') });
    const session = createAgentSession({
      agent: clerkOf({ deed: () => undefined, pause: pauseFor }),
      sessions: memorySessions(),
      sessionId: 's1',
      owner: 'boss',
    });
    await session.sendMessage({ text: 'pay:a', metadata: { by: 'boss' } });
    await session.moveTo(served.remoteOf().sessions);
    const anna = follow(served, 'anna');
    await expect.poll(() => textOf(anna)).toContain('All of it is done');
    expect(JSON.stringify(anna.store.getState().state)).not.toContain('boss');
    expect(await anna.sendMessage('pay:b')).toMatchObject({ by: 'anna' });
  });
});

describe('a session of another owner', () => {
  it('a session of another owner is followed and approved by whom access lets, and commanded by nobody else', async () => {
    const served = await serveClerk({ access: colleagues });
    const [anna, ben] = [follow(served, 'anna'), follow(served, 'ben', { owner: 'anna' })];
    const sent = anna.sendMessage('refund:a');
    await expect.poll(() => pendingOf(ben)).toHaveLength(1);
    const [id = ''] = pendingOf(anna);
    // Four eyes: who sent may not approve.
    expect(await anna.approve(id)).toMatchObject({
      status: 'refused',
      error: { message: expect.stringMatching(/You may follow this session, but not approve in it/) },
    });
    expect(await ben.sendMessage('more')).toMatchObject({
      status: 'refused',
      error: { message: expect.stringMatching(/You may follow this session, but not command in it/) },
    });
    expect(await ben.approve(id)).toMatchObject({ status: 'done' });
    await sent;
    await expect.poll(() => textOf(ben)).toBe(textOf(anna));
  });

  it('a session of another owner looks like a missing one to everybody else, in status, text and size', async () => {
    const served = await serveClerk({ access: colleagues });
    await follow(served, 'anna').sendMessage('hello');
    const paths = ['', '/events', '/commands/c1'];
    const answersOf = async (name: string, sessionId: string): Promise<readonly unknown[]> =>
      Promise.all(
        paths.map(async (path) => {
          const response = await fetch(`${served.url}/agents/clerk/sessions/${sessionId}${path}?owner=anna`, {
            headers: { authorization: `Bearer ${name}` },
          });
          const text = await response.text();
          return [response.status, text.length, text.replace(/"requestId":"[^"]+"/, '')];
        }),
      );
    expect(await answersOf('cleo', 's1')).toEqual(await answersOf('cleo', 's2'));
    expect(await answersOf('ben', 's2')).toEqual(await answersOf('cleo', 's1'));
    const { sessions: shared } = await served.remoteOf('ben').sessionsOf('anna').list();
    expect(shared.map(({ id }) => id)).toEqual(['s1']);
    expect((await served.remoteOf('cleo').sessionsOf('anna').list()).sessions).toEqual([]);
  });

  it('pages of a list of another owner hold what one may see, and their cursors name nothing else', async () => {
    const served = await serveClerk({
      access: ({ id }, { owner, sessionId }) => id === owner || sessionId.startsWith('shared'),
    });
    for (const sessionId of ['shared-1', 'hidden-1', 'shared-2', 'hidden-2'])
      await follow(served, 'anna', { sessionId }).sendMessage('hello');
    const list = served.remoteOf('ben').sessionsOf('anna');
    const ids: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await list.list({ limit: 1, search: 'hello', ...(cursor !== '' && { cursor }) });
      ids.push(...page.sessions.map(({ id }) => id));
      expect(page.cursor ?? '').not.toContain('hidden');
      cursor = page.cursor ?? undefined;
    }
    expect(ids.toSorted()).toEqual(['shared-1', 'shared-2']);
  });

  it('nobody begins a session in the name of another owner', async () => {
    const served = await serveClerk({ access: () => true });
    const response = await fetch(`${served.url}/agents/clerk/sessions/new/commands?owner=anna`, {
      method: 'POST',
      headers: { authorization: 'Bearer ben', 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'retry', id: 'c1' }),
    });
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'session-not-found' }]);
    expect((await served.remoteOf('anna').sessions.list()).sessions).toEqual([]);
  });
});
