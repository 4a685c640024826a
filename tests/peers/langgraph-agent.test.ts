// @vitest-environment node
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type AgentSession, createAgentSession } from '@vitrine/core';
import { langGraphAgent } from '@vitrine/langgraph';
import type { AgentState as State } from '../../packages/core/src/graph/types.ts';
import * as AgentState from '../../packages/core/src/run/agent-state.ts';
import { double } from '../../packages/testing/src/bridged-session.fixture.ts';
import { type Answer, servedGraph, type ServedGraph } from './serve-langgraph.ts';

type Options = Partial<Parameters<typeof langGraphAgent>[0]>;
type Peer = ServedGraph & { readonly session: AgentSession };

/** A session over a server of LangGraph.js, whose model follows a script. */
async function over(script: readonly Answer[], helped: readonly Answer[] = []): Promise<Peer> {
  const server = await servedGraph(script, helped);
  return { ...server, session: sessionOver(server.url) };
}

function sessionOver(url: string, more: object = {}): AgentSession {
  return createAgentSession({ agent: langGraphAgent({ url }), publish: 'immediate', ...more });
}

/** The session as another page takes it up. */
function reloaded(state: State, url: string): AgentSession {
  const initialState = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
  return sessionOver(url, { initialState });
}

const call = (name: string, n: number) => ({ name, input: { n } });
const stateOf = (session: AgentSession) => session.store.getState().state;
const callsOf = (session: AgentSession) =>
  AgentState.steps(stateOf(session)).flatMap(({ toolExecutions }) => toolExecutions);
const waitingIn = (session: AgentSession) => AgentState.pendingApprovals(stateOf(session));
const ownOf = (session: AgentSession) => stateOf(session).plugins['langgraph']?.data;
const ready = (session: AgentSession) =>
  vi.waitFor(() => expect(session.store.getState().status).toBe('ready'), { timeout: 10_000 });

/** Role and text of each message of the session, and of those that the model was asked with last. */
const said = (session: AgentSession) =>
  AgentState.messages(stateOf(session)).map(({ role, parts }) => [
    role,
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  ]);
const asked = ({ model }: ServedGraph) => model.asked.at(-1)?.map((message) => [message.type, message.text]);

/** Commands that began or resumed a run. */
const runsOf = ({ requests }: ServedGraph) =>
  requests.filter(({ body }) => /"method":"(run.start|input.respond)"/.test(JSON.stringify(body)));

describe('an agent over a server of LangGraph.js', () => {
  it('a text answer comes with its reasoning and usage', async () => {
    const { session } = await over([{ reasoning: 'Hm', text: 'Hello there friend' }]);
    expect(await session.sendMessage('Hi')).toMatchObject({ outcome: 'completed' });
    expect(AgentState.messages(stateOf(session)).at(-1)?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Hello there friend' },
    ]);
    expect(AgentState.usage(stateOf(session))).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(ownOf(session)).toMatchObject({ skipped: {} });
  });

  it('three steps with tools are three steps, whose calls ran elsewhere', async () => {
    const { session } = await over([
      { text: 'First', calls: [call('double', 1)] },
      { calls: [call('search', 2)] },
      { text: 'Done' },
    ]);
    await session.sendMessage('Go');
    expect([AgentState.stepCount(stateOf(session)), AgentState.finalResponse(stateOf(session))]).toEqual([
      3,
      'Done',
    ]);
    expect(callsOf(session)).toMatchObject([
      { toolCall: { name: 'double', input: { n: 1 } }, result: '2', isElsewhere: true },
      { toolCall: { name: 'search' }, result: { found: [2] }, isElsewhere: true },
    ]);
    expect(AgentState.usage(stateOf(session))).toMatchObject({ inputTokens: 30, outputTokens: 15 });
  });

  it('parallel calls keep their own results, also failed ones', async () => {
    const { session } = await over([
      { calls: [call('double', 1), call('bad', 2), call('search', 3)] },
      { text: 'Done' },
    ]);
    await session.sendMessage('Go');
    expect(callsOf(session)).toMatchObject([
      { status: 'completed', result: '2' },
      { status: 'failed', error: { message: expect.stringContaining('broken') } },
      { status: 'completed', result: { found: [3] } },
    ]);
    expect(AgentState.stepCount(stateOf(session))).toBe(2);
  });

  it('the one call that asks waits itself, and gets its result when it is approved', async () => {
    const peer = await over([{ calls: [call('pay', 5), call('double', 1)] }, { text: 'Paid' }]);
    const { session } = peer;
    expect(await session.sendMessage('Pay')).toMatchObject({ status: 'awaiting-input' });
    const [waiting] = waitingIn(session);
    expect(waiting).toMatchObject({ toolCall: { name: 'pay' }, approval: { reason: 'Pay 5?' } });
    await session.approve(waiting!.id);
    await ready(session);
    expect(callsOf(session)).toMatchObject([
      { status: 'completed', result: { paid: 5, said: true } },
      { status: 'completed', result: '2' },
    ]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Paid');
    expect(stateOf(session).executionCount).toBe(1);
  });

  it('a rejected call is told to the graph, and edited arguments are its answer', async () => {
    const { session } = await over([
      { calls: [call('pay', 5)] },
      { calls: [call('pay', 6)] },
      { text: 'Done' },
    ]);
    await session.sendMessage('Pay');
    await session.reject(waitingIn(session)[0]!.id, { reason: 'no money' });
    await session.approve(waitingIn(session)[0]!.id, { input: { n: 7 } });
    await ready(session);
    expect(callsOf(session)).toMatchObject([
      { status: 'rejected' },
      // The graph makes the call anew and gives it the answer.
      { status: 'completed', result: { paid: 6, said: { n: 7 } } },
    ]);
  });

  it('calls that the human-in-the-loop middleware asks about are approved, edited and rejected', async () => {
    const { session } = await over([
      { calls: [call('order', 1), call('order', 2), call('order', 3)] },
      { text: 'Done' },
    ]);
    await session.sendMessage('Order');
    const waiting = waitingIn(session);
    expect(waiting.map(({ approval }) => approval?.reason)).toEqual(['Order 1?', 'Order 2?', 'Order 3?']);
    await session.approve(waiting[0]!.id);
    await session.approve(waiting[1]!.id, { input: { n: 20 } });
    await session.reject(waiting[2]!.id, { reason: 'no' });
    await ready(session);
    expect(callsOf(session)).toMatchObject([
      { result: { decided: { decisions: [{ type: 'approve' }] } } },
      {
        result: {
          decided: { decisions: [{ type: 'edit', editedAction: { name: 'order', args: { n: 20 } } }] },
        },
      },
      { status: 'rejected' },
    ]);
  });

  it('questions of which nobody says whose they are wait as calls of their own', async () => {
    const { session } = await over([{ calls: [call('pay', 1), call('pay', 2)] }, { text: 'Done' }]);
    await session.sendMessage('Pay');
    const waiting = waitingIn(session);
    expect(waiting.map(({ toolCall, approval }) => [toolCall.name, approval?.reason])).toEqual([
      ['question', 'Pay 1?'],
      ['question', 'Pay 2?'],
    ]);
    await session.approve(waiting[0]!.id);
    await session.reject(waiting[1]!.id);
    await ready(session);
    const paid = callsOf(session).filter(({ toolCall }) => toolCall.name === 'pay');
    expect(paid).toMatchObject([
      { status: 'interrupted' },
      { status: 'interrupted' },
      { result: { paid: 1, said: true } },
      { result: { paid: 2, said: false } },
    ]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Done');
  });

  it('stop ends the reading and cancels the run, and the next message is answered with both', async () => {
    const peer = await over([{ text: 'word '.repeat(200), delayMs: 10 }, { text: 'Fine' }]);
    const { session, requests } = peer;
    const turn = session.sendMessage('Write');
    await vi.waitFor(() => expect(AgentState.currentResponse(stateOf(session))).toContain('word word'));
    await session.stop();
    expect(await turn).toMatchObject({ stopReason: 'user-requested' });
    await vi.waitFor(() => expect(requests.at(-1)?.path).toMatch(/\/runs\/.+\/cancel$/));
    expect(await session.sendMessage('Shorter')).toMatchObject({ outcome: 'completed' });
    expect(asked(peer)).toMatchObject([
      ['human', 'Write'],
      ['ai', expect.stringContaining('word word')],
      ['human', 'Shorter'],
    ]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Fine');
  });

  it('an error of the graph fails the turn, and the next message is answered', async () => {
    const { session } = await over([{ text: 'Half', error: 'gone' }, { text: 'Whole' }]);
    expect(await session.sendMessage('Hi')).toMatchObject({
      outcome: 'failed',
      error: { message: expect.stringContaining('gone') },
    });
    expect(await session.sendMessage('Again')).toMatchObject({ outcome: 'completed' });
    expect(said(session).at(-1)).toEqual(['assistant', 'Whole']);
  });

  it('two turns, an edit and another answer go on where their branch was', async () => {
    const peer = await over([
      { text: 'One' },
      { text: 'Two' },
      { text: 'Three' },
      { text: 'Four' },
      { text: 'Five' },
    ]);
    const { session } = peer;
    await session.sendMessage('first');
    await session.sendMessage('second');
    expect(asked(peer)).toEqual([
      ['human', 'first'],
      ['ai', 'One'],
      ['human', 'second'],
    ]);
    await session.edit(AgentState.messages(stateOf(session))[2]!.id, 'other');
    expect(asked(peer)).toEqual([
      ['human', 'first'],
      ['ai', 'One'],
      ['human', 'other'],
    ]);
    await session.regenerate();
    expect(asked(peer)).toEqual([
      ['human', 'first'],
      ['ai', 'One'],
      ['human', 'other'],
    ]);
    await session.edit(AgentState.messages(stateOf(session))[0]!.id, 'anew');
    expect(asked(peer)).toEqual([['human', 'anew']]);
    expect(said(session)).toEqual([
      ['user', 'anew'],
      ['assistant', 'Five'],
    ]);
    expect(session.store.getState().tree.branches).toHaveLength(3);
  });

  it('a message to a thread that waits for a person is no answer to it', async () => {
    const peer = await over([{ calls: [call('pay', 5)] }, { text: 'Fine' }]);
    const { session } = peer;
    await session.sendMessage('Pay');
    await session.edit(AgentState.messages(stateOf(session))[0]!.id, 'Do not pay');
    expect(asked(peer)).toEqual([['human', 'Do not pay']]);
    expect(said(session)).toEqual([
      ['user', 'Do not pay'],
      ['assistant', 'Fine'],
    ]);
  });

  it('what the agent behind a call says is left out, and its answer is the result', async () => {
    const { session } = await over(
      [{ calls: [call('delegate', 4)] }, { text: 'Done' }],
      [{ text: 'Secret', calls: [call('double', 4)] }, { text: 'Eight' }],
    );
    await session.sendMessage('Go');
    expect(callsOf(session)).toMatchObject([{ toolCall: { name: 'delegate' }, result: 'Eight' }]);
    expect(JSON.stringify(said(session))).not.toContain('Secret');
    expect(JSON.stringify(ownOf(session))).toContain('of a subagent');
  });
});

describe('a page that is loaded again', () => {
  it('a page that is loaded again in the middle of an answer joins its run, and nothing comes twice', async () => {
    const peer = await over([{ text: 'one two three four five six seven eight nine ten', delayMs: 60 }]);
    void peer.session.sendMessage('Count');
    await vi.waitFor(() => expect(AgentState.currentResponse(stateOf(peer.session))).toContain('three'));
    const session = reloaded(stateOf(peer.session), peer.url);
    await session.resume();
    expect(said(session)).toEqual([
      ['user', 'Count'],
      ['assistant', 'one two three four five six seven eight nine ten'],
    ]);
    expect(peer.model.asked).toHaveLength(1);
    expect(runsOf(peer)).toHaveLength(1);
  });

  it('a page that is loaded again in a later step joins the run behind the steps that it has', async () => {
    const peer = await over([
      { text: 'First', calls: [call('double', 1)] },
      { text: 'one two three four five six', delayMs: 80 },
    ]);
    void peer.session.sendMessage('Count');
    await vi.waitFor(() => expect(AgentState.currentResponse(stateOf(peer.session))).toContain('two'));
    const session = reloaded(stateOf(peer.session), peer.url);
    await session.resume();
    expect(AgentState.stepCount(stateOf(session))).toBe(2);
    expect(callsOf(session)).toMatchObject([{ result: '2' }]);
    expect(said(session).at(-1)).toEqual(['assistant', 'one two three four five six']);
    expect([peer.model.asked.length, runsOf(peer).length]).toEqual([2, 1]);
  });

  it('a run ends as it would have after a reload at every moment, and asks for nothing twice', async () => {
    const peer = await over([
      { text: 'First', calls: [call('double', 1)] },
      { calls: [call('pay', 2)] },
      { text: 'All done' },
    ]);
    const outcome = (session: AgentSession) => [
      said(session),
      callsOf(session).map(({ status, result }) => [status, result]),
    ];
    async function holdsFor(act: () => Promise<unknown>): Promise<void> {
      const states: State[] = [];
      const unsubscribe = peer.session.store.subscribe(({ state }) => void states.push(state));
      await act();
      unsubscribe();
      // Before its first request nothing has been asked for, and a person may take any time.
      const moments = states.filter(
        (state) =>
          AgentState.status(state) === 'in-progress' &&
          AgentState.pendingApprovals(state).length === 0 &&
          JSON.stringify(state).includes('"sent":{'),
      );
      expect(moments.length).toBeGreaterThan(10);
      for (const state of moments) {
        const session = reloaded(state, peer.url);
        await session.resume();
        expect(outcome(session)).toEqual(outcome(peer.session));
      }
    }
    await holdsFor(() => peer.session.sendMessage('Go'));
    expect(waitingIn(peer.session)).toHaveLength(1);
    await holdsFor(async () => {
      await peer.session.approve(waitingIn(peer.session)[0]!.id);
      await ready(peer.session);
    });
    expect(callsOf(peer.session)).toMatchObject([{ result: '2' }, { result: { paid: 2, said: true } }]);
    expect([peer.model.asked.length, runsOf(peer).length]).toEqual([3, 2]);
  }, 120_000);

  it('a page that is loaded again while a person is asked gives the answer once', async () => {
    const peer = await over([{ calls: [call('pay', 5)] }, { text: 'Paid' }]);
    await peer.session.sendMessage('Pay');
    const session = reloaded(stateOf(peer.session), peer.url);
    await session.approve(waitingIn(session)[0]!.id);
    await ready(session);
    expect(callsOf(session)).toMatchObject([{ result: { paid: 5, said: true } }]);
    expect(said(session).at(-1)).toEqual(['assistant', 'Paid']);
    expect(runsOf(peer)).toHaveLength(2);
  });

  it('a page that is loaded again behind an answer on its way joins the run that got it', async () => {
    const peer = await over([{ calls: [call('pay', 5)] }, { text: 'one two three four five', delayMs: 80 }]);
    await peer.session.sendMessage('Pay');
    const before = reloaded(stateOf(peer.session), peer.url);
    void peer.session.approve(waitingIn(peer.session)[0]!.id);
    await vi.waitFor(() => expect(AgentState.currentResponse(stateOf(peer.session))).toContain('two'));
    void before.approve(waitingIn(before)[0]!.id);
    await ready(before);
    expect(callsOf(before)).toMatchObject([{ result: { paid: 5, said: true } }]);
    expect(said(before).at(-1)).toEqual(['assistant', 'one two three four five']);
    expect(runsOf(peer)).toHaveLength(2);
  });

  it('a run that the server no longer tells is said to be lost, and nothing is asked again', async () => {
    const peer = await over([{ text: 'one two three four', delayMs: 60 }, { text: 'Five' }]);
    const turn = peer.session.sendMessage('Count');
    await vi.waitFor(() => expect(AgentState.currentResponse(stateOf(peer.session))).toContain('two'));
    const session = reloaded(stateOf(peer.session), peer.url);
    await turn;
    peer.restart();
    expect((await session.resume()).error?.message).toContain('its server no longer tells how');
    expect(peer.model.asked).toHaveLength(1);
    expect(await session.regenerate()).toMatchObject({ outcome: 'completed' });
    expect(said(session)).toEqual([
      ['user', 'Count'],
      ['assistant', 'Five'],
    ]);
  });

  it('the next message goes on in the thread, also of a server that was started anew', async () => {
    const peer = await over([{ text: 'One' }, { text: 'Two' }]);
    await peer.session.sendMessage('first');
    peer.restart();
    const session = reloaded(stateOf(peer.session), peer.url);
    expect(await session.sendMessage('second')).toMatchObject({ outcome: 'completed' });
    expect(asked(peer)).toEqual([
      ['human', 'first'],
      ['ai', 'One'],
      ['human', 'second'],
    ]);
  });
});

/** A server whose runs tell given events, the last of them again and again. */
function playing(...runs: readonly (readonly object[])[]) {
  const commands: unknown[] = [];
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const { since = 0 } = JSON.parse(String(init?.body ?? '{}')) as { readonly since?: number };
    if (String(url).endsWith('/state'))
      return Response.json({ checkpoint: { checkpoint_id: 'c' }, next: ['n'] });
    if (!String(url).endsWith('/events')) {
      const command = JSON.parse(String(init?.body)) as { readonly method: string };
      if (/^(run.start|input.respond)$/.test(command.method)) commands.push(command);
      return Response.json({ type: 'success', result: {}, meta: { applied_through_seq: 0 } });
    }
    const events = (runs[Math.min(commands.length, runs.length) - 1] ?? []).map((event, at) => ({
      seq: at + 1,
      ...event,
    }));
    const told = events.filter(({ seq }) => seq > since);
    return new Response(told.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  };
  const agent = (more: Options = {}) =>
    langGraphAgent({ url: 'http://localhost', fetch: fetch as never, ...more });
  return { agent, commands };
}

/** The events of a run of the server, as it sent them. */
async function recordRun(script: readonly Answer[]): Promise<readonly { readonly method: string }[]> {
  const { session, sent } = await over(script);
  await session.sendMessage('Go');
  const lines = sent
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice(6)) as { readonly method: string });
}

describe('any server', () => {
  it('streams that are cut, shuffled or doubled end every turn, with a state that can be stored', async () => {
    const whole = await recordRun([
      { text: 'One two', calls: [call('double', 1), call('pay', 2)] },
      { text: 'Done' },
    ]);
    const plain = await recordRun([
      { reasoning: 'Hm', text: 'One', calls: [call('search', 1)] },
      { text: 'Two' },
    ]);
    expect(whole.length + plain.length).toBeGreaterThan(40);
    const without = (events: readonly object[]) => events.map((event) => ({ ...event, seq: undefined }));
    const ends = async (events: readonly object[]): Promise<void> => {
      const agent = playing(events).agent({ budget: { maxSteps: 4 } });
      const session = createAgentSession({ agent, publish: 'immediate' });
      const turn = await session.sendMessage('Go');
      expect(['done', 'awaiting-input']).toContain(turn.status);
      const state = stateOf(session);
      expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
      if (
        !/"namespace":\[\],"[^{]*"data":\{"event":"(completed|failed|interrupted)"/.test(
          JSON.stringify(events),
        )
      )
        expect(turn.error).toMatchObject({ code: 'stream-incomplete' });
    };
    const cuts = [...whole.keys()].map((at) => whole.slice(0, at));
    await Promise.all([...cuts, ...[...plain.keys()].map((at) => plain.slice(0, at))].map(ends));
    const damaged = fc.oneof(
      fc.shuffledSubarray([...whole]),
      fc.array(fc.constantFrom(...whole, ...plain), { maxLength: 40 }).map(without),
    );
    const numRuns = Number(process.env['PROVE_RUNS'] ?? 6);
    await fc.assert(fc.asyncProperty(damaged, ends), { numRuns, endOnFailure: true });
  }, 120_000);

  it('what is unknown or has no begin is counted by name, and the rest is used', async () => {
    const at = (method: string, data: object) => ({ method, params: { namespace: [], data } });
    const { agent } = playing([
      at('lifecycle', { event: 'running' }),
      at('news', {}),
      at('messages', { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'lost' } }),
      at('messages', { event: 'message-start', id: 'm', role: 'ai' }),
      at('messages', { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'Whole' } }),
      at('tools', { event: 'tool-finished', tool_call_id: 'none', output: 1 }),
      at('values', { messages: [], topic: 'tea' }),
      at('lifecycle', { event: 'completed' }),
    ]);
    const session = createAgentSession({ agent: agent(), publish: 'immediate' });
    expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
    expect(AgentState.finalResponse(stateOf(session))).toBe('Whole');
    expect(ownOf(session)).toMatchObject({
      state: { topic: 'tea' },
      skipped: {
        news: 1,
        'messages/content-block-delta without a message': 1,
        'TOOL_CALL_RESULT of an unknown call': 1,
      },
    });
  });

  it('an answer that was cut says so, and an error that is told as JSON is its message', async () => {
    const at = (method: string, data: object) => ({ method, params: { namespace: [], data } });
    const begun = [
      at('messages', { event: 'message-start', id: 'm' }),
      at('messages', { event: 'provider', provider: 'openai', name: 'stream_metadata', payload: {} }),
      at('messages', { event: 'content-block-start', index: 0, content: { type: 'text', text: 'It was a' } }),
    ];
    const error = JSON.stringify({ error: 'Error', message: 'The upstream died.' });
    const { agent } = playing(
      [
        ...begun,
        at('messages', { event: 'message-finish', reason: 'length' }),
        at('lifecycle', { event: 'completed' }),
      ],
      [...begun, at('lifecycle', { event: 'failed', error })],
    );
    const session = createAgentSession({ agent: agent(), publish: 'immediate' });
    await session.sendMessage('Tell');
    expect(AgentState.steps(stateOf(session))[0]?.inferenceResponse?.finishReason).toBe('length');
    expect(ownOf(session)).toMatchObject({ skipped: {} });
    const turn = await session.sendMessage('Again');
    expect(turn.error?.message).toBe('The upstream died.');
  });

  it('a call that the graph leaves open runs here, and the thread gets its result', async () => {
    const events = await recordRun([{ calls: [call('double', 4)] }]);
    const open = events.filter(({ method }) => method !== 'tools').slice(0, -1);
    const end = { method: 'lifecycle', params: { namespace: [], data: { event: 'completed' } } };
    const { agent, commands } = playing([...open, end], [end]);
    const session = createAgentSession({ agent: agent({ tools: [double] }), publish: 'immediate' });
    await session.sendMessage('Double');
    expect(callsOf(session)).toMatchObject([{ status: 'completed', result: 8 }]);
    expect(commands).toMatchObject([
      { params: { input: { messages: [{ type: 'human', content: 'Double' }] } } },
      { params: { input: { messages: [{ type: 'tool', tool_call_id: 'call 1 0', content: '8' }] } } },
    ]);
  });

  it('an address without a server fails the turn with a sentence that says what to check', async () => {
    const session = createAgentSession({ agent: langGraphAgent({ url: 'http://127.0.0.1:9' }) });
    expect((await session.sendMessage('Go')).error?.message).toContain(
      'http://127.0.0.1:9 gave no whole answer: fetch failed.',
    );
  });
});
