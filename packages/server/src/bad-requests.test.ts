import { createAgentSession } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { proxyMetrics } from '@vitrine/proxy/metrics';
import { describe, expect, it } from 'vitest';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { serveClerk, type ServedClerk } from './served-clerk.fixture.ts';

type Asked = { readonly method?: string; readonly body?: unknown; readonly name?: string };
type Answered = { readonly status: number; readonly problem: Record<string, unknown> };

const commands = '/agents/clerk/sessions/s1/commands';
const send = (id: string, text = 'hello'): object => ({
  type: 'send',
  id,
  message: { text },
  options: {},
  onBusy: 'queue',
});

/** Asks over real HTTP, and reads no more than the head of a stream. */
async function ask(
  { url }: ServedClerk,
  path: string,
  { body, method = body === undefined ? 'GET' : 'POST', name = 'anna' }: Asked = {},
): Promise<Answered> {
  const leaving = new AbortController();
  const response = await fetch(`${url}${path}`, {
    method,
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${name}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  if (headers.get('content-type') === 'text/event-stream') {
    leaving.abort();
    return { status, problem: {} };
  }
  const text = await response.text();
  return { status, problem: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** The command that the first session has taken, once it is answered. */
async function answered(served: ServedClerk, id = 'c1'): Promise<unknown> {
  await expect
    .poll(async () => (await ask(served, `${commands}/${id}`)).problem, { timeout: 10_000 })
    .toHaveProperty('answer');
  return (await ask(served, `${commands}/${id}`)).problem['answer'];
}

const movingOf = async (served: ServedClerk): Promise<unknown> => {
  const bodies: unknown[] = [];
  const session = createAgentSession({
    agent: clerkOf({ deed: () => undefined, pause: pauseFor }),
    sessions: memorySessions(),
    sessionId: 'moving',
  });
  await session.sendMessage('hello');
  const noted: typeof fetch = async (input, init) => {
    if (init?.method !== 'PUT') return fetch(input, init);
    bodies.push(JSON.parse(String(init.body)));
    return new Response('{"code":"full","detail":"Full."}', { status: 403 });
  };
  await session.moveTo(served.remoteOf('anna', noted).sessions).catch(() => undefined);
  await session.dispose();
  return bodies[0];
};

describe('bad requests to a server of agents, over HTTP', () => {
  it('each gets a sentence, and the session that was there is unchanged', async () => {
    const served = await serveClerk({ limits: { commandBytes: 1000, depth: 20 } });
    expect((await ask(served, commands, { body: send('c1') })).status).toBe(202);
    await answered(served);
    await expect
      .poll(async () => (await served.remoteOf().sessions.list()).sessions)
      .toMatchObject([{ id: 's1', executionStatus: 'completed' }]);
    const before = await served.remoteOf().sessions.list();
    const moving = await movingOf(served);
    const decisions = { nothing: { approved: true } };
    const cases: readonly (readonly [string, string, Asked, number, RegExp])[] = [
      ['nobody', '/agents', { name: 'not a name' }, 401, /Sign in first/],
      ['an unknown agent', '/agents/clark/sessions/s1/events', {}, 404, /no such agent\. It has: clerk/],
      ['a foreign owner', `${commands}?owner=ben`, { body: send('c2') }, 404, /does not exist for you/],
      ['a foreign stream', '/agents/clerk/sessions/s1/events?owner=ben', {}, 404, /does not exist for you/],
      ['an unknown command', `${commands}/none`, {}, 404, /No command of this session has that id/],
      ['a command with a function', commands, { body: { type: 'update', id: 'c2' } }, 400, /must be one of/],
      ['new messages', commands, { body: { type: 'setMessages', id: 'c2' } }, 400, /must be one of/],
      [
        'a step of a move',
        commands,
        { body: { type: 'depart', id: 'c2', place: 'x' } },
        400,
        /must be one of/,
      ],
      ['a giver', commands, { body: { type: 'retry', id: 'c2', by: 'ben' } }, 400, /by/],
      ['a large command', commands, { body: send('c2', 'x'.repeat(2000)) }, 413, /takes \d+ bytes or more/],
      ['a deep command', commands, { body: '['.repeat(30) + ']'.repeat(30) }, 400, /not a command/],
      ['another method', commands, { method: 'PATCH', body: {} }, 405, /Use GET/],
      [
        'a move that is none',
        '/agents/clerk/sessions/s2',
        { method: 'PUT', body: {} },
        400,
        /not a session that moves/,
      ],
      [
        'a move over a session',
        '/agents/clerk/sessions/s1',
        { method: 'PUT', body: moving },
        409,
        /has this id here/,
      ],
      [
        'no session to delete',
        '/agents/clerk/sessions/s2',
        { method: 'DELETE' },
        404,
        /does not exist for you/,
      ],
      ['nothing to restore', '/agents/clerk/sessions/s2/restore', { method: 'POST' }, 404, /does not exist/],
    ];
    for (const [what, path, asked, status, sentence] of cases) {
      const found = await ask(served, path, asked);
      expect([what, found.status, found.problem['detail']]).toEqual([
        what,
        status,
        expect.stringMatching(sentence),
      ]);
    }
    // An answer to a call that nobody asked for is a command, and its turn says why it was refused.
    await ask(served, commands, { body: { type: 'answer', id: 'c3', decisions } });
    expect(await answered(served, 'c3')).toMatchObject({
      turn: { status: 'refused', error: { message: expect.stringMatching(/No call "nothing" waits/) } },
    });
    const { sessions } = await served.remoteOf().sessions.list();
    expect(sessions.map(({ id, title, executionStatus }) => [id, title, executionStatus])).toEqual(
      before.sessions.map(({ id, title, executionStatus }) => [id, title, executionStatus]),
    );
  });

  it('a command for a deleted session is refused, and taken again when the session comes back', async () => {
    const served = await serveClerk();
    await ask(served, commands, { body: send('c1') });
    await answered(served);
    expect((await ask(served, '/agents/clerk/sessions/s1', { method: 'DELETE' })).status).toBe(204);
    // While its runner is there, the command is kept, and its turn says the same.
    let at = 0;
    const refused = async (): Promise<unknown> => {
      const { status, problem } = await ask(served, commands, { body: send(`d${at++}`) });
      return [status, problem['detail']];
    };
    await expect
      .poll(refused, { interval: 100 })
      .toEqual([410, expect.stringMatching(/was deleted, so it takes no commands/)]);
    expect((await ask(served, '/agents/clerk/sessions/s1/restore', { method: 'POST' })).status).toBe(204);
    expect((await ask(served, commands, { body: send('c2') })).status).toBe(202);
    expect(await answered(served, 'c2')).toMatchObject({ turn: { status: 'done' } });
  });

  it('a call of a tool that exists nowhere is answered to the model, and the run goes on', async () => {
    const served = await serveClerk();
    await ask(served, commands, { body: send('c1', 'nowhere:a pay:b') });
    expect(await answered(served)).toMatchObject({ turn: { status: 'done', outcome: 'completed' } });
    expect(served.deeds).toEqual(['pay b']);
  });

  it('a person has no more streams, commands and sessions than the quotas and limits say', async () => {
    const served = await serveClerk({
      quotas: { concurrent: 2, requests: { points: 6, seconds: 60 } },
      limits: { sessions: 1 },
    });
    const leaving = new AbortController();
    const follow = async (): Promise<Response> =>
      fetch(`${served.url}/agents/clerk/sessions/s1/events`, {
        signal: leaving.signal,
        headers: { authorization: 'Bearer anna' },
      });
    expect((await follow()).status).toBe(200);
    expect((await follow()).status).toBe(200);
    const third = await follow();
    expect([third.status, await third.json()]).toMatchObject([429, { retryable: true }]);
    // Another person is not affected.
    expect((await ask(served, '/agents/clerk/sessions/s1/events', { name: 'ben' })).status).toBe(200);
    // An open page refuses no command.
    expect((await ask(served, commands, { body: send('c1') })).status).toBe(202);
    leaving.abort();
    await answered(served);
    const other = await ask(served, '/agents/clerk/sessions/s2/commands', { body: send('c2') });
    expect([other.status, other.problem['detail']]).toEqual([
      403,
      expect.stringMatching(/You may keep 1 sessions here\. Delete some that you no longer need/),
    ]);
    let last = await ask(served, commands, { body: send('c3') });
    for (let at = 0; at < 6 && last.status !== 429; at++)
      last = await ask(served, commands, { body: send(`d${at}`) });
    expect([last.status, last.problem['code']]).toEqual([429, 'quota-exceeded']);
    // Without a point left the person ends, answers, reads and deletes.
    const session = '/agents/clerk/sessions/s1';
    const stop = { type: 'stop', id: 'stop', message: 'Enough.' };
    const answer = { type: 'answer', id: 'yes', decisions: { call: { approved: true } } };
    for (const body of [stop, answer]) expect((await ask(served, commands, { body })).status).toBe(202);
    for (const path of [session, '/agents/clerk/sessions', `${commands}/c1`])
      expect((await ask(served, path)).status).toBe(200);
    expect((await ask(served, commands, { body: send('e1') })).status).toBe(429);
    expect((await ask(served, session, { method: 'DELETE' })).status).toBe(204);
  });

  it('metrics tell a scraper with the token of refusals and open streams, and nobody else of anything', async () => {
    const token = 'sixteen-characters-or-more';
    const served = await serveClerk({ metrics: proxyMetrics({ token }) });
    const scraped = async (given: string): Promise<readonly [number, string]> => {
      const headers = { authorization: `Bearer ${given}` };
      const response = await fetch(`${served.url}/metrics`, { headers });
      return [response.status, await response.text()];
    };
    expect((await scraped('anna'))[0]).toBe(401);
    await ask(served, `${commands}/none`);
    const leaving = new AbortController();
    await fetch(`${served.url}/agents/clerk/sessions/s1/events`, {
      signal: leaving.signal,
      headers: { authorization: 'Bearer anna' },
    });
    const [status, figures] = await scraped(token);
    expect(status).toBe(200);
    expect(figures).toContain('vitrine_open_streams 1');
    expect(figures).toContain('vitrine_refusals_total{code="command-not-found"} 1');
    expect(figures).not.toContain('anna');
    leaving.abort();
    await expect.poll(async () => (await scraped(token))[1]).toContain('vitrine_open_streams 0');
  });
});
