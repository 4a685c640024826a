import {
  type AgentDefinition,
  type AgentSession,
  AgentState,
  createAgentSession,
  type SessionStore,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { agentServer } from '@vitrine/react/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { dbosHost } from './dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from './dbos/host-databases.fixture.ts';
import { approveOne, pendingOf, serveClerk, type ServedClerk, textOf } from './served-clerk.fixture.ts';

type Page = { readonly session: AgentSession; readonly kill: () => void };

const newDatabase = hostDatabases();
const never = (): Promise<never> => new Promise(() => undefined);

/** A page with the clerk, over a store of this browser. A killed page does and writes nothing more. */
function openPage(
  { deeds }: Pick<ServedClerk, 'deeds'>,
  sessions: SessionStore,
  { sessionId = 's1', resume = true, pace = 1, mayDo = async () => true } = {},
): Page {
  let isDead = false;
  const alive = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (isDead || !(await mayDo())) return never();
    const value = await work();
    return isDead || !(await mayDo()) ? never() : value;
  };
  const agent: AgentDefinition = clerkOf({
    deed: (text) => void (isDead ? undefined : deeds.push(text)),
    pause: (ms) => alive(() => pauseFor(ms * pace)),
  });
  const mortal: SessionStore = {
    ...sessions,
    load: (id) => alive(() => sessions.load(id)),
    save: (...given) => alive(() => sessions.save(...given)),
    takeEpoch: (...given) => alive(() => sessions.takeEpoch(...given)),
    append: (...given) => alive(() => sessions.append(...given)),
  };
  const session = createAgentSession({ agent, sessions: mortal, sessionId, resume, publish: 'immediate' });
  return { session, kill: () => void (isDead = true) };
}

function follow(served: ServedClerk, name = 'anna', sessionId = 's1'): AgentSession {
  const { agents, sessions } = served.remoteOf(name);
  const session = createAgentSession({ agent: agents.clerk, sessions, sessionId, publish: 'immediate' });
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return session;
}

const executionOf = (session: AgentSession): string | undefined =>
  session.store.getState().state.execution?.executionId;

describe('a session that moves from a page to a server', () => {
  it('a session that moves goes on there in mid run under the same execution id, and no call is made twice', async () => {
    const served = await serveClerk();
    // Slow enough that the move comes in the middle of it.
    const { session } = openPage(served, memorySessions(), { pace: 20 });
    const sent = session.sendMessage('pay:a look:b pay:c pay:d pay:e pay:f pay:g refund:h');
    await expect.poll(() => served.deeds).toContain('pay a');
    await session.moveTo(served.remoteOf().sessions);
    const executionId = executionOf(session);
    expect(await sent).toMatchObject({ status: 'moved' });
    expect(session.store.getState()).toMatchObject({
      where: 'server',
      movedTo: { place: `server:${served.url}`, isThere: true },
    });
    const phone = follow(served);
    expect(await approveOne(phone)).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(served.deeds).toEqual([
      'pay a',
      'look b',
      'pay c',
      'pay d',
      'pay e',
      'pay f',
      'pay g',
      'refund h',
    ]);
    expect(executionOf(phone)).toBe(executionId);
    expect(textOf(phone)).toContain('All of it is done');
    const [said] = AgentState.messages(phone.store.getState().state);
    expect(said?.id).toBe(AgentState.messages(session.store.getState().state)[0]?.id);
  });

  it('a session that moved refuses messages here, in a sentence that says where it is, also after a reload', async () => {
    const served = await serveClerk();
    const local = memorySessions();
    const { session } = openPage(served, local);
    await session.sendMessage('hello');
    await session.moveTo(served.remoteOf().sessions);
    const refused = { status: 'refused', error: { code: 'session-moved' } };
    expect(await session.sendMessage('again')).toMatchObject(refused);
    const { session: reloaded } = openPage(served, local);
    await reloaded.ready;
    const turn = await reloaded.sendMessage('again');
    expect(turn).toMatchObject(refused);
    expect(turn.error?.message).toBe(
      `This session moved to server:${served.url} and goes on there. Open it there.`,
    );
    expect(textOf(reloaded)).toContain('All of it is done');
    // The move is over, so asking for it again changes nothing.
    await reloaded.moveTo(served.remoteOf().sessions);
  });

  it('a session that moves takes its queue, its draft, its branches and its files along', async () => {
    const served = await serveClerk();
    const { session } = openPage(served, memorySessions(), { pace: 10 });
    const file = new File(['the bill'], 'bill.txt', { type: 'text/plain' });
    await session.sendMessage({ text: 'first', files: [file] });
    const [said] = AgentState.messages(session.store.getState().state);
    await session.edit(said?.id ?? '', 'first, edited');
    session.setDraft('half a');
    void session.sendMessage('pay:a');
    void session.sendMessage('pay:b');
    await expect.poll(() => served.deeds).toContain('pay a');
    await session.moveTo(served.remoteOf().sessions);
    const phone = follow(served);
    await expect.poll(() => served.deeds, { timeout: 10_000 }).toEqual(['pay a', 'pay b']);
    await expect.poll(() => phone.store.getState().status).toBe('ready');
    expect(phone.store.getState().draft).toBe('half a');
    const edited = AgentState.messages(phone.store.getState().state)[0]?.id ?? '';
    expect(phone.branches(edited).ids).toEqual([said?.id, edited]);
    await phone.switchBranch(said?.id ?? '');
    await expect.poll(() => JSON.stringify(phone.store.getState().state)).toContain('bill.txt');
  });

  it('a call that waits for a person is approved where its session moved', async () => {
    const served = await serveClerk();
    const { session } = openPage(served, memorySessions());
    expect(await session.sendMessage('refund:a')).toMatchObject({ status: 'awaiting-input' });
    await session.moveTo(served.remoteOf().sessions);
    const phone = follow(served);
    expect(await approveOne(phone)).toMatchObject({ status: 'done' });
    expect(served.deeds).toEqual(['refund a']);
    expect(pendingOf(phone)).toEqual([]);
  });
});

it(
  'a session that moves to a server over DBOS goes on there in mid run',
  { timeout: 60_000 },
  async ({ skip }) => {
    const database = await newDatabase();
    if (database === null) return skip(noPostgres);
    const served = await serveClerk({ host: dbosHost({ url: database, version: '1' }) });
    const { session } = openPage(served, memorySessions(), { pace: 5 });
    void session.sendMessage('pay:a look:b pay:c refund:d');
    await expect.poll(() => served.deeds).toContain('pay a');
    await session.moveTo(served.remoteOf().sessions);
    const phone = follow(served);
    expect(await approveOne(phone)).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(served.deeds).toEqual(['pay a', 'look b', 'pay c', 'refund d']);
  },
);

it('a move asks for nothing that a browser would show as an error', async () => {
  const served = await serveClerk();
  const { session } = openPage(served, memorySessions());
  await session.sendMessage('hello');
  const statuses: number[] = [];
  const { sessions } = served.remoteOf('anna', async (...given) => {
    const response = await fetch(...given);
    statuses.push(response.status);
    return response;
  });
  await session.moveTo(sessions);
  expect(statuses).toEqual([200, 204]);
});

describe('a session that cannot move stays where it is', () => {
  type Case = readonly [string, (served: ServedClerk) => SessionStore | Promise<SessionStore>, RegExp];
  const cases: readonly Case[] = [
    ['a person without a sign-in', ({ remoteOf }) => remoteOf('not-a-name!').sessions, /Sign in first/],
    [
      'a server that cannot be reached',
      () => agentServer({ url: 'http://127.0.0.1:1' }).sessions,
      /cannot be reached/,
    ],
    [
      'a session that is there already',
      async (served) => {
        await follow(served).sendMessage('taken');
        return served.remoteOf().sessions;
      },
      /A session has the id "s1" on the server already, so this one stays here/,
    ],
    ['a store of this browser', () => memorySessions(), /this store takes no session that runs/],
    [
      'a session that is too large',
      async () => (await serveClerk({ limits: { sessionBytes: 500 } })).remoteOf().sessions,
      /takes \d+ bytes or more; this server takes 500/,
    ],
    [
      'a person who may not approve',
      async () =>
        (await serveClerk({ access: (_person, _address, act) => act !== 'approve' })).remoteOf().sessions,
      /You may follow this session, but not approve in it/,
    ],
    [
      'a person with too many sessions',
      async () => {
        const full = await serveClerk({ limits: { sessions: 1 } });
        await follow(full, 'anna', 's2').sendMessage('first');
        return full.remoteOf().sessions;
      },
      /You may keep 1 sessions here\. Delete some that you no longer need/,
    ],
  ];

  it.each(cases)('%s is told in a sentence, and the run goes on here', async (_what, placeOf, sentence) => {
    const served = await serveClerk();
    const place = await placeOf(served);
    const { session } = openPage(served, memorySessions());
    const sent = session.sendMessage('pay:a look:b');
    await expect.poll(() => served.deeds).toContain('pay a');
    await expect(session.moveTo(place)).rejects.toThrow(sentence);
    expect(session.store.getState().movedTo).toBeNull();
    expect(await sent).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(served.deeds).toEqual(['pay a', 'look b']);
  });

  it('an agent that the server does not have is named with those that it has', async () => {
    const served = await serveClerk({
      agents: { clerk: clerkOf({ deed: () => undefined, pause: pauseFor }) },
    });
    const agent = { ...clerkOf({ deed: () => undefined, pause: pauseFor }), name: 'clark' };
    const session = createAgentSession({ agent, sessions: memorySessions(), sessionId: 's1' });
    await session.sendMessage('hello');
    await expect(session.moveTo(served.remoteOf().sessions)).rejects.toThrow(/It has: clerk/);
    expect(await session.sendMessage('again')).toMatchObject({ status: 'done' });
  });

  it('a session of a server does not move to a page, because its tools are there', async () => {
    const served = await serveClerk();
    const phone = follow(served);
    await phone.sendMessage('hello');
    await expect(phone.moveTo(memorySessions())).rejects.toThrow(/runs on its server, with tools/);
    expect(await phone.sendMessage('again')).toMatchObject({ status: 'done' });
  });
});

const runs = Number(process.env['PROVE_RUNS'] ?? 4);

it('a page that dies between any two steps of a move leaves one place that runs the session, and loses nothing', async () => {
  const served = await serveClerk();
  for (let run = 0; run < runs; run++) {
    const sessionId = `s${run}`;
    const local = memorySessions();
    let left = Infinity;
    // Every step of the move counts: before it is made, and after it was made and its answer is lost.
    const mayDo = async (): Promise<boolean> => left-- > 0;
    const page = openPage(served, local, { sessionId, mayDo });
    const request: typeof fetch = async (...given) => {
      if (!(await mayDo())) return never();
      const response = await fetch(...given);
      return (await mayDo()) ? response : never();
    };
    void page.session.sendMessage(`pay:a${run} look:b${run} pay:c${run} refund:d${run}`);
    // A message that was never stored dies with its page.
    await expect.poll(async () => (await local.load(sessionId)).kind).toBe('there');
    await pauseFor((run * 53) % 300);
    left = run % 16;
    // A page that dies early is told that its session could not be stored.
    page.session.moveTo(served.remoteOf('anna', request).sessions).catch(() => undefined);
    await expect
      .poll(() => left, { timeout: 5000 })
      .toBeLessThan(0)
      .catch(() => undefined);
    page.kill();
    const second = openPage(served, local, { sessionId });
    await second.session.ready;
    const { movedTo } = second.session.store.getState();
    if (movedTo !== null) await second.session.moveTo(served.remoteOf().sessions);
    const phone = movedTo === null ? second.session : follow(served, 'anna', sessionId);
    expect(await approveOne(phone), `run ${run}`).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(textOf(phone)).toContain('All of it is done');
    const listed = await served.remoteOf().sessions.list();
    expect(listed.sessions.some(({ id }) => id === sessionId)).toBe(movedTo !== null);
    await second.session.dispose();
  }
  const once = served.deeds.filter((deed) => !deed.startsWith('look'));
  expect(once).toEqual([...new Set(once)]);
  for (let run = 0; run < runs; run++) expect(once).toContain(`refund d${run}`);
}, 120_000);
