import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type AgentSession, createAgentSession, defineTool } from '@vitrine/core';
import { aguiAgent, toAgUi } from '@vitrine/ag-ui';
import type { ScriptedEntry } from '@vitrine/testing';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { double, input, pay, sessionOf } from '@vitrine/testing/internal/bridged-session.fixture';
import { patch } from './json-patch.ts';
import { bodiless, served } from '../../../tests/serve-fetch.ts';

const bad = defineTool({
  name: 'bad',
  description: '',
  input,
  execute: () => Promise.reject(new Error('bad')),
});
function backendOf(script: readonly ScriptedEntry[], more: object = {}): AgentSession {
  return sessionOf(script, { tools: [double, bad, pay], ...more });
}

type Options = Partial<Parameters<typeof aguiAgent>[0]>;

/** A session of ours over a session of ours, over HTTP. */
async function over(backend: AgentSession, options: Options = {}): Promise<AgentSession> {
  const url = await served(toAgUi(backend, { graceMs: 50 }));
  return createAgentSession({ agent: aguiAgent({ url, ...options }), publish: 'immediate' });
}

const stateOf = (session: AgentSession) => session.store.getState().state;
const callsOf = (session: AgentSession) =>
  AgentState.steps(stateOf(session)).flatMap(({ toolExecutions }) => toolExecutions);

/** The messages and the calls of a session, without what only one side can know. */
function said(session: AgentSession): unknown {
  const state = stateOf(session);
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    names.set(id, names.get(id) ?? `call ${names.size}`);
    return String(names.get(id));
  };
  const messages = AgentState.messages(state).map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => {
      const { providerMetadata: _own, ...rest } = part as { providerMetadata?: unknown };
      if (part.type !== 'tool-call' && part.type !== 'tool-result') return rest;
      return { ...rest, toolCallId: nameOf(part.toolCallId), providerCallId: null, durationMs: null };
    }),
  }));
  const calls = callsOf(session)
    .map(({ id, toolCall, status, result = null }) => [
      nameOf(id),
      toolCall.name,
      toolCall.input,
      status,
      result,
    ])
    .toSorted();
  return { messages, calls, steps: AgentState.stepCount(state), status: AgentState.status(state) };
}

describe('scenarios over a session of ours', () => {
  it('a text answer comes with its reasoning', async () => {
    const backend = backendOf([{ reasoning: 'Hm', text: 'Hello there', chunks: 4 }]);
    const session = await over(backend);
    expect(await session.sendMessage('Hi')).toMatchObject({ outcome: 'completed' });
    expect(said(session)).toEqual(said(backend));
  });

  it('three steps with tools are three steps, whose calls ran elsewhere', async () => {
    const backend = backendOf([
      { text: 'First', toolCalls: [{ name: 'double', input: { n: 1 } }] },
      { toolCalls: [{ name: 'double', input: { n: 2 } }] },
      { text: 'Done' },
    ]);
    const session = await over(backend);
    await session.sendMessage('Double');
    expect(said(session)).toEqual(said(backend));
    expect(callsOf(session)).toMatchObject([{ isElsewhere: true }, { isElsewhere: true }]);
  });

  it('parallel calls keep their own results, also failed ones', async () => {
    const calls = [1, 2].map((n) => ({ name: 'double', input: { n } }));
    const backend = backendOf([
      { toolCalls: [...calls, { name: 'bad', input: { n: 3 } }] },
      { text: 'Done' },
    ]);
    const session = await over(backend);
    await session.sendMessage('Double');
    expect(said(session)).toEqual(said(backend));
  });

  it('several approvals wait together, and are approved, edited and rejected', async () => {
    const backend = backendOf([
      { toolCalls: [1, 2, 3].map((n) => ({ name: 'pay', input: { n } })) },
      { text: 'Done' },
    ]);
    const session = await over(backend);
    expect(await session.sendMessage('Pay')).toMatchObject({ status: 'awaiting-input' });
    const waiting = AgentState.pendingApprovals(stateOf(session));
    expect(waiting.map(({ approval }) => approval?.reason)).toEqual(['Pay 1?', 'Pay 2?', 'Pay 3?']);
    const [first, second, third] = waiting.map(({ id }) => id);
    expect(await session.approve(first!)).toMatchObject({ status: 'awaiting-input' });
    expect(await session.reject(third!, { reason: 'no money' })).toMatchObject({ status: 'awaiting-input' });
    expect(AgentState.pendingApprovals(stateOf(backend))).toHaveLength(3);
    await session.approve(second!, { input: { n: 20 } });
    await vi.waitFor(() => expect(session.store.getState().status).toBe('ready'));
    expect(callsOf(session)).toMatchObject([
      { result: { paid: 1 } },
      { result: { paid: 20 } },
      { status: 'rejected' },
    ]);
    expect(said(session)).toEqual(said(backend));
  });

  it('stop ends the request and the run of the backend, and what came stays', async () => {
    const backend = backendOf([{ text: 'word '.repeat(2_000), chunks: 2_000, delayMs: 5 }]);
    const session = await over(backend);
    const turn = session.sendMessage('Write');
    await vi.waitFor(() => expect(AgentState.currentResponse(stateOf(session))).toContain('word word'));
    await session.stop();
    expect(await turn).toMatchObject({ stopReason: 'user-requested' });
    await vi.waitFor(() => expect(AgentState.stopReason(stateOf(backend))).toBe('user-requested'));
    expect(JSON.stringify(AgentState.messages(stateOf(session)))).toContain('word word');
  });

  it('an error of the backend fails the turn, and the next message is answered', async () => {
    const backend = backendOf([{ text: 'Half', error: new Error('gone') }, { text: 'Whole' }]);
    const session = await over(backend);
    expect(await session.sendMessage('Hi')).toMatchObject({
      outcome: 'failed',
      error: { message: expect.stringContaining('gone') },
    });
    expect(await session.sendMessage('Again')).toMatchObject({ outcome: 'completed' });
  });

  it('two turns, an edit and another answer are branches on both sides', async () => {
    const backend = backendOf([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }, { text: 'Four' }]);
    const session = await over(backend);
    await session.sendMessage('first');
    await session.sendMessage('second');
    expect(said(session)).toEqual(said(backend));
    await session.edit(AgentState.messages(stateOf(session))[2]!.id, 'other');
    expect(said(session)).toEqual(said(backend));
    await session.regenerate();
    expect(said(session)).toEqual(said(backend));
    expect(session.store.getState().tree.branches).toHaveLength(2);
    expect(backend.store.getState().tree.branches).toHaveLength(2);
  });
});

const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };
const text = (delta: string, messageId = 'm') => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });

/** A backend that answers its requests with given events, the last of them again and again. */
function playing(...runs: readonly (readonly unknown[])[]) {
  const inputs: Record<string, unknown>[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    inputs.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
    const events = runs[Math.min(inputs.length, runs.length) - 1] ?? [];
    const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    return new Response(data.map((one) => `data: ${one}\n\n`).join(''));
  };
  return {
    inputs,
    agent: (more: Options = {}) => aguiAgent({ url: 'http://localhost/agent', fetch, ...more }),
  };
}

describe('any backend', () => {
  it('random runs give the same messages and calls on both sides', { timeout: 300_000 }, async () => {
    const call = fc.record({
      name: fc.constantFrom('double', 'bad', 'nobody'),
      input: fc.record({ n: fc.nat(9) }),
    });
    const step = fc.record({
      text: fc.string({ maxLength: 8 }),
      reasoning: fc.string({ maxLength: 4 }),
      chunks: fc.integer({ min: 1, max: 3 }),
      toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 3 }), fc.string({ minLength: 1 }), async (steps, end) => {
        const backend = backendOf([...steps, { text: end }]);
        const agent = aguiAgent({ url: 'http://localhost/agent', fetch: toAgUi(backend) });
        const session = createAgentSession({ agent, publish: 'immediate' });
        await session.sendMessage('Go');
        expect(said(session)).toEqual(said(backend));
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 20), endOnFailure: true },
    );
  });

  it('a tool of the client runs here, and the backend is sent its result', async () => {
    const { agent, inputs } = playing(
      [
        started,
        { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'double' },
        { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"n":' },
        { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '4}' },
        { type: 'TOOL_CALL_END', toolCallId: 'c1' },
        finished,
      ],
      [started, text('Eight.'), finished],
    );
    const session = createAgentSession({ agent: agent({ tools: [double] }), publish: 'immediate' });
    await session.sendMessage('Double');
    expect(callsOf(session)).toMatchObject([{ status: 'completed', result: 8 }]);
    expect(inputs[0]?.['tools']).toMatchObject([{ name: 'double', parameters: { type: 'object' } }]);
    expect(inputs[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ id: 'c1' }] },
      { role: 'tool', toolCallId: 'c1', content: '8' },
    ]);
    expect(inputs[0]?.['threadId']).toBe(inputs[1]?.['threadId']);
  });

  it('the state of a backend is kept, changed by its patches, and sent back', async () => {
    const delta = [
      { op: 'add', path: '/list/-', value: 2 },
      { op: 'replace', path: '/name', value: 'b' },
    ];
    const { agent, inputs } = playing(
      [
        started,
        { type: 'STATE_SNAPSHOT', snapshot: { list: [1], name: 'a' } },
        { type: 'STATE_DELTA', delta },
        { type: 'STATE_DELTA', delta: [{ op: 'remove', path: '/missing' }] },
        text('Kept.'),
        finished,
      ],
      [started, text('Again.'), finished],
    );
    const session = createAgentSession({ agent: agent(), publish: 'immediate' });
    await session.sendMessage('One');
    await session.sendMessage('Two');
    expect(inputs[1]?.['state']).toEqual({ list: [1, 2], name: 'b' });
    expect(stateOf(session).plugins['ag-ui']?.data).toMatchObject({
      skipped: { 'STATE_DELTA that does not fit the state': 1 },
    });
  });

  it('messages that a snapshot tells are taken once, whatever part of them is streamed, and before or behind it', async () => {
    type Made = { readonly id: string; readonly role: string; readonly [field: string]: unknown };
    const made = (kinds: readonly string[]): readonly Made[] =>
      kinds.flatMap((kind, at): readonly Made[] => {
        const id = `m${at}`;
        if (kind === 'text') return [{ id, role: 'assistant', content: `Text ${at}` }];
        if (kind === 'reasoning') return [{ id, role: 'reasoning', content: `Thought ${at}` }];
        const toolCalls = [
          { id: `c${at}`, type: 'function', function: { name: 'find', arguments: `{"n":${at}}` } },
        ];
        const result = { id: `r${at}`, role: 'tool', toolCallId: `c${at}` };
        return [
          { id, role: 'assistant', toolCalls },
          kind === 'call'
            ? { ...result, content: `"found ${at}"` }
            : { ...result, content: '', error: `lost ${at}` },
        ];
      });
    const streamed = ({ id, role, content, toolCalls, toolCallId, error }: Made): readonly object[] => {
      if (role === 'tool') {
        const failed = { content: error, metadata: { vitrine: { outcome: 'failed' } } };
        return [
          {
            type: 'TOOL_CALL_RESULT',
            messageId: id,
            toolCallId,
            ...(error === undefined ? { content } : failed),
          },
        ];
      }
      if (toolCalls === undefined) {
        const type = `${role === 'reasoning' ? 'REASONING' : 'TEXT'}_MESSAGE_CONTENT`;
        const [first = '', ...rest] = String(content).split(' ');
        return [first, ` ${rest.join(' ')}`].map((delta) => ({ type, messageId: id, delta }));
      }
      const [call] = toolCalls as readonly { id: string; function: { name: string; arguments: string } }[];
      return [
        { type: 'TOOL_CALL_START', toolCallId: call!.id, toolCallName: 'find', parentMessageId: id },
        { type: 'TOOL_CALL_ARGS', toolCallId: call!.id, delta: call!.function.arguments },
        { type: 'TOOL_CALL_END', toolCallId: call!.id },
      ];
    };
    const outcomeOf = async (events: readonly object[]): Promise<unknown> => {
      const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
        const { messages } = JSON.parse(String(init?.body)) as { messages: object[] };
        const told = [started, ...events, finished].map((event) =>
          'all' in event
            ? { type: 'MESSAGES_SNAPSHOT', messages: [...messages, ...(event.all as object[])] }
            : event,
        );
        return new Response(told.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
      };
      const session = createAgentSession({ agent: aguiAgent({ url: 'http://localhost/agent', fetch }) });
      expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
      expect(stateOf(session).plugins['ag-ui']?.data).toMatchObject({ skipped: {} });
      return said(session);
    };
    const kinds = fc.array(fc.constantFrom('text', 'reasoning', 'call', 'failed'), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(kinds, fc.nat(10), fc.nat(10), async (given, from, renamed) => {
        const messages = made([...given, 'text']);
        const whole = await outcomeOf(messages.flatMap(streamed));
        const cut = from % (messages.length + 1);
        // The messages before the cut are streamed. A snapshot tells the rest, and may name a streamed text anew.
        const snapshot = messages.map((message, at) =>
          at === renamed && at < cut && message['content'] !== undefined
            ? { ...message, id: `other ${at}` }
            : message,
        );
        const before = messages.slice(0, cut).flatMap(streamed);
        expect(await outcomeOf([...before, { all: snapshot }])).toEqual(whole);
        // A backend tells all messages again and again, and streams what the last one lacks.
        const growing = messages.flatMap((_message, at) =>
          at < cut ? [{ all: messages.slice(0, at + 1) }] : [],
        );
        expect(await outcomeOf([...growing, ...messages.slice(cut).flatMap(streamed)])).toEqual(whole);
        expect(await outcomeOf([{ all: messages }, ...messages.slice(cut).flatMap(streamed)])).toEqual(whole);
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 25) },
    );
  });

  it('a question without a call waits for approve, also after a reload', async () => {
    const interrupts = [{ id: 'i1', reason: 'confirmation', message: 'Go on?' }];
    const { agent, inputs } = playing(
      [started, { ...finished, outcome: { type: 'interrupt', interrupts } }],
      [started, text('Gone on.'), finished],
    );
    const before = createAgentSession({ agent: agent(), publish: 'immediate' });
    await before.sendMessage('Go');
    const initialState = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(stateOf(before)))));
    const session = createAgentSession({ agent: agent(), initialState, publish: 'immediate' });
    const [asked] = AgentState.pendingApprovals(stateOf(session));
    expect(asked).toMatchObject({ approval: { reason: 'Go on?' } });
    await session.approve(asked!.id);
    expect(inputs[1]?.['resume']).toEqual([
      { interruptId: 'i1', status: 'resolved', payload: { approved: true } },
    ]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Gone on.');
  });

  it('what is unknown, comes twice or has no begin is counted by name, and the rest is used', async () => {
    const result = { type: 'TOOL_CALL_RESULT', toolCallId: 'c1', messageId: 'm1', content: 'found' };
    const begin = { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'search' };
    const { agent } = playing([
      'no JSON',
      { type: 'NEW_IN_2027' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'none', delta: '{' },
      begin,
      begin,
      result,
      result,
      text('Done.'),
      finished,
    ]);
    const session = createAgentSession({ agent: agent(), publish: 'immediate' });
    expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
    expect(stateOf(session).plugins['ag-ui']?.data).toMatchObject({
      skipped: {
        NEW_IN_2027: 1,
        'TOOL_CALL_ARGS of an unknown call': 1,
        'TOOL_CALL_RESULT of an unknown call': 1,
        'TOOL_CALL_START of a repeated id': 1,
        'no event': 1,
      },
    });
    expect(callsOf(session)).toMatchObject([{ status: 'completed', result: 'found' }]);
  });

  it('streams that are cut, shuffled or doubled end every turn, with a state that can be stored', async () => {
    const whole: readonly unknown[] = [
      started,
      { type: 'STEP_STARTED', stepName: 's' },
      text('One '),
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'search' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      { type: 'TOOL_CALL_RESULT', toolCallId: 'c1', messageId: 'r', content: 'x' },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/a', value: 1 }] },
      text('two', 'm2'),
      { type: 'SUBAGENT_STARTED', subagentRunId: 'a', name: 'helper', parentToolCallId: 'c1' },
      finished,
    ];
    const cuts = whole.map((_event, at) => whole.slice(0, at));
    const damaged = fc.oneof(
      fc.constantFrom(...cuts),
      fc.shuffledSubarray([...whole]),
      fc.array(fc.constantFrom(...whole), { maxLength: 20 }),
    );
    const ends = async (events: readonly unknown[]): Promise<void> => {
      const agent = playing(events).agent({ budget: { maxSteps: 3 } });
      const session = createAgentSession({ agent, publish: 'immediate' });
      const turn = await session.sendMessage('Go');
      expect(turn.status).toBe('done');
      if (!events.includes(finished)) expect(turn.error).toMatchObject({ code: 'stream-incomplete' });
      const state = stateOf(session);
      expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
    };
    for (const cut of cuts) await ends(cut);
    await fc.assert(fc.asyncProperty(damaged, ends), { numRuns: Number(process.env['PROVE_RUNS'] ?? 20) });
  });

  it('an address without a backend fails the turn with a sentence that says what to check', async () => {
    const session = createAgentSession({ agent: aguiAgent({ url: 'http://127.0.0.1:9/agent' }) });
    expect((await session.sendMessage('Go')).error?.message).toMatch(
      /127\.0\.0\.1:9\/agent gave no whole answer: fetch failed\. See that it runs and speaks AG-UI/,
    );
  });

  it('a backend that is asked by a fetch without body streams fails the turn with the fetch to take', async () => {
    const fetch = async (): Promise<Response> => bodiless();
    const session = createAgentSession({ agent: aguiAgent({ url: 'http://localhost/agent', fetch }) });
    expect((await session.sendMessage('Go')).error?.message).toContain(
      'this `fetch` gives no `response.body` to read as it comes; give one that does, in React Native that of `expo/fetch`: `aguiAgent({ url, fetch })`',
    );
  });

  describe('the bounds of a run', () => {
    const mega = 2 ** 20;

    /** The end of a turn over a backend whose answer comes in given pieces, and the session. */
    async function turnOver(pieces: readonly string[], more: Options = {}) {
      const encoder = new TextEncoder();
      let at = 0;
      const fetch = async (): Promise<Response> =>
        new Response(
          new ReadableStream({
            pull(controller) {
              const piece = pieces[at++];
              if (piece === undefined) controller.close();
              else controller.enqueue(encoder.encode(piece));
            },
          }),
        );
      const agent = aguiAgent({ url: 'http://localhost/agent', fetch, ...more });
      const session = createAgentSession({ agent, publish: 'immediate' });
      return { turn: await session.sendMessage('Go'), session };
    }
    const frame = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`;
    const inPieces = (whole: string): string[] => whole.match(/[^]{1,65536}/g) ?? [];

    it('an event of 8 MB is taken, and a longer one fails the turn with a sentence', async () => {
      const ofLength = (length: number): string[] =>
        inPieces(frame(started) + frame(text('x'.repeat(length))) + frame(finished));
      const { session } = await turnOver(ofLength(8 * mega - 1_000));
      // Its text ends where every text of a backend does.
      expect(AgentState.finalResponse(stateOf(session))).toHaveLength(4_000_000);
      const { turn } = await turnOver(ofLength(8 * mega));
      expect(turn.error?.message).toMatch(/has sent an event of more than 8388608 characters\. See/);
    });

    it('a run of more than 64 MB fails the turn with a sentence, and what came before stays', async () => {
      const comments = Array.from({ length: 64 }, () => `:${'x'.repeat(mega - 2)}\n`);
      const { turn, session } = await turnOver([
        frame(started),
        frame(text('Before')),
        ...comments,
        frame(finished),
      ]);
      expect(turn.error?.message).toMatch(/has sent more than 67108864 characters in one run\. See/);
      expect(JSON.stringify(AgentState.messages(stateOf(session)))).toContain('Before');
      const { turn: whole } = await turnOver([frame(started), ...comments.slice(1), frame(finished)]);
      expect(whole.outcome).toBe('completed');
    });

    it('a backend that is silent for idleMs fails the turn with a sentence', async () => {
      const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> =>
        new Response(
          new ReadableStream({
            start: (controller) => {
              init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
              controller.enqueue(new TextEncoder().encode(frame(started)));
            },
          }),
        );
      const { turn } = await turnOver([], { fetch, idleMs: 30 });
      expect(turn.error?.message).toMatch(/has sent nothing for 30 ms\. See/);
    });

    it('a text of a backend ends at 4,000,000 characters, and the rest is counted', async () => {
      const long = text('x'.repeat(1_000_000));
      const { agent } = playing([started, long, long, long, long, long, finished]);
      const session = createAgentSession({ agent: agent(), publish: 'immediate' });
      expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
      expect(AgentState.finalResponse(stateOf(session))).toHaveLength(4_000_000);
      const skipped = { 'TEXT_MESSAGE_CONTENT behind 4000000 characters': 1 };
      expect(stateOf(session).plugins['ag-ui']?.data).toMatchObject({ skipped });
    });

    it('unused events are counted under 100 names of at most 100 characters', async () => {
      const events = Array.from({ length: 150 }, (_, at) => ({ type: `${at}${'x'.repeat(200)}` }));
      const { agent } = playing([started, ...events, text('Done'), finished]);
      const session = createAgentSession({ agent: agent(), publish: 'immediate' });
      await session.sendMessage('Go');
      const data = stateOf(session).plugins['ag-ui']?.data;
      expect(data).toMatchObject({ skipped: { others: 50 } });
      const { skipped } = data as { skipped: Record<string, number> };
      expect(Object.keys(skipped)).toHaveLength(101);
      expect(Math.max(...Object.keys(skipped).map((name) => name.length))).toBe(100);
    });

    it('a patch grows a value by its own size, or to 1 MiB, however often it copies a value into itself', () => {
      const double = { op: 'copy', from: '/a', path: '/a/-' };
      const grown = (ops: readonly object[]) => patch({ a: ['x'.repeat(100)] }, ops);
      expect(JSON.stringify(grown(Array.from({ length: 10 }, () => double))).length).toBeGreaterThan(100_000);
      expect(grown(Array.from({ length: 44 }, () => double))).toBeNull();
      // One patch each, as a backend sends them: the value stops where the next one would be too large.
      let value: JsonValue = { a: [] };
      for (let at = 0; at < 100; at++) value = patch(value, [double])?.value ?? value;
      expect(JSON.stringify(value).length).toBeLessThan(2 ** 20);
      // A value that is larger already takes what the patch brings.
      const large = { a: ['x'.repeat(2 ** 20)] };
      const text = 'y'.repeat(2 ** 20);
      expect(patch(large, [{ op: 'add', path: '/b', value: text }])?.value).toEqual({ ...large, b: text });
      expect(patch(large, [double])).toBeNull();
      // What is replaced counts no more.
      const over = { op: 'copy', from: '/b', path: '/a' };
      const half = 'z'.repeat(2 ** 18);
      expect(
        patch(
          { b: half },
          Array.from({ length: 9 }, () => over),
        )?.value,
      ).toEqual({ a: half, b: half });
    });

    it('a patch that would copy a wide object for each of its operations is refused before it has', () => {
      const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]));
      const ops = Array.from({ length: 10_000 }, () => ({ op: 'replace', path: '/k1', value: 2 }));
      expect(patch(wide, ops.slice(0, 10))?.value).toEqual({ ...wide, k1: 2 });
      expect(patch(wide, ops)).toBeNull();
    });

    it('a value after random patches is as large as the bound at most, and its patches are those that fit', () => {
      const tokens = fc.constantFrom('', '/a', '/a/-', '/a/0', '/b');
      const operation = fc.oneof(
        fc.record({ op: fc.constantFrom('copy', 'move'), from: tokens, path: tokens }),
        fc.record({
          op: fc.constant('add'),
          path: tokens,
          value: fc.constantFrom<JsonValue>([], {}, 'text'),
        }),
        fc.record({ op: fc.constant('remove'), path: tokens }),
      );
      fc.assert(
        fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
          let value: JsonValue = { a: ['x'.repeat(1000)] };
          for (const one of operations) value = patch(value, [one])?.value ?? value;
          // Escapes and the approximate marks of a list take a little more than is counted.
          expect(JSON.stringify(value).length).toBeLessThanOrEqual(1.1 * 2 ** 20);
        }),
        { numRuns: 300 },
      );
    });

    it('a patch of 10,000 operations is applied, and one of more or with a path of more than 100 steps is not', () => {
      const adds = (count: number) =>
        Array.from({ length: count }, () => ({ op: 'add', path: '/-', value: 1 }));
      expect(patch([], adds(10_000))?.value).toHaveLength(10_000);
      expect(patch([], adds(10_001))).toBeNull();
      const nest = (depth: number): JsonValue => (depth === 0 ? {} : { a: nest(depth - 1) });
      const into = (depth: number) => patch(nest(200), [{ op: 'add', path: '/a'.repeat(depth), value: 1 }]);
      expect(into(100)).not.toBeNull();
      expect(into(101)).toBeNull();
    });
  });
});
