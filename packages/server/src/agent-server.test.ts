import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  AgentState,
  type AgentSession,
  Conversation,
  createAgentSession,
  Message,
  type SessionSnapshot,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { agentServer } from '@vitrine/react/server';
import { expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { freePort } from '../../../tests/servers/test-server.ts';
import type { TestServer } from './agent-server-process.fixture.ts';
import { clerkOf, pauseFor } from './clerk.fixture.ts';

type ServerProcess = { readonly url: string; readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void> };

/** Starts a server over the files of a folder. */
async function startServer(folder: string, port = '0'): Promise<ServerProcess> {
  const script = fileURLToPath(new URL('agent-server-process.fixture.ts', import.meta.url));
  const [path, deeds] = [join(folder, 'sessions.db'), join(folder, 'deeds.txt')];
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ['--conditions=@vitrine/source', script, path, deeds, port],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
  });
  return {
    url,
    async end(signal) {
      child.kill(signal);
      await closed;
    },
  };
}

/** A device of a person: an unchanged session that follows. */
function device(url: string, name = 'anna', sessionId = 's1'): AgentSession {
  const remote = agentServer<TestServer>({ url, headers: () => ({ authorization: `Bearer ${name}` }) });
  const session = createAgentSession({
    agent: remote.agents.clerk,
    sessions: remote.sessions,
    sessionId,
    publish: 'immediate',
  });
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return session;
}

const deedsOf = (folder: string): readonly string[] =>
  existsSync(join(folder, 'deeds.txt'))
    ? readFileSync(join(folder, 'deeds.txt'), 'utf8').trim().split('\n')
    : [];
const textOf = (session: AgentSession): string =>
  Conversation.messages(session.store.getState().state)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('|');
const pendingOf = (session: AgentSession): readonly string[] =>
  AgentState.pendingApprovals(session.store.getState().state).map(({ id }) => id);

it('a run goes on when the laptop that began it is closed, and the phone follows it and approves', async () => {
  const folder = folderOfTest('server');
  const { url } = await startServer(folder);
  const laptop = device(url);
  void laptop.sendMessage('pay:a refund:b');
  await expect.poll(() => laptop.store.getState().status).toBe('streaming');
  await laptop.dispose();
  const phone = device(url);
  await expect.poll(() => pendingOf(phone)).toHaveLength(1);
  expect(deedsOf(folder)).toEqual(['pay a']);
  const [id = ''] = pendingOf(phone);
  const turn = await phone.approve(id);
  expect(turn).toMatchObject({ status: 'done', outcome: 'completed' });
  expect(deedsOf(folder)).toEqual(['pay a', 'refund b']);
  expect(textOf(phone)).toContain('All of it is done');
});

it('a process that waits for another one refuses requests, and goes on with all when that one ends', async () => {
  const folder = folderOfTest('server');
  const first = await startServer(folder);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const second = startServer(folder, String(port));
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      headers: { authorization: 'Bearer anna', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(20_000),
      ...init,
    });
  await expect
    .poll(
      () =>
        ask('/healthz').then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);
  const sessions = '/agents/clerk/sessions';
  const command = { type: 'send', id: 'c1', message: { text: 'pay:z' }, options: {}, onBusy: 'queue' };
  const refusals = await Promise.all([
    ask('/readyz'),
    ask(sessions),
    ask(`${sessions}/s1/events`),
    ask(`${sessions}/s1/commands`, { method: 'POST', body: JSON.stringify(command) }),
  ]);
  for (const response of refusals) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string };
    expect([code, detail.startsWith('Sessions do not run here at the moment: ')]).toEqual([
      'host-not-ready',
      true,
    ]);
    expect(detail).not.toContain(folder);
  }
  const [here, there] = [device(first.url), device(url)];
  const later = there.sendMessage('pay:b');
  expect(await here.sendMessage('pay:a')).toMatchObject({ outcome: 'completed' });
  expect(deedsOf(folder)).toEqual(['pay a']);
  await first.end('SIGTERM');
  await second;
  expect(await later).toMatchObject({ outcome: 'completed' });
  expect(deedsOf(folder)).toEqual(['pay a', 'pay b']);
  expect(textOf(there)).toMatch(/^pay:a\|.*All of it is done\|pay:b\|.*All of it is done$/);
});

it('a session that moves while its server is killed is there once, and nothing is done twice', async () => {
  for (const killMs of [0, 20, 60, 150]) {
    const folder = folderOfTest('server');
    let server = await startServer(folder);
    const { url } = server;
    const deed = (text: string): void => appendFileSync(join(folder, 'deeds.txt'), `${text}\n`);
    const page = createAgentSession({
      agent: clerkOf({ deed, pause: pauseFor }),
      sessions: memorySessions(),
      sessionId: 's1',
    });
    const { sessions } = agentServer<TestServer>({ url, headers: { authorization: 'Bearer anna' } });
    void page.sendMessage('pay:a look:b pay:c refund:d');
    await expect.poll(() => deedsOf(folder)).toContain('pay a');
    const moving = page.moveTo(sessions).catch(() => undefined);
    await pauseFor(killMs);
    await server.end('SIGKILL');
    server = await startServer(folder, new URL(url).port);
    await moving;
    // It is there, or on its way, or was never sent: then it moves now.
    await page.moveTo(sessions);
    const phone = device(url);
    await expect.poll(() => pendingOf(phone), { timeout: 20_000 }).toHaveLength(1);
    expect(await phone.approve(pendingOf(phone)[0] ?? '')).toMatchObject({ outcome: 'completed' });
    const once = deedsOf(folder).filter((line) => !line.startsWith('look'));
    expect(once).toEqual(['pay a', 'pay c', 'refund d']);
    await page.dispose();
    await server.end('SIGTERM');
  }
}, 240_000);

it('two devices see one run live, and both have the same state when it is done', async () => {
  const folder = folderOfTest('server');
  const { url } = await startServer(folder);
  const [laptop, phone] = [device(url), device(url)];
  await expect.poll(() => phone.store.getState().status).toBe('ready');
  const statuses = new Set<string>();
  phone.store.subscribe(({ status }) => statuses.add(status));
  const turn = await laptop.sendMessage('look:a pay:b');
  expect(turn).toMatchObject({ status: 'done', outcome: 'completed', stored: true });
  await expect.poll(() => textOf(phone)).toBe(textOf(laptop));
  expect([...statuses]).toContain('streaming');
  expect([...statuses]).not.toContain('interrupted');
  expect(AgentState.toJSON(phone.store.getState().state)).toEqual(
    AgentState.toJSON(laptop.store.getState().state),
  );
  expect(textOf(phone)).toContain('All of it is done');
});

it('a foreign person sees nothing of a session, whatever its id', async () => {
  const folder = folderOfTest('server');
  const { url } = await startServer(folder);
  const [anna, ben] = [device(url, 'anna'), device(url, 'ben')];
  await anna.sendMessage('secret');
  await expect.poll(() => ben.store.getState().status).toBe('ready');
  await ben.sendMessage('mine');
  expect(textOf(ben)).not.toContain('secret');
  expect(textOf(anna)).not.toContain('mine');
});

it('what is sent while the server is away is given once when it is back', async () => {
  const folder = folderOfTest('server');
  const first = await startServer(folder);
  const phone = device(first.url);
  await expect.poll(() => phone.store.getState().status).toBe('ready');
  await first.end('SIGTERM');
  const sent = phone.sendMessage('pay:a');
  await new Promise((resolve) => setTimeout(resolve, 300));
  await startServer(folder, new URL(first.url).port);
  expect(await sent).toMatchObject({ status: 'done', outcome: 'completed' });
  expect(deedsOf(folder)).toEqual(['pay a']);
  expect(textOf(phone).match(/pay:a/g)).toHaveLength(2);
});

it('a device without a connection knows that nobody runs the session there, and lists what it has not sent', async () => {
  const folder = folderOfTest('server');
  const first = await startServer(folder);
  const phone = device(first.url);
  const shown = (): SessionSnapshot => phone.store.getState();
  await expect.poll(() => shown().where).toBe('server');
  const waits = phone.sendMessage('refund:a');
  await expect.poll(() => pendingOf(phone)).toHaveLength(1);
  await waits;
  expect(shown().unsent).toEqual([]);
  await first.end('SIGKILL');
  await expect.poll(() => shown().where).toBe('nobody');
  // The last state stays: the call can be answered, and the text read.
  expect(shown()).toMatchObject({ status: 'awaiting-input', activity: { type: 'reconnecting' } });
  expect(textOf(phone)).toContain('refund:a');
  const answered = phone.approve(pendingOf(phone)[0] ?? '');
  const sent = phone.sendMessage('look:b');
  const message = { id: expect.any(String) as string, type: 'message', text: 'look:b' };
  await expect.poll(() => shown().unsent).toEqual([{ ...message, type: 'answer', text: '' }, message]);
  await startServer(folder, new URL(first.url).port);
  await Promise.all([answered, sent]);
  expect(shown()).toMatchObject({ where: 'server', activity: { type: 'idle' }, unsent: [] });
  expect(deedsOf(folder)).toEqual(['refund a', 'look b']);
});

it('a device whose server stops in mid run says that it connects again, and then what goes on', async () => {
  const folder = folderOfTest('server');
  const first = await startServer(folder);
  const phone = device(first.url);
  const types: string[] = [];
  phone.store.subscribe(({ activity }) => {
    if (types.at(-1) !== activity.type) types.push(activity.type);
  });
  const sent = phone.sendMessage('look:a');
  await expect.poll(() => types.at(-1), { interval: 5 }).toBe('tool');
  await first.end('SIGKILL');
  await expect.poll(() => types.at(-1)).toBe('reconnecting');
  expect(phone.store.getState().status).toBe('streaming');
  await startServer(folder, new URL(first.url).port);
  expect(await sent).toMatchObject({ outcome: 'completed' });
  expect(types.at(-1)).toBe('idle');
});

it('a device that finds no server says that it connects again, and one that is refused does not', async () => {
  const early = device(`http://127.0.0.1:${await freePort()}`);
  await expect.poll(() => early.store.getState().activity).toEqual({ type: 'reconnecting' });
  expect(early.store.getState()).toMatchObject({ where: 'nobody', error: null });
  const { url } = await startServer(folderOfTest('server'));
  const refused = device(url, 'not a name');
  await expect.poll(() => refused.store.getState().error?.message).toContain('Sign in first');
  await pauseFor(1000);
  expect(refused.store.getState()).toMatchObject({ activity: { type: 'idle' }, where: 'nobody' });
});

const runs = Number(process.env['PROVE_RUNS'] ?? 3);
/** Milliseconds after the message at which the process is killed: in a model call, in a tool, and between. */
const killAfter = (run: number): number => 30 + ((run * 97) % 450);

it('a process that is killed in mid run is replaced: no once tool happens twice and nothing is lost', async () => {
  const folder = folderOfTest('server');
  let server = await startServer(folder);
  const { port } = new URL(server.url);
  const [laptop, phone] = [device(server.url), device(server.url)];
  await expect.poll(() => phone.store.getState().status).toBe('ready');
  for (let run = 0; run < runs; run++) {
    const sent = laptop.sendMessage(`pay:a${run} look:b${run} pay:c${run} refund:d${run}`);
    await new Promise((resolve) => setTimeout(resolve, killAfter(run)));
    await server.end('SIGKILL');
    server = await startServer(folder, port);
    // The message was applied once, and its turn is the same after the kill.
    expect(await sent, `run ${run}`).toMatchObject({ status: 'awaiting-input' });
    // A call that was shown and not stored is taken back, so the device waits for the stored one.
    const [id = ''] = pendingOf(laptop);
    await expect.poll(() => pendingOf(phone), { message: `run ${run}` }).toEqual([id]);
    expect(await phone.approve(id)).toMatchObject({ status: 'done', outcome: 'completed' });
    await expect.poll(() => textOf(laptop)).toBe(textOf(phone));
    expect(AgentState.toJSON(laptop.store.getState().state)).toEqual(
      AgentState.toJSON(phone.store.getState().state),
    );
    const said = Conversation.messages(phone.store.getState().state).filter(({ role }) => role === 'user');
    expect(said).toHaveLength(run + 1);
  }
  const paid = deedsOf(folder).filter((deed) => !deed.startsWith('look'));
  expect(paid).toEqual([...new Set(paid)]);
  for (let run = 0; run < runs; run++) expect(paid).toContain(`refund d${run}`);
});

it('feedback on an answer is kept once, on one device and on the other, also sent twice and over a killed process', async () => {
  const folder = folderOfTest('server');
  let server = await startServer(folder);
  const { url } = server;
  const [laptop, phone] = [device(url), device(url)];
  await laptop.sendMessage('look:a');
  const { id = '' } = Conversation.messages(laptop.store.getState().state).at(-1) ?? {};
  const feedbackOn = ({ store }: AgentSession): unknown => {
    const message = AgentState.messages(store.getState().state).find((one) => one.id === id);
    return message?.metadata;
  };
  const seqOf = ({ store }: AgentSession): number => store.getState().state.seq;
  const before = seqOf(laptop);
  for (const [run, killMs] of [0, 10, 60].entries()) {
    const given = { rating: run % 2 === 0 ? 'down' : 'up', text: `Reason ${run}` } as const;
    const rated = laptop.rate(id, given);
    await pauseFor(killMs);
    await server.end('SIGKILL');
    server = await startServer(folder, new URL(url).port);
    await rated;
    const kept = { feedback: given.rating, feedback_text: given.text, feedback_by: 'anna' };
    for (const one of [laptop, phone])
      await expect.poll(() => feedbackOn(one), { message: `run ${run}` }).toMatchObject(kept);
  }
  const give = async (commandId: string, rating: 'up' | 'down' | null): Promise<void> => {
    const body = JSON.stringify({ type: 'rate', id: commandId, messageId: id, rating });
    const headers = { authorization: 'Bearer anna', 'content-type': 'application/json' };
    const path = `${url}/agents/clerk/sessions/s1/commands`;
    expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(202);
    await expect
      .poll(async () => (await (await fetch(`${path}/${commandId}`, { headers })).json()) as unknown)
      .toHaveProperty('answer.error', null);
  };
  await give('once', 'up');
  await give('later', null);
  await give('once', 'up');
  await expect(laptop.rate('none', { rating: 'up' })).rejects.toThrow(/has no message "none"/);
  await expect.poll(() => feedbackOn(phone)).not.toHaveProperty('feedback');
  // Each of the five is one event of the journal.
  expect(seqOf(phone)).toBe(before + 5);
}, 120_000);

it('a server that stops cuts no tool, and the next process ends the run', async () => {
  const folder = folderOfTest('server');
  const first = await startServer(folder);
  const phone = device(first.url);
  await expect.poll(() => phone.store.getState().status).toBe('ready');
  const sent = phone.sendMessage('pay:a pay:b pay:c');
  await expect.poll(() => phone.store.getState().activity.type, { interval: 5 }).toBe('tool');
  await first.end('SIGTERM');
  await startServer(folder, new URL(first.url).port);
  expect(await sent).toMatchObject({ status: 'done', outcome: 'completed' });
  expect(deedsOf(folder)).toEqual(['pay a', 'pay b', 'pay c']);
  expect(JSON.stringify(AgentState.toJSON(phone.store.getState().state))).not.toContain('interrupted');
});

it('commands reach the server in the order in which a person gave them, also when a request is slow', async () => {
  const { url } = await startServer(folderOfTest('server'));
  let slow = 0;
  const remote = agentServer<TestServer>({
    url,
    headers: { authorization: 'Bearer anna' },
    async fetch(input, init) {
      if (init?.method === 'POST' && slow-- > 0) await new Promise((resolve) => setTimeout(resolve, 300));
      return fetch(input, init);
    },
  });
  const session = createAgentSession({
    agent: remote.agents.clerk,
    sessions: remote.sessions,
    sessionId: 's1',
    publish: 'immediate',
  });
  onTestFinished(async () => void (await session.dispose()));
  await session.sendMessage('hello');
  slow = 1;
  await Promise.all([session.sendMessage('first'), session.sendMessage('second')]);
  const asked = AgentState.messages(session.store.getState().state).filter(({ role }) => role === 'user');
  expect(asked.map(Message.text)).toEqual(['hello', 'first', 'second']);
});
