import {
  type ChatInit,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
} from 'ai';
import { Chat } from '@ai-sdk/react';
import { describe, expect, it, vi } from 'vitest';
import { type AgentSession, createAgentSession } from '@vitrine/core';
import { toUiMessages, toUiMessageStream, vitrineTransport } from '@vitrine/ai-sdk';
import { delegatingSession, double, sessionOf } from '@vitrine/testing/internal/bridged-session.fixture';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };

function chatOf(session: AgentSession, init: ChatInit<UIMessage> = {}): Chat<UIMessage> {
  const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses;
  return new Chat({ transport: vitrineTransport(session), sendAutomaticallyWhen, ...init });
}

/** The parts of a chat's last message, without what a stream and a snapshot name differently. */
function partsOf({ parts }: Pick<UIMessage, 'parts'>): unknown {
  return parts.map((part) => {
    const { id: _id, ...rest } = part as { id?: string };
    return JSON.parse(JSON.stringify(rest)) as unknown;
  });
}

/** Asserts that the chat shows what the session has. */
function expectSame(chat: { messages: UIMessage[] }, session: AgentSession): void {
  const own = toUiMessages(session.store.getState().state);
  expect(chat.messages.map(partsOf)).toEqual(own.map((message) => partsOf(message as UIMessage)));
  expect(chat.messages.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  expect(chat.messages.at(-1)?.metadata).toEqual(JSON.parse(JSON.stringify(own.at(-1)?.metadata)));
}

describe('the eight scenarios with the Chat of ai 7', () => {
  it('a text answer streams with reasoning, usage and finish reason', async () => {
    const session = sessionOf([{ reasoning: 'Hm', text: 'Hello there', chunks: 4, usage }]);
    const onFinish = vi.fn();
    const chat = chatOf(session, { onFinish });
    await chat.sendMessage({ text: 'Hi' });
    expect(chat.status).toBe('ready');
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual(['step-start', 'reasoning', 'text']);
    expect(chat.lastMessage?.metadata).toMatchObject({
      vitrine: { usage: { inputTokens: 3, outputTokens: 2 } },
    });
    expect(onFinish.mock.calls[0]?.[0]).toMatchObject({
      isAbort: false,
      isError: false,
      finishReason: 'stop',
    });
    expectSame(chat, session);
  });

  it('three steps with tools are one message with three boundaries', async () => {
    const session = sessionOf([
      { text: 'First', toolCalls: [{ name: 'double', input: { n: 1 } }] },
      { toolCalls: [{ name: 'double', input: { n: 2 } }] },
      { text: 'Done' },
    ]);
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'Double' });
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage?.parts.filter(({ type }) => type === 'step-start')).toHaveLength(3);
    expect(chat.lastMessage?.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-double', state: 'output-available', input: { n: 2 }, output: 4 }),
    );
    expectSame(chat, session);
  });

  it('parallel calls keep their own results, also a failed one', async () => {
    const calls = [1, 2].map((n) => ({ name: 'double', input: { n } }));
    const session = sessionOf([
      { toolCalls: [...calls, { name: 'double', input: 'wrong' }, { name: 'nobody', input: {} }] },
      { text: 'Done' },
    ]);
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'Double' });
    const parts = chat.lastMessage?.parts.filter(({ type }) => type.startsWith('tool-')) as {
      state: string;
    }[];
    expect(parts.map(({ state }) => state)).toEqual([
      'output-available',
      'output-available',
      'output-error',
      'output-error',
    ]);
    expectSame(chat, session);
  });

  it.each([
    [true, 'output-available'],
    [false, 'output-denied'],
  ])('an approval answered with %s ends as %s', async (approved, state) => {
    const session = sessionOf([
      ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'Done' }
          : { toolCalls: [{ name: 'pay', input: { n: 5 } }] },
    ]);
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'Pay' });
    const part = chat.lastMessage?.parts.at(-1) as {
      state: string;
      approval: { id: string; requestReason: string };
    };
    expect(part).toMatchObject({ state: 'approval-requested', approval: { requestReason: 'Pay 5?' } });
    await chat.addToolApprovalResponse({
      id: part.approval.id,
      approved,
      ...(approved ? {} : { reason: 'no money' }),
    });
    await vi.waitFor(() =>
      expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Done', state: 'done' }),
    );
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect(chat.lastMessage?.parts).toContainEqual(expect.objectContaining({ type: 'tool-pay', state }));
    expectSame(chat, session);
  });

  it('stop ends the run, and what came stays', async () => {
    const session = sessionOf([{ text: 'word '.repeat(400), chunks: 400, delayMs: 5 }]);
    const chat = chatOf(session);
    const sent = chat.sendMessage({ text: 'Write' });
    await vi.waitFor(() => {
      expect(chat.lastMessage?.role).toBe('assistant');
      expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ type: 'text' });
    });
    await chat.stop();
    await sent;
    await vi.waitFor(() => expect(session.store.getState().status).toBe('ready'));
    expect(session.store.getState().state.execution).toMatchObject({ status: 'stopped' });
    expect(chat.status).toBe('ready');
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({
      type: 'text',
      text: expect.stringContaining('word'),
    });
  });

  it('an error of the model is the error of the chat, and regenerate answers again', async () => {
    const session = sessionOf([{ text: 'Half', error: new Error('gone') }, { text: 'Whole' }]);
    const chat = chatOf(session, { onError: () => undefined });
    await chat.sendMessage({ text: 'Hi' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/gone/);
    await chat.regenerate();
    expect(chat.status).toBe('ready');
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Whole' });
    expectSame(chat, session);
  });

  it('two turns, an edit and another answer are branches of one session', async () => {
    const session = sessionOf([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }, { text: 'Four' }]);
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'first' });
    await chat.sendMessage({
      parts: [
        { type: 'text', text: 'second' },
        { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,QQ==' },
      ],
    });
    expect(chat.messages).toHaveLength(4);
    expectSame(chat, session);
    await chat.sendMessage({ text: 'other', messageId: chat.messages[2]!.id });
    expect(chat.messages.map((message) => message.parts.at(-1))).toMatchObject([
      { text: 'first' },
      { text: 'One' },
      { text: 'other' },
      { text: 'Three' },
    ]);
    await chat.regenerate();
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Four' });
    expectSame(chat, session);
    expect(session.store.getState().tree.branches).toHaveLength(2);
  });

  it('an approval inside a subagent is answered through the chat', async () => {
    const session = delegatingSession();
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'Go' });
    const part = chat.lastMessage?.parts.at(-1) as { state: string; approval: { id: string } };
    expect(part).toMatchObject({ type: 'tool-pay', state: 'approval-requested' });
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
    await vi.waitFor(() =>
      expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'All done', state: 'done' }),
    );
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expectSame(chat, session);
  });
});

describe('the rest of the transport', () => {
  it('a tool that the interface answers gets its output through addToolOutput', async () => {
    const session = sessionOf([{ toolCalls: [{ name: 'ask', input: { n: 1 } }] }, { text: 'Thanks' }]);
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'Ask me' });
    const part = chat.lastMessage?.parts.at(-1) as { toolCallId: string; state: string };
    expect(part.state).toBe('input-available');
    await chat.addToolOutput({ tool: 'ask', toolCallId: part.toolCallId, output: 'blue' });
    await chat.sendMessage();
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Thanks' });
    expectSame(chat, session);
  });

  it('a chat that is opened in mid answer takes up the whole answer', async () => {
    const session = sessionOf([{ text: 'word '.repeat(60), chunks: 60, delayMs: 5 }]);
    void session.sendMessage('Write');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('streaming'));
    const messages = toUiMessages(session.store.getState().state) as UIMessage[];
    const chat = chatOf(session, { messages });
    await Promise.all([chat.resumeStream(), chat.resumeStream()]);
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'word '.repeat(60) });
    expect(session.store.getState().state.execution?.status).toBe('completed');
    expectSame(chat, session);
  });

  it('a run that a reload interrupted goes on with resumeStream', async () => {
    const script = [
      { toolCalls: [{ name: 'double', input: { n: 1 } }] },
      { text: 'word '.repeat(200), chunks: 200, delayMs: 5 },
    ];
    const first = sessionOf(script);
    void first.sendMessage('Write');
    await vi.waitFor(() => expect(first.store.getState().state.execution?.stepExecutions).toHaveLength(1));
    const initialState = first.store.getState().state;
    await first.stop();
    const agent = scriptedAgent([{ text: 'Later' }], { tools: [double] });
    const second = createAgentSession({ agent, initialState, publish: 'immediate' });
    await second.ready;
    const chat = chatOf(second, { messages: toUiMessages(second.store.getState().state) as UIMessage[] });
    expect(second.store.getState().status).toBe('interrupted');
    await chat.resumeStream();
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Later' });
    expectSame(chat, second);
  });

  it('a stream of a turn is read by readUIMessageStream, also when nobody reads for a while', async () => {
    const session = sessionOf([{ text: 'Hello there', chunks: 11 }]);
    const turn = session.sendMessage('Hi');
    const stream = toUiMessageStream(session, turn);
    await turn;
    let last: unknown = null;
    for await (const message of readUIMessageStream({ stream: stream as never })) last = message;
    expect(last).toMatchObject({ parts: [{ type: 'step-start' }, { type: 'text', text: 'Hello there' }] });
  });

  it('a chat that answers a call nobody waits for is told so', async () => {
    const session = sessionOf([{ text: 'One' }]);
    const chat = chatOf(session, { onError: () => undefined });
    await chat.sendMessage({ text: 'first' });
    await chat.sendMessage();
    expect(chat.error?.message).toContain('no call of this session waits');
  });
});

describe('chats of one transport', () => {
  it('a chat is told nothing of another one, and gets an error that says what to do', async () => {
    const session = sessionOf([{ text: 'One' }, { text: 'Two' }]);
    const transports = [vitrineTransport(session), vitrineTransport(session)];
    await new Chat({ id: 'anna', transport: transports[0]! }).sendMessage({ text: 'my secret is 42' });
    for (const transport of transports) {
      const onError = vi.fn();
      const ben = new Chat({ id: 'ben', transport, onError });
      await ben.sendMessage({ text: 'hello' });
      await ben.resumeStream();
      expect(ben.error?.message).toContain('a session for each thread');
      expect(onError).toHaveBeenCalledTimes(2);
    }
    const anna = new Chat({ id: 'anna', transport: transports[1]! });
    await anna.sendMessage({ text: 'again' });
    expect(anna.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Two' });
    expect(JSON.stringify(session.store.getState().state)).not.toContain('hello');
  });

  it('a function gives the session of each chat by its request, and refuses others', async () => {
    const sessions = new Map(['anna', 'ben'].map((name) => [name, sessionOf([{ text: `For ${name}` }])]));
    const transport = vitrineTransport(async (chatId, { body }) =>
      (body as { key?: string } | undefined)?.key === 'k' ? (sessions.get(chatId) ?? null) : null,
    );
    const said = async (id: string, body: object): Promise<string | undefined> => {
      const chat = new Chat({ id, transport });
      await chat.sendMessage({ text: 'hi' }, { body });
      return chat.error?.message ?? JSON.stringify(chat.lastMessage?.parts);
    };
    expect(await said('anna', { key: 'k' })).toContain('For anna');
    expect(await said('ben', { key: 'k' })).toContain('For ben');
    expect(await said('ben', {})).toContain('no session for the thread "ben"');
    expect(await said('eve', { key: 'k' })).toContain('no session for the thread "eve"');
  });
});
