// @vitest-environment node
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AdapterYieldChunk,
  chat,
  chatParamsFromRequestBody,
  type StreamChunk,
  toolDefinition,
} from '@tanstack/ai';
import { BaseTextAdapter } from '@tanstack/ai/adapters';
import { ChatClient, fetchServerSentEvents } from '@tanstack/ai-client';
import { AgentState, createAgentSession } from '@vitrine/core';
import { aguiAgent } from '@vitrine/ag-ui';
import { diagnose, eventsOf, runsOf } from '@vitrine/inspect';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import {
  asked,
  closeServers,
  delegated,
  result,
  type Served,
  serveRuns,
  success,
  text,
} from '../../bridges/ag-ui/src/observe/served-events.fixture.ts';
import {
  expectSound,
  goldenOf,
  recordEachTest,
  watchedRecord,
} from '../../packages/inspect/src/foreign/observed-journals.fixture.ts';
import { observeConnection } from '../../bridges/tanstack-ai/src/index.ts';

/** A chat of TanStack AI as its quick start shows it, with the one line. */
async function chatOf(runs: readonly (readonly Served[])[]): Promise<ChatClient> {
  const connection = observeConnection(fetchServerSentEvents(await serveRuns(runs)));
  return new ChatClient({ connection, threadId: `thread ${crypto.randomUUID()}`, onError: () => undefined });
}

/** A model that answers with the given events, one list a call. */
class Scripted extends BaseTextAdapter<'scripted', object, readonly ['text'], never> {
  readonly name = 'scripted';
  readonly #answers: readonly (readonly Served[])[];
  #next = 0;

  constructor(answers: readonly (readonly Served[])[]) {
    super(undefined, 'scripted');
    this.#answers = answers;
  }

  override async *chatStream({
    runId,
    threadId,
  }: {
    runId?: string;
    threadId?: string;
  }): AsyncGenerator<AdapterYieldChunk> {
    const answer = this.#answers[this.#next++] ?? [];
    const told = JSON.stringify(answer);
    const end = told.includes('Cut…') ? 'length' : 'stop';
    const finishReason = told.includes('TOOL_CALL') ? 'tool_calls' : end;
    const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
    const ids = { runId, threadId, model: 'scripted' };
    const events = [
      { type: 'RUN_STARTED', ...ids },
      ...answer,
      { type: 'RUN_FINISHED', ...ids, finishReason, usage, metadata: { tanstack: { finishReason } } },
    ];
    yield* events as unknown as readonly AdapterYieldChunk[];
  }

  override structuredOutput(): Promise<never> {
    return Promise.reject(new Error('It answers with text.'));
  }
}

const input = { description: 'A tool', inputSchema: z.object({ q: z.string() }) };
const search = toolDefinition({ name: 'search', ...input }).server(() => Promise.resolve(['green']));
const broken = toolDefinition({ name: 'broken', ...input }).server((): Promise<string> =>
  Promise.reject(new Error('It broke.')),
);
const payTool = toolDefinition({ name: 'pay', ...input, needsApproval: true });
const pay = payTool.server(() => Promise.resolve('paid'));

/** The address of a backend of TanStack AI as its quick start shows it. */
async function backend(answers: readonly (readonly Served[])[]): Promise<string> {
  const adapter = new Scripted(answers);
  const answer: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { messages, threadId, runId, parentRunId, resume } = await chatParamsFromRequestBody(
      JSON.parse(body),
    );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const tools = [search, pay, broken];
    const options = {
      adapter,
      messages,
      threadId,
      runId,
      parentRunId,
      tools,
      ...(resume === undefined ? {} : { resume }),
    };
    const stream = chat(options as never) as unknown as AsyncIterable<StreamChunk>;
    for await (const chunk of stream) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
}

recordEachTest();
closeServers();

describe('a watched chat over a backend of TanStack AI', () => {
  it('the ends of its model calls are steps of one run', async () => {
    const url = await backend([asked('c1', 'search'), asked('c2', 'search'), text('m', 'Green tea.')]);
    const connection = observeConnection(fetchServerSentEvents(url));
    const client = new ChatClient({ connection, threadId: crypto.randomUUID() });
    await client.sendMessage('Find tea');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([3, 'completed']);
    expect(AgentState.steps(state)[0]?.toolExecutions).toMatchObject([{ result: ['green'] }]);
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: true, times: false, results: true });
    expect(AgentState.usage(state)).toMatchObject({ inputTokens: 30, outputTokens: 15 });
    expect(state.context.metadata['skippedEvents']).toBeUndefined();
  });

  it('an answer that is cut at its length has the finish reason of its backend', async () => {
    const url = await backend([text('m', 'Cut…')]);
    const connection = observeConnection(fetchServerSentEvents(url));
    await new ChatClient({ connection, threadId: crypto.randomUUID() }).sendMessage('Tell me all');
    expect(AgentState.steps(watchedRecord().state)[0]?.inferenceResponse?.finishReason).toBe('length');
    expectSound(watchedRecord());
  });

  it('a tool that fails is a failed call with its error, also in the next turn', async () => {
    const url = await backend([asked('c1', 'broken'), text('m', 'Sorry.'), text('n', 'Fine.')]);
    const connection = observeConnection(fetchServerSentEvents(url));
    const client = new ChatClient({ connection, threadId: crypto.randomUUID() });
    for (const question of ['Break it', 'And now?']) {
      await client.sendMessage(question);
      expect(diagnose(watchedRecord()).map(({ code }) => code)).toEqual(['call-failed']);
    }
    const [first] = eventsOf(watchedRecord()).filter(({ event }) => event.type === 'tool-end');
    expect(first?.event).toMatchObject({ error: { message: 'It broke.' } });
    expectSound(watchedRecord());
  });

  it('a tool that needs an approval waits, and the same run goes on', async () => {
    const url = await backend([asked('c1', 'search'), asked('c2', 'pay'), text('m', 'Paid.')]);
    const connection = observeConnection(fetchServerSentEvents(url));
    const client = new ChatClient({ connection, threadId: crypto.randomUUID(), tools: [payTool] });
    await client.sendMessage('Pay');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([{ toolCall: { name: 'pay' } }]);
    expectSound(watchedRecord());
    client.resolveInterrupts(true);
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
    const { state } = watchedRecord();
    expect(AgentState.errors(state)).toEqual([]);
    expect([state.executionCount, AgentState.status(state)]).toEqual([1, 'completed']);
    expect(AgentState.steps(state)[1]?.toolExecutions).toMatchObject([
      { status: 'completed', result: 'paid' },
    ]);
    expect(state.context.metadata['skippedEvents']).toBeUndefined();
    expectSound(watchedRecord());
  });
});

describe('an agent over a backend of TanStack AI', () => {
  it('the agent has the steps that the panel shows, whose tools ran there', async () => {
    const url = await backend([asked('c1', 'search'), asked('c2', 'broken'), text('m', 'Green tea.')]);
    const session = createAgentSession({ agent: aguiAgent({ url }), publish: 'immediate' });
    expect(await session.sendMessage('Find tea')).toMatchObject({ outcome: 'completed' });
    const { state } = session.store.getState();
    expect([AgentState.stepCount(state), AgentState.finalResponse(state)]).toEqual([3, 'Green tea. ']);
    expect(AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions)).toMatchObject([
      { toolCall: { name: 'search' }, result: ['green'] },
      { toolCall: { name: 'broken' }, status: 'failed', error: { message: 'It broke.' } },
    ]);
    expect(AgentState.usage(state)).toMatchObject({ inputTokens: 30, outputTokens: 15 });
  });
});

describe('a watched chat of TanStack AI', () => {
  it('an answer of text is one step with the question', async () => {
    const chat = await chatOf([[...text('m', 'Hello there'), success]]);
    await chat.sendMessage('Hi');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: false, times: false, results: true });
  });

  it('three steps with tools keep arguments and results of each call', async () => {
    const calls = [...asked('c1', 'search'), result('c1'), ...asked('c2', 'search'), result('c2')];
    const chat = await chatOf([[...calls, ...text('m', 'Green tea.'), success]]);
    await chat.sendMessage('Find tea');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([3, 'completed']);
    expect(AgentState.finalResponse(state)).toBe('Green tea. ');
  });

  it('parallel calls stand in one step', async () => {
    const calls = [...asked('a', 'search'), ...asked('b', 'search'), result('b'), result('a')];
    const chat = await chatOf([[...calls, ...text('m', 'Done'), success]]);
    await chat.sendMessage('Go');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
  });

  it('an interrupt waits for a person, and the same run goes on with the answer', async () => {
    const interrupts = [{ id: 'i', reason: 'tool_call', message: 'Pay 5?', toolCallId: 'c' }];
    const asks = [...asked('c', 'pay'), { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } }];
    const chat = await chatOf([asks, [result('c'), ...text('m', 'Paid'), success]]);
    await chat.sendMessage('Pay');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([
      { approval: { reason: 'Pay 5?' } },
    ]);
    expectSound(watchedRecord());
    await chat.resumeInterruptsUnsafe([
      { interruptId: 'i', status: 'resolved', payload: { approved: true } },
    ]);
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect([watchedRecord().state.executionCount, AgentState.status(watchedRecord().state)]).toEqual([
      1,
      'completed',
    ]);
  });

  it('a chat that a person stops keeps what came, and says who stopped it', async () => {
    const chat = await chatOf([[...text('m', 'One two three'), 'hold']]);
    const sent = chat.sendMessage('Count');
    await vi.waitFor(() => expect(JSON.stringify(chat.getMessages())).toContain('three'));
    chat.stop();
    await sent;
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('stopped'));
    expect(AgentState.stopReason(watchedRecord().state)).toBe('user-requested');
    expect(JSON.stringify(AgentState.steps(watchedRecord().state)[0]?.outputMessages)).toContain('three');
    expectSound(watchedRecord());
  });

  it('an error fails the run with its message', async () => {
    const chat = await chatOf([[...text('m', 'Half'), { type: 'RUN_ERROR', message: 'The upstream died.' }]]);
    await chat.sendMessage('Go');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(diagnose(watchedRecord()).map(({ code }) => code)).toEqual(['error-recorded']);
  });

  it('two turns of one chat are two runs of one session', async () => {
    const first = [...asked('c', 'search'), result('c'), ...text('m', 'One'), success];
    const chat = await chatOf([first, [...text('n', 'Two'), success]]);
    await chat.sendMessage('First');
    await chat.sendMessage('Second');
    expect(runsOf(watchedRecord()).map(({ request }) => request)).toEqual(['First', 'Second']);
    const roles = AgentState.messages(watchedRecord().state).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
    expectSound(watchedRecord());
  });

  it('a subagent stands under the call that started it', async () => {
    const chat = await chatOf([delegated]);
    await chat.sendMessage('Write');
    expectSound(watchedRecord());
    const child = AgentState.steps(watchedRecord().state)[0]!.toolExecutions[0]!.childState!;
    expect([AgentState.stepCount(child), AgentState.finalResponse(child)]).toEqual([2, 'A poem ']);
  });

  it('a request that fails reaches the chat as it was, and fails the run', async () => {
    const connection = observeConnection(fetchServerSentEvents('http://127.0.0.1:1/nothing'));
    const chat = new ChatClient({ connection, threadId: crypto.randomUUID(), onError: () => undefined });
    await chat.sendMessage('Hi');
    expect(chat.getStatus()).toBe('error');
    expect(AgentState.status(watchedRecord().state)).toBe('failed');
    expect(AgentState.errors(watchedRecord().state)).toMatchObject([{ message: chat.getError()?.message }]);
  });
});

it('an unknown chunk is named once on the console and counted in the panel', async () => {
  const warn = vi
    .spyOn(console, 'warn')
    .mockReset()
    .mockImplementation(() => undefined);
  const news = { type: 'NEWS' } as unknown as Served;
  const chat = await chatOf([[news, news, ...text('m', 'Hi'), success]]);
  await chat.sendMessage('Hi');
  expect(warn.mock.calls).toEqual([[expect.stringContaining('NEWS. The chat is not affected')]]);
  expect(diagnose(watchedRecord())).toMatchObject([
    { code: 'events-skipped', severity: 'hint', evidence: { skipped: { NEWS: 2 } } },
  ]);
});

it('every prefix and any order of chunks reaches the chat unchanged and gives a sound journal', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const odd = [
    { type: 'NEWS' },
    null,
    'text',
    { type: 5 },
    { type: 'RUN_ERROR' },
    { type: 'TOOL_CALL_ARGS' },
  ];
  const whole = [...text('m', 'Look'), ...delegated];
  const chunks = fc.oneof(
    fc.shuffledSubarray([...whole, ...odd]),
    fc.nat(whole.length).map((end) => whole.slice(0, end)),
    fc.array(fc.constantFrom(...whole, ...odd), { maxLength: 40 }),
  );
  const question = [{ id: 'u', role: 'user', parts: [{ type: 'text', content: 'Hi' }, null] }, null];
  await fc.assert(
    fc.asyncProperty(chunks, async (given) => {
      const connect = async function* (..._given: readonly unknown[]): AsyncGenerator<unknown> {
        yield* given as unknown as readonly StreamChunk[];
      };
      const { connect: watchedConnect } = observeConnection({ connect });
      const got: unknown[] = [];
      const context = { threadId: crypto.randomUUID() };
      for await (const chunk of watchedConnect(question, undefined, undefined, context)) got.push(chunk);
      expect(got).toEqual(given);
      const { state } = watchedRecord();
      expect(AgentState.toJSON(AgentState.fromJSON(AgentState.toJSON(state)))).toEqual(
        AgentState.toJSON(state),
      );
    }),
    { numRuns: 150 },
  );
});
