import { HttpAgent } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import { EventSchemas as OldEventSchemas } from 'ag-ui-client-0';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AgentSession, createAgentSession, definePlugin, defineTool } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { toAgUi, toAgUiMessages } from '@vitrine/ag-ui';
import type { ScriptedStep } from '@vitrine/testing';
import * as z from 'zod';
import { text as textOf } from '../../packages/core/src/graph/message.ts';
import type { InferenceRequest } from '../../packages/core/src/model/inference-client.ts';
import * as AgentState from '../../packages/core/src/run/agent-state.ts';
import { agentOf } from '../../packages/core/src/run/random-agent.fixture.ts';
import { plan } from '../../packages/core/src/run/random-plan.fixture.ts';
import { scriptedAgent } from '../../packages/testing/src/fixtures.ts';
import {
  answersTo,
  byOwner,
  clients,
  type Event,
  type Frame,
  framesIn,
  joined,
  keptBy,
  type Owned,
  plain,
  shown,
  textOfFrames,
} from './ag-ui-clients.ts';
import { clientMessages } from '../../bridges/ag-ui/src/client-messages.ts';
import { delegatingSession, sessionOf } from '../../packages/testing/src/bridged-session.fixture.ts';
import { served } from '../serve-fetch.ts';

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };

/** A client over HTTP, with the text of each answer as it came. */
async function clientOf(Client: typeof HttpAgent, session: AgentSession, init: object = {}) {
  const url = await served(toAgUi(session, { graceMs: 50 }));
  const answers: Promise<string>[] = [];
  const client = new Client({ url, ...init });
  Object.assign(client, {
    fetch: async (given: string, request: RequestInit) => {
      const response = await fetch(given, request);
      answers.push(
        response
          .clone()
          .text()
          .catch(() => ''),
      );
      return response;
    },
  });
  /** Sends a message of the user, if any, and resolves with the events of the run. */
  async function run(content: string | null, options: object = {}): Promise<Event[]> {
    if (content !== null) client.addMessage({ id: crypto.randomUUID(), role: 'user', content });
    const before = { initialMessages: client.messages, initialState: client.state };
    await client.runAgent(options).catch(() => undefined);
    const frames = framesIn(await answers.at(-1)!);
    for (const { event } of frames) {
      const schema = Client === HttpAgent ? EventSchema : OldEventSchemas;
      expect(schema.safeParse(event), JSON.stringify(event)).toMatchObject({ success: true });
    }
    await expectResumable(Client, session, { url, before, frames, options, after: client });
    return frames.map(({ event }) => event);
  }
  return { client, run, url };
}

type Course = {
  readonly url: string;
  readonly before: object;
  readonly frames: readonly Frame[];
  readonly options: object;
  readonly after: HttpAgent;
};

/** Asserts that a client which is cut off behind any event, and goes on there, has all messages, and the state of one that is not. */
async function expectResumable(
  Client: typeof HttpAgent,
  session: AgentSession,
  course: Course,
): Promise<void> {
  const { url, before, frames, options, after } = course;
  const cuts = frames.slice(0, -1).filter(({ id }, at) => id !== frames[at + 1]?.id);
  for (const { id } of cuts) {
    const told = frames.slice(0, frames.findLastIndex((frame) => frame.id === id) + 1);
    const rest = await restBehind(url, id);
    const body = textOfFrames(told) + rest;
    const client = await joined(Client, body, { before, options });
    const all = clientMessages(stateOf(session), new Map());
    expect([byOwner(client.messages), client.state], body).toEqual([byOwner(all), after.state]);
    expect(framesIn(body).at(-1)?.event.type).toBe(frames.at(-1)?.event.type);
  }
  expect(await restBehind(url, frames.at(-1)?.id ?? '')).toBe('');
}

async function restBehind(url: string, id: string): Promise<string> {
  return (await fetch(url, { headers: { 'last-event-id': id } })).text();
}

const stateOf = (session: AgentSession) => session.store.getState().state;

/** Asserts that a client shows what the session has, apart from its subagents. */
async function expectSame(client: HttpAgent, session: AgentSession): Promise<void> {
  await vi.waitFor(() => expect(session.isSettled()).toBe(true));
  await session.flush();
  const told = toAgUiMessages(stateOf(session));
  const own = keptBy(client, told).filter((one) => (one as Owned).subagentRunId === undefined);
  expect(plain(shown(own))).toEqual(plain(shown(told)));
}

const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type);

let warned: ReturnType<typeof vi.spyOn>;
beforeEach(() => void (warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)));
afterEach(() => {
  // The client tells what it does not know as a warning.
  expect(warned.mock.calls).toEqual([]);
  vi.restoreAllMocks();
});

it('a message that comes before its client has left the last run is answered once it has', async () => {
  const session = sessionOf([{ text: 'word '.repeat(20_000), chunks: 20_000, delayMs: 5 }, { text: 'Here' }]);
  const handle = toAgUi(session, { graceMs: 50 });
  const messages = ['Write', 'Stop that'].map((content, id) => ({ id: `u${id}`, role: 'user', content }));
  const ask = (count: number): Promise<Response> => {
    const body = JSON.stringify({ threadId: 't', runId: `r${count}`, messages: messages.slice(0, count) });
    return handle('https://example.com/agent', { method: 'POST', body });
  };
  const reader = (await ask(1)).body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = ''; !read.includes('word');) read += (await reader.read()).value ?? '';
  const second = await ask(2);
  await reader.cancel();
  expect(await second.text()).toContain('Here');
});

describe.each(clients)('the eight scenarios with the HttpAgent of %s', (_version, Client) => {
  it('a text answer streams with reasoning and usage', async () => {
    const session = sessionOf([{ reasoning: 'Hm', text: 'Hello there', chunks: 4, usage }]);
    const { client, run } = await clientOf(Client, session);
    const events = await run('Hi');
    expect(events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT')).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success' },
      usage: [{ inputTokens: 3, outputTokens: 2 }],
    });
    await expectSame(client, session);
  });

  it('three steps with tools are three steps with calls and results', async () => {
    const session = sessionOf([
      { text: 'First', toolCalls: [{ name: 'double', input: { n: 1 } }] },
      { toolCalls: [{ name: 'double', input: { n: 2 } }] },
      { text: 'Done' },
    ]);
    const { client, run } = await clientOf(Client, session);
    const events = await run('Double');
    expect(typesOf(events).filter((type) => type === 'STEP_FINISHED')).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject([
      { content: '2' },
      { content: '4' },
    ]);
    await expectSame(client, session);
  });

  it('parallel calls keep their own results, also failed ones', async () => {
    const calls = [1, 2].map((n) => ({ name: 'double', input: { n } }));
    const session = sessionOf([
      { toolCalls: [...calls, { name: 'double', input: 'wrong' }, { name: 'nobody', input: {} }] },
      { text: 'Done' },
    ]);
    const { client, run } = await clientOf(Client, session);
    const events = await run('Double');
    const results = events.filter(({ type }) => type === 'TOOL_CALL_RESULT');
    expect(results).toHaveLength(4);
    expect(results.filter(({ metadata }) => JSON.stringify(metadata)?.includes('failed'))).toHaveLength(2);
    await expectSame(client, session);
  });

  it('several approvals are interrupts, which the client approves, edits and rejects', async () => {
    const session = sessionOf([
      { toolCalls: [1, 2, 3].map((n) => ({ name: 'pay', input: { n } })) },
      { text: 'Done' },
    ]);
    const { client, run } = await clientOf(Client, session);
    const asked = await run('Pay');
    const outcome = asked.at(-1)?.['outcome'] as {
      type: string;
      interrupts: { id: string; message: string }[];
    };
    expect(outcome).toMatchObject({ type: 'interrupt' });
    expect(outcome.interrupts.map(({ message }) => message)).toEqual(['Pay 1?', 'Pay 2?', 'Pay 3?']);
    const payloads = [
      { approved: true },
      { approved: true, editedArgs: { n: 20 } },
      { approved: false, reason: 'no money' },
    ];
    const events = await run(null, {
      resume: outcome.interrupts.map(({ id }, at) => ({
        interruptId: id,
        status: 'resolved',
        payload: payloads[at],
      })),
    });
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT').map(({ content }) => content)).toEqual(
      expect.arrayContaining(['{"paid":1}', '{"paid":20}', expect.stringContaining('no money')]),
    );
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    await expectSame(client, session);
  });

  it('abort stops the run, and what came stays', async () => {
    const session = sessionOf([{ text: 'word '.repeat(2_000), chunks: 2_000, delayMs: 5 }]);
    const { client } = await clientOf(Client, session);
    client.addMessage({ id: 'u', role: 'user', content: 'Write' });
    const ended = client.runAgent().catch(() => undefined);
    await vi.waitFor(() => expect(JSON.stringify(client.messages)).toContain('word word'));
    client.abortRun();
    await ended;
    await vi.waitFor(() => expect(stateOf(session).execution).toMatchObject({ status: 'stopped' }));
    expect(AgentState.stopReason(stateOf(session))).toBe('user-requested');
    expect(JSON.stringify(client.messages)).toContain('word word');
  });

  it('a message right after an abort does not wait for the end of the run', async () => {
    const session = sessionOf([
      { text: 'word '.repeat(20_000), chunks: 20_000, delayMs: 5 },
      { text: 'Here' },
    ]);
    const { client, run } = await clientOf(Client, session);
    client.addMessage({ id: 'u', role: 'user', content: 'Write' });
    const ended = client.runAgent().catch(() => undefined);
    await vi.waitFor(() => expect(JSON.stringify(client.messages)).toContain('word word'));
    client.abortRun();
    await ended;
    await run('Stop that');
    expect(client.messages.at(-1)).toMatchObject({ content: 'Here' });
  });

  it('an error of the model is the error of the run, and the next message is answered', async () => {
    const session = sessionOf([{ text: 'Half', error: new Error('gone') }, { text: 'Whole' }]);
    const { client, run } = await clientOf(Client, session);
    const events = await run('Hi');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: expect.stringContaining('gone') });
    await run('Again');
    await expectSame(client, session);
  });

  it('two turns, an edit and another answer are branches of one session', async () => {
    const session = sessionOf([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }, { text: 'Four' }]);
    const { client, run } = await clientOf(Client, session);
    await run('first');
    await run('second');
    await expectSame(client, session);
    client.setMessages(client.messages.slice(0, 2));
    await run('other');
    await expectSame(client, session);
    expect(plain(client.messages)).toMatchObject([
      {},
      { content: 'One' },
      { content: 'other' },
      { content: 'Three' },
    ]);
    client.setMessages(client.messages.slice(0, 3));
    await run(null);
    expect(client.messages.at(-1)).toMatchObject({ content: 'Four' });
    await expectSame(client, session);
    expect(session.store.getState().tree.branches).toHaveLength(2);
  });

  it('a subagent speaks under its own run, and its approval is an interrupt of it', async () => {
    const session = delegatingSession();
    const { client, run } = await clientOf(Client, session);
    const asked = await run('Go');
    const begun = asked.find(({ type }) => type === 'SUBAGENT_STARTED');
    expect(begun).toMatchObject({ name: 'kid' });
    expect(asked.find(({ delta }) => delta === 'I pay')).toMatchObject({
      subagentRunId: begun?.['subagentRunId'],
    });
    expect(asked.find(({ type }) => type === 'SUBAGENT_FINISHED')).toMatchObject({
      outcome: { type: 'suspended' },
    });
    const outcome = asked.at(-1)?.['outcome'] as {
      interrupts: { id: string; subagentRunId: string }[];
    };
    const [interrupt] = outcome.interrupts;
    expect(interrupt?.subagentRunId).toBe(begun?.['subagentRunId']);
    const events = await run(null, {
      resume: [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }],
    });
    expect(events.filter(({ type }) => type.startsWith('SUBAGENT'))).toMatchObject([
      { type: 'SUBAGENT_STARTED' },
      { type: 'SUBAGENT_FINISHED', outcome: { type: 'success' } },
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: 'success' } });
    await expectSame(client, session);
  });
});

describe.each(clients)('the rest of the backend with the HttpAgent of %s', (_version, Client) => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));

  it(
    'random runs are accepted event by event, and the client has the messages of the session',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          const agent = { ...agentOf(planned, new Map()), maxToolCalls: 3 };
          const session = createAgentSession({ agent, publish: 'immediate' });
          const fetch = toAgUi(session) as never;
          const client = new Client({ url: 'http://localhost/agent' });
          Object.assign(client, { fetch });
          client.addMessage({ id: 'u1', role: 'user', content: 'Go' });
          let resume: object[] = [];
          for (let run = 0; run < 40; run++) {
            const { approve, edit } = planned.answers[run % planned.answers.length]!;
            const error: unknown = await client
              .runAgent(resume.length === 0 ? {} : { resume: resume as never })
              .then(
                () => null,
                (thrown: unknown) => thrown,
              );
            expect(String(error)).not.toMatch(/Cannot send|First event/);
            if (AgentState.pendingApprovals(stateOf(session)).length === 0) break;
            resume = answersTo(session, client, approve, edit);
          }
          await expectSame(client, session);
        }),
        { numRuns: Number(process.env['PROVE_RUNS'] ?? 15), endOnFailure: true },
      );
    },
  );

  it('a page that is opened in mid answer joins the run, and a run of another interface', async () => {
    const session = sessionOf([{ text: 'word '.repeat(60), chunks: 60, delayMs: 10 }]);
    const { client, run } = await clientOf(Client, session);
    void session.sendMessage('Write');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('streaming'));
    const events = await run(null);
    expect(typesOf(events).slice(0, 3)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STEP_STARTED']);
    expect(client.messages.at(-1)).toMatchObject({ content: 'word '.repeat(60) });
    await expectSame(client, session);
  });

  it('a page that is opened while a call waits has each message once, and answers the call', async () => {
    const session = sessionOf([
      { text: 'I pay', toolCalls: ['double', 'pay'].map((name) => ({ name, input: { n: 1 } })) },
      { text: 'Done' },
    ]);
    const before = await clientOf(Client, session);
    await before.run('Pay');
    const { threadId } = before.client;
    const { client, run } = await clientOf(Client, session, { threadId });
    await run(null);
    expect(plain(client.messages)).toEqual(plain(before.client.messages));
    await run(null, { resume: answersTo(session, client, true, false) });
    await expectSame(client, session);
  });

  it('a tool that the client runs gets its output from a tool message', async () => {
    const session = sessionOf([{ toolCalls: [{ name: 'ask', input: { n: 1 } }] }, { text: 'Thanks' }]);
    const { client, run } = await clientOf(Client, session);
    const events = await run('Ask me');
    const call = events.find(({ type }) => type === 'TOOL_CALL_START');
    client.addMessage({ id: 'r', role: 'tool', toolCallId: String(call?.['toolCallId']), content: 'blue' });
    await run(null);
    expect(client.messages.at(-1)).toMatchObject({ content: 'Thanks' });
    await expectSame(client, session);
  });

  describe('tools and context of the client', () => {
    const paint = {
      name: 'paint',
      description: 'Paints the page',
      parameters: { type: 'object', properties: { color: { type: 'string' } } },
    };
    const offer = { tools: [paint], context: [{ description: 'The page', value: '{"title":"# Tea"}' }] };
    const red = { name: 'paint', input: { color: 'red' } };

    /** A session that keeps the texts of the messages and the names of the tools of each request. */
    function watchedSession(...steps: ScriptedStep[]) {
      const requests: { readonly texts: readonly string[]; readonly tools: readonly string[] }[] = [];
      const session = sessionOf(
        steps.map((step) => ({ messages, tools }: InferenceRequest) => {
          requests.push({ texts: messages.map(textOf), tools: tools.map(({ name }) => name) });
          return step;
        }),
      );
      return { session, requests };
    }

    it('a call of a tool of the client ends the run, and its result in the next one goes on', async () => {
      const call = { name: 'double', input: { n: 2 } };
      const { session, requests } = watchedSession({ toolCalls: [red, call] }, { text: 'Painted' });
      const { client, run } = await clientOf(Client, session);
      const asked = await run('Paint', offer);
      expect(requests[0]?.tools).toEqual(['double', 'pay', 'ask', 'paint']);
      const toolCallId = asked.find(({ toolCallName }) => toolCallName === 'paint')?.['toolCallId'];
      const outcome = {
        type: 'success',
        ...(Client === HttpAgent ? { pendingToolCallIds: [toolCallId] } : {}),
      };
      expect(asked.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome });
      expect(asked.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject([{ content: '4' }]);
      client.addMessage({ id: 'r', role: 'tool', toolCallId: String(toolCallId), content: 'red now' });
      const events = await run(null, offer);
      expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(client.messages.at(-1)).toMatchObject({ content: 'Painted' });
      await expectSame(client, session);
    });

    it('a call of a tool of the client is answered after a restart of the backend', async () => {
      const { session } = watchedSession({ toolCalls: [red] });
      const { client, run } = await clientOf(Client, session);
      const asked = await run('Paint', offer);
      const toolCallId = asked.find(({ type }) => type === 'TOOL_CALL_START')?.['toolCallId'];
      const again = createAgentSession({
        agent: scriptedAgent([{ text: 'Painted' }]),
        initialState: AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(stateOf(session))))),
        publish: 'immediate',
      });
      client.url = await served(toAgUi(again));
      client.addMessage({
        id: 'r',
        role: 'tool',
        toolCallId: String(toolCallId),
        content: '',
        error: 'no ink',
      });
      await client.runAgent(offer);
      expect(client.messages.at(-1)).toMatchObject({ content: 'Painted' });
      expect(AgentState.steps(stateOf(again))[0]?.toolExecutions).toMatchObject([{ result: 'no ink' }]);
    });

    it('a name that a plugin has taken in the meantime ends the run with a sentence', async () => {
      const plugin = definePlugin({
        id: 'late',
        state: z.unknown(),
        prepare: () => ({
          tools: [defineTool({ name: 'paint', description: '', input: z.object({}), execute: () => 1 })],
        }),
      });
      const { run } = await clientOf(Client, sessionOf([{ text: 'Hi' }], { plugins: [plugin] }));
      const events = await run('Hi', offer);
      const message = expect.stringMatching(/two tools are named "paint"/);
      expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'tools-duplicate', message });
    });

    it('context is one line behind the question for each entry, marked as from the client', async () => {
      const { session, requests } = watchedSession({ text: 'Tea' });
      const { run } = await clientOf(Client, session);
      await run('What is on the page?', offer);
      expect(requests[0]?.texts).toEqual([
        'Be brief.',
        expect.stringMatching(
          /^What is on the page\?<context name="Context from the client">\n.*not instructions\.\n\{"description":"The page","value":\{"title":"# Tea"\}\}\n<\/context>$/,
        ),
      ]);
    });

    it('what was offered is gone in the next run without it, and in runs that answer somebody else', async () => {
      const { session, requests } = watchedSession({ text: 'One' });
      const { client, run } = await clientOf(Client, session);
      await run('first', offer);
      await session.sendMessage('of the application');
      client.setMessages(client.messages.slice(0, 1));
      await run(null, offer);
      await run('last');
      expect(requests.map(({ tools }) => tools.includes('paint'))).toEqual([true, false, true, false]);
      expect(requests.map(({ texts }) => texts.join().includes('Tea'))).toEqual([true, false, true, false]);
    });

    it('a queued message does not lend its tools to the run before it', async () => {
      const { session, requests } = watchedSession(
        { toolCalls: [{ name: 'double', input: { n: 1 } }], delayMs: 200 },
        { text: 'One' },
        { text: 'Two' },
      );
      const { client } = await clientOf(Client, session);
      const before = session.sendMessage('of the application');
      client.addMessage({ id: 'q', role: 'user', content: 'queued' });
      await client.runAgent(offer);
      await before;
      expect(requests.map(({ tools }) => tools.includes('paint'))).toEqual([false, false, true]);
    });

    it('a tool that the agent leaves to its interface keeps the description of the agent', async () => {
      const { session, requests } = watchedSession({ text: 'Hi' });
      const { run } = await clientOf(Client, session);
      const events = await run('Hi', { tools: [{ ...paint, name: 'ask' }] });
      expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
      expect(requests[0]?.tools).toEqual(['double', 'pay', 'ask']);
    });

    const tools = (count: number, more: object = {}) =>
      Array.from({ length: count }, (_, at) => ({ ...paint, name: `paint${at}`, ...more }));
    it.each([
      ['a name of the agent', { tools: [{ ...paint, name: 'pay' }] }, /pay.* runs on its side/],
      ['a name twice', { tools: [paint, paint] }, /paint.* another one has its name/],
      ['a name that providers refuse', { tools: [{ ...paint, name: 'a b' }] }, /a b.* 1 to 64 letters/],
      ['a schema that is no object', { tools: [{ ...paint, parameters: 'none' }] }, /schema is no object/],
      [
        'a schema of no object',
        { tools: [{ ...paint, parameters: { type: 'string' } }] },
        /input is no object/,
      ],
      ['65 tools', { tools: tools(65) }, /`tools` has 65 entries; send at most 64/],
      [
        'tools of 128 kB',
        { tools: tools(64, { description: 'x'.repeat(2_000) }) },
        /`tools` has 13.* characters/,
      ],
      [
        '65 pieces of context',
        { context: Array.from({ length: 65 }, () => ({ description: 'a', value: 'b' })) },
        /`context` has 65 entries; send at most 64/,
      ],
      [
        'context of 64 kB',
        { context: [{ description: 'a', value: 'x'.repeat(64_000) }] },
        /`context` has 64\d* characters; send at most 64000/,
      ],
    ])('%s is refused with a sentence, and no model is called', async (_case, given, sentence) => {
      const { session, requests } = watchedSession({ text: 'Hi' });
      const { client } = await clientOf(Client, session);
      client.addMessage({ id: 'u', role: 'user', content: 'Hi' });
      await expect(client.runAgent(given as never)).rejects.toThrow(sentence);
      expect(requests).toEqual([]);
      expect(AgentState.messages(stateOf(session))).toEqual([]);
    });

    it('64 tools and as much context as allowed reach the model', async () => {
      const { session, requests } = watchedSession({ text: 'Hi' });
      const { run } = await clientOf(Client, session);
      await run('Hi', { tools: tools(64), context: [{ description: 'a', value: 'x'.repeat(63_000) }] });
      expect(requests[0]?.tools).toHaveLength(67);
      expect(requests[0]?.texts.join()).toContain('x'.repeat(63_000));
    });
  });

  it('the history and the state of a client come along, and what a tool writes into the state goes back', async () => {
    const count = defineTool({
      name: 'count',
      description: '',
      input: z.object({}),
      execute(_input, ctx) {
        const { agUiState } = AgentState.metadata(ctx.state) as { agUiState: { n: number } };
        ctx.update((state) => AgentState.withMetadata(state, { agUiState: { n: agUiState.n + 1 } }));
        return 'counted';
      },
    });
    const session = sessionOf([{ toolCalls: [{ name: 'count', input: {} }] }, { text: 'Done' }], {
      tools: [count],
    });
    const { client, run } = await clientOf(Client, session, {
      initialMessages: [
        { id: 'm1', role: 'user', content: 'Before' },
        { id: 'm2', role: 'assistant', content: 'Then' },
      ],
      initialState: { n: 1 },
    });
    await run('Count');
    expect(client.state).toEqual({ n: 2 });
    expect(plain(client.messages).slice(0, 3)).toMatchObject([
      { content: 'Before' },
      { content: 'Then' },
      { content: 'Count' },
    ]);
    expect(toAgUiMessages(stateOf(session))).toHaveLength(client.messages.length);
  });
});

describe('threads', () => {
  const ask = async (fetch: ReturnType<typeof toAgUi>, threadId: string, content: string) => {
    const messages = [{ id: crypto.randomUUID(), role: 'user', content }];
    const body = JSON.stringify({ threadId, runId: `${threadId} r`, messages });
    const answer = await fetch('http://localhost/agent', { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };

  it('a thread is told nothing of another one, also in a new process with the same store', async () => {
    const sessions = memorySessions();
    const open = (): AgentSession =>
      createAgentSession({
        agent: scriptedAgent(Array.from({ length: 9 }, () => ({ text: 'Yes' }))),
        sessions,
        sessionId: 's1',
        publish: 'immediate',
      });
    const first = open();
    const handle = toAgUi(first);
    const told = await ask(handle, 'anna', 'my secret is 42');
    expect(told.text).toContain('Yes');
    await first.flush();
    const [{ id } = { id: '' }] = framesIn(told.text);
    for (const fetch of [handle, toAgUi(first), toAgUi(open())]) {
      const refused = await ask(fetch, 'ben', 'hello');
      expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('another thread') });
      const behind = await fetch('http://localhost/agent', {
        headers: { 'last-event-id': id.replace('anna', 'ben') },
      });
      expect(behind.status).toBe(403);
      expect((await ask(fetch, 's1', 'hello')).status).toBe(200);
      expect((await ask(fetch, 'anna', 'hello')).status).toBe(200);
    }
    expect(JSON.stringify(stateOf(first))).not.toContain('ben');
  });

  it('a function gives the session of each thread, by the request, and refuses others', async () => {
    const sessions = new Map(['anna', 'b.e n/é'].map((name) => [name, sessionOf([{ text: `For ${name}` }])]));
    const seen: string[] = [];
    const handle = toAgUi((threadId, { headers }) => {
      seen.push(`${threadId} ${headers.get('last-event-id') === null}`);
      return sessions.get(threadId) ?? null;
    });
    const anna = await ask(handle, 'anna', 'hi');
    const ben = await ask(handle, 'b.e n/é', 'hi');
    expect([anna.text, ben.text]).toEqual([
      expect.stringContaining('For anna'),
      expect.stringContaining('For b.e n/é'),
    ]);
    const { id } = framesIn(ben.text)[1]!;
    const behind = await handle('http://localhost/agent', { headers: { 'last-event-id': id } });
    expect(await behind.text()).toContain('For b.e n/é');
    expect(await ask(handle, 'eve', 'hi')).toMatchObject({
      status: 403,
      text: expect.stringContaining('eve'),
    });
    expect(seen).toEqual(['anna true', 'b.e n/é true', 'b.e n/é false', 'eve true']);
  });
});

it('an abort in the page stops the run at once, unless somebody else reads it', async () => {
  const session = sessionOf([{ text: 'word '.repeat(20_000), chunks: 20_000, delayMs: 5 }]);
  // A run that waits for its client would outlast the test.
  const fetch = toAgUi(session, { graceMs: 2 ** 30 });
  const clients = [0, 1].map(() => {
    const client = new HttpAgent({ url: 'http://localhost/agent', threadId: 't' });
    return Object.assign(client, { fetch });
  });
  const [first, second] = clients as [HttpAgent, HttpAgent];
  first.addMessage({ id: 'u', role: 'user', content: 'Write' });
  const runs = [first.runAgent().catch(() => undefined)];
  await vi.waitFor(() => expect(JSON.stringify(first.messages)).toContain('word word'));
  second.setMessages(first.messages.slice(0, 1));
  runs.push(second.runAgent().catch(() => undefined));
  await vi.waitFor(() => expect(JSON.stringify(second.messages)).toContain('word word'));
  first.abortRun();
  await runs[0];
  const before = JSON.stringify(second.messages).length;
  await vi.waitFor(() => expect(JSON.stringify(second.messages).length).toBeGreaterThan(before));
  second.abortRun();
  await runs[1];
  await vi.waitFor(() => expect(stateOf(session).execution).toMatchObject({ status: 'stopped' }));
});

it('a request that is no run is refused with a problem that says what to send', async () => {
  const fetch = toAgUi(sessionOf([{ text: 'Hi' }]));
  const url = 'http://localhost/agent';
  const post = (body: string, headers = {}): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers });
  const answers = [
    await fetch(url),
    await post('{'),
    await post('{"threadId":"t"}'),
    await post(' '.repeat(17 * 2 ** 20)),
    await post('{}', { 'last-event-id': 'gone.3' }),
    await post('{}', { 'last-event-id': '' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([405, 400, 400, 413, 410, 410]);
  for (const answer of answers)
    expect(await answer.json()).toMatchObject({ title: expect.stringMatching(/\w+/) });
});
