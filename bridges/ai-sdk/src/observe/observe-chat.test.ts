import { Chat } from '@ai-sdk/react';
import { AgentState } from '@vitrine/core';
import { diagnose, runsOf, sessionHub } from '@vitrine/inspect';
import {
  type ChatTransport,
  DirectChatTransport,
  isStepCount,
  simulateReadableStream,
  tool,
  ToolLoopAgent,
  type UIMessage,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  expectSound,
  goldenOf,
  recordEachTest,
  watchedRecord,
} from '@vitrine/inspect/internal/foreign/observed-journals.fixture';
import { observeChat } from './index.ts';

type Part = { readonly type: string; readonly [field: string]: unknown };

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

function text(words: string): readonly Part[] {
  const deltas = words.split(' ').map((word) => ({ type: 'text-delta', id: 't', delta: `${word} ` }));
  return [{ type: 'text-start', id: 't' }, ...deltas, { type: 'text-end', id: 't' }];
}

const call = (toolCallId: string, toolName: string, input: object): Part => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

/** The chunks of the answers of a model, in order; `error` makes one fail. */
function scripted(answers: readonly (readonly Part[] | 'error')[], chunkDelayInMs = 0): object {
  let next = 0;
  return {
    doStream: () => {
      const answer = answers[next++] ?? [];
      if (answer === 'error') return Promise.reject(new Error('The upstream has died.'));
      const isCall = answer.some(({ type }) => type === 'tool-call');
      const reason = isCall ? 'tool-calls' : 'stop';
      const end = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
      const chunks = [{ type: 'stream-start', warnings: [] }, ...answer, end];
      return Promise.resolve({ stream: simulateReadableStream({ chunks, chunkDelayInMs }) });
    },
  };
}

const hits = { hits: ['green'] };
const tools = {
  search: tool({ inputSchema: z.object({ q: z.string() }), execute: () => Promise.resolve(hits) }),
  fail: tool({
    inputSchema: z.object({}),
    execute: (): Promise<string> => Promise.reject(new Error('It is broken.')),
  }),
  pay: tool({ inputSchema: z.object({}), needsApproval: true, execute: () => Promise.resolve('paid') }),
  delegate: tool({
    inputSchema: z.object({}),
    async *execute() {
      yield 'reading';
      yield 'written';
    },
  }),
};

/** A chat of the AI SDK as its quick start shows it, with the one line. */
function chatOf(answers: readonly (readonly Part[] | 'error')[], chunkDelayInMs = 0): Chat<UIMessage> {
  const model = new MockLanguageModelV4(scripted(answers, chunkDelayInMs));
  const agent = new ToolLoopAgent({ model, tools, stopWhen: isStepCount(5), maxRetries: 0 });
  // Versions differ in what they tell a page of an error by themselves.
  const transport = new DirectChatTransport({ agent, onError: String });
  return new Chat({
    transport: observeChat(transport as unknown as ChatTransport<UIMessage>),
    onError: () => undefined,
  });
}

/** A transport that streams the given chunks. */
function streaming(chunks: readonly unknown[]): ChatTransport<UIMessage> {
  const stream = (): ReadableStream<never> =>
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk as never);
        controller.close();
      },
    });
  return { sendMessages: () => Promise.resolve(stream()), reconnectToStream: () => Promise.resolve(null) };
}

recordEachTest();

describe('the sessions of watched chats', () => {
  const answer = [
    { type: 'start' },
    { type: 'start-step' },
    ...text('Yes'),
    { type: 'finish-step' },
    { type: 'finish' },
  ];
  const inner = streaming(answer.map((chunk) => ({ ...chunk })));
  const user = (id: string, said: string) => ({ id, role: 'user', parts: [{ type: 'text', text: said }] });
  const send = async (chatId: string, messages: readonly object[], name = 'chat'): Promise<void> => {
    const transport = observeChat(observeChat(inner, { name }), { name });
    const stream = await transport.sendMessages({ chatId, messages } as never);
    await new Response(stream.pipeThrough(new TransformStream({ transform: () => undefined }))).text();
  };
  const asked = () =>
    AgentState.messages(watchedRecord().state).flatMap(({ role, parts }) =>
      role === 'user' ? parts.map((part) => ('text' in part ? part.text : '')) : [],
    );

  it('a transport that is made at every render goes on with the session of its chat', async () => {
    const before = sessionHub().sources().length;
    for (const chat of ['one', 'one', 'two', 'one']) await send(chat, [user('u', 'Hi')]);
    expect(sessionHub().sources()).toHaveLength(before + 2);
    expect(asked()).toEqual(['Hi']);
    await send('one', [user('u', 'Hi')], 'other name');
    expect(sessionHub().sources()).toHaveLength(before + 3);
  });

  it('the panel keeps the sessions of the last twenty chats', async () => {
    const before = sessionHub().sources().length;
    for (let chat = 0; chat < 25; chat++) await send(`chat ${chat}`, [user('u', 'Hi')]);
    expect(sessionHub().sources()).toHaveLength(before + 20);
  });

  it('a question that is edited under its id replaces the old one, with what followed', async () => {
    await send('edits', [user('u1', 'hello')]);
    await send('edits', [user('u1', 'hello'), { id: 'a', role: 'assistant', parts: [] }, user('u2', 'and')]);
    await send('edits', [user('u1', 'edited')]);
    expect(asked()).toEqual(['edited']);
    expectSound(watchedRecord());
  });

  it('a question that comes again under another id is the same one', async () => {
    await send('ids', [user('u1', 'hello')]);
    await send('ids', [user('x1', 'hello'), { id: 'a', role: 'assistant', parts: [] }, user('x2', 'and')]);
    expect(asked()).toEqual(['hello', 'and']);
    expect(AgentState.messages(watchedRecord().state)).toHaveLength(4);
  });
});

describe('a watched chat of the AI SDK', () => {
  it('an answer of text is one step with the question', async () => {
    const chat = chatOf([text('Green tea is fine.')]);
    await chat.sendMessage({ text: 'Which tea?' });
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: false, times: false, results: true });
  });

  it('three steps with tools keep arguments and results of each call', async () => {
    const chat = chatOf([
      [call('c', 'search', { q: 'a' })],
      [call('c2', 'search', { q: 'b' })],
      text('Done.'),
    ]);
    await chat.sendMessage({ text: 'Search' });
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([3, 'completed']);
    expect(AgentState.steps(state)[1]?.toolExecutions).toMatchObject([
      {
        toolCall: { name: 'search', input: { q: 'b' }, providerCallId: 'c2' },
        status: 'completed',
        result: hits,
      },
    ]);
  });

  it('parallel calls stand in one step, a failed one beside the others', async () => {
    const both = [...text('Looking'), call('c1', 'search', { q: 'a' }), call('c2', 'fail', {})];
    const chat = chatOf([both, text('One failed.')]);
    await chat.sendMessage({ text: 'Go' });
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(diagnose(watchedRecord()).map(({ code }) => code)).toEqual(['call-failed']);
  });

  it.each([true, false])(
    'a call waits for a person, who says %s, and the same run goes on',
    async (approved) => {
      const chat = chatOf([[call('c', 'pay', {})], text('Well.')]);
      await chat.sendMessage({ text: 'Pay' });
      expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([
        { toolCall: { name: 'pay' } },
      ]);
      expectSound(watchedRecord());
      const part = chat.messages.at(-1)!.parts.at(-1) as unknown as { approval: { id: string } };
      await chat.addToolApprovalResponse({ id: part.approval.id, approved, reason: 'because' });
      await chat.sendMessage();
      expect(goldenOf(watchedRecord())).toMatchSnapshot();
      expectSound(watchedRecord());
      expect(watchedRecord().state.executionCount).toBe(1);
      expect(AgentState.status(watchedRecord().state)).toBe('completed');
    },
  );

  it('a chat that a person stops keeps what came, and says who stopped it', async () => {
    const chat = chatOf([text('One two three four five six seven eight nine')], 20);
    const sent = chat.sendMessage({ text: 'Count' });
    await vi.waitFor(() => expect(JSON.stringify(chat.messages.at(-1))).toContain('One '));
    await chat.stop();
    await sent;
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('stopped'));
    expect(AgentState.stopReason(watchedRecord().state)).toBe('user-requested');
    expect(JSON.stringify(AgentState.steps(watchedRecord().state)[0]?.outputMessages)).toContain('One');
    expectSound(watchedRecord());
  });

  it('an error of the model fails the run with its message', async () => {
    const chat = chatOf([[call('c', 'search', { q: 'a' })], 'error']);
    await chat.sendMessage({ text: 'Go' });
    expect(chat.status).toBe('error');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(AgentState.status(watchedRecord().state)).toBe('failed');
  });

  it('two turns of one chat are two runs of one session, and a new answer replaces the old', async () => {
    const chat = chatOf([text('First.'), text('Second.'), text('Third.')]);
    await chat.sendMessage({ text: 'One' });
    await chat.sendMessage({ text: 'Two' });
    expect(runsOf(watchedRecord()).map(({ request }) => request)).toEqual(['One', 'Two']);
    const conversation = (): readonly string[] =>
      AgentState.messages(watchedRecord().state).map(({ parts }) =>
        parts.map((part) => ('text' in part ? part.text : '')).join(),
      );
    expect(conversation()).toEqual(['One', 'First. ', 'Two', 'Second. ']);
    await chat.regenerate();
    expect(conversation()).toEqual(['One', 'First. ', 'Two', 'Third. ']);
    expectSound(watchedRecord());
  });

  it('a tool that reports before its end, as a subagent does, shows its progress', async () => {
    const chat = chatOf([[call('c', 'delegate', {})], text('Done.')]);
    await chat.sendMessage({ text: 'Go' });
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
  });
});

describe('a stream that is not as it should be', () => {
  const whole = [
    { type: 'start' },
    { type: 'start-step' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
    { type: 'text-delta', id: 't', delta: 'Look' },
    { type: 'tool-input-start', toolCallId: 'c1', toolName: 'search' },
    { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"q":1}' },
    { type: 'tool-input-available', toolCallId: 'c1', toolName: 'search', input: { q: 1 } },
    { type: 'tool-output-available', toolCallId: 'c1', output: { big: 2n } },
    { type: 'tool-input-available', toolCallId: 'c2', toolName: 'pay', input: {} },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c2' },
    { type: 'tool-approval-response', approvalId: 'a', approved: false },
    { type: 'tool-output-denied', toolCallId: 'c2' },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'source-url', sourceId: 's', url: 'https://example.com' },
    { type: 'file', url: 'data:text/plain;base64,eA==', mediaType: 'text/plain' },
    { type: 'reset-step' },
    { type: 'steering-message', id: 'u', parts: [{ type: 'text', text: 'Wait' }] },
    { type: 'text-delta', id: 't', delta: 'Done' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ];
  const odd = [
    { type: 'news' },
    { type: 5 },
    null,
    'text',
    { type: 'tool-output-error', toolCallId: 'zz' },
    { type: 'error' },
    { type: 'abort' },
  ];

  it('every prefix and any order of chunks reaches the chat unchanged and gives a sound journal', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const chunks = fc.oneof(
      fc.shuffledSubarray([...whole, ...odd]),
      fc.nat(whole.length).map((end) => whole.slice(0, end)),
      fc.array(fc.constantFrom(...whole, ...odd), { maxLength: 40 }),
    );
    let number = 0;
    await fc.assert(
      fc.asyncProperty(chunks, async (given) => {
        const transport = observeChat(streaming(given));
        const messages = [{ id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] }];
        const options = {
          trigger: 'submit-message',
          messageId: undefined,
          messages,
          abortSignal: undefined,
        } as const;
        const got: unknown[] = [];
        for await (const chunk of await transport.sendMessages({ ...options, chatId: `odd ${number++}` }))
          got.push(chunk);
        expect(got).toEqual(given);
        const { state } = watchedRecord();
        expect(AgentState.status(state)).not.toBe(null);
        expect(AgentState.toJSON(AgentState.fromJSON(AgentState.toJSON(state)))).toEqual(
          AgentState.toJSON(state),
        );
      }),
      { numRuns: 150 },
    );
    vi.restoreAllMocks();
  });

  it('an unknown chunk is named once on the console and counted in the panel', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const news = { type: 'news' };
    const chunks = [
      { type: 'start' },
      { type: 'start-step' },
      ...text('Hello'),
      news,
      news,
      ...whole.slice(-2),
    ];
    const chat = new Chat<UIMessage>({ transport: observeChat(streaming(chunks)), onError: () => undefined });
    await chat.sendMessage({ text: 'Hi' });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('"chat": news. The chat is not affected')]]);
    expect(watchedRecord().state.context.metadata).toEqual({ skippedEvents: { news: 2 } });
    expect(diagnose(watchedRecord())).toMatchObject([
      { code: 'events-skipped', severity: 'hint', evidence: { skipped: { news: 2 } } },
    ]);
    vi.restoreAllMocks();
  });

  it('an error in the bridge is told once on the console and counted, and every chunk reaches the chat', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const faulty = {
      type: 'text-delta',
      id: 't',
      get delta(): string {
        throw new Error('A fault of the bridge.');
      },
    };
    const chunks = [...whole.slice(0, 4), faulty, faulty, ...whole.slice(-3)];
    const stream = await observeChat(streaming(chunks)).sendMessages({
      trigger: 'submit-message',
      chatId: 'faulty',
      messageId: undefined,
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      abortSignal: undefined,
    });
    let at = 0;
    for await (const chunk of stream) expect(chunk).toBe(chunks[at++]);
    expect(at).toBe(chunks.length);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('A fault of the bridge.')]]);
    expect(watchedRecord().state.context.metadata).toEqual({
      skippedEvents: { 'A fault of the bridge.': 2 },
    });
    expect(AgentState.status(watchedRecord().state)).toBe('completed');
    vi.restoreAllMocks();
  });

  it('a request that fails before its stream reaches the chat as it was, and fails the run', async () => {
    const transport = {
      sendMessages: () => Promise.reject(new Error('HTTP 500')),
      reconnectToStream: () => Promise.resolve(null),
    };
    const chat = new Chat<UIMessage>({ transport: observeChat(transport), onError: () => undefined });
    await chat.sendMessage({ text: 'Hi' });
    expect(chat.error?.message).toBe('HTTP 500');
    expect(AgentState.errors(watchedRecord().state)).toMatchObject([{ message: 'HTTP 500' }]);
  });

  it('a transport with private fields and further methods keeps them', () => {
    class Own implements ChatTransport<UIMessage> {
      readonly #secret = 7;
      readonly resumeStreamIsReplay = true;
      sendMessages = streaming([]).sendMessages;
      reconnectToStream = streaming([]).reconnectToStream;
      close = (): void => undefined;
      tell(): number {
        return this.#secret;
      }
    }
    const transport = observeChat(new Own());
    expect([transport.tell(), transport.resumeStreamIsReplay]).toEqual([7, true]);
    expect(transport).toBeInstanceOf(Own);
  });
});
