import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import {
  AbstractChat,
  type ChatTransport as ChatTransport6,
  readUIMessageStream,
  simulateReadableStream,
  ToolLoopAgent,
  type UIMessage as UIMessage6,
  type UIMessageChunk as UIMessageChunk6,
} from 'ai-6';
import { MockLanguageModelV3 } from 'ai-6/test';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type AgentSession, AgentState } from '@vitrine/core';
import { importUiMessages, toUiMessages, toUiMessageStream, vitrineTransport } from '@vitrine/ai-sdk';
import { double, sessionOf } from '../../packages/testing/src/bridged-session.fixture.ts';
import { observeChat } from '../../bridges/ai-sdk/src/observe/index.ts';
import {
  expectSound,
  recordEachTest,
  watchedRecord,
} from '../../packages/inspect/src/foreign/observed-journals.fixture.ts';

describe('the bridge to the AI SDK with ai 6', () => {
  recordEachTest();

  it('messages, chunks and the transport have the types of ai 6 and 7', () => {
    type Ours = ReturnType<typeof toUiMessages>;
    expectTypeOf<Ours>().toExtend<UIMessage[]>();
    expectTypeOf<Ours>().toExtend<UIMessage6[]>();
    type Both = ChatTransport<UIMessage> & ChatTransport6<UIMessage6>;
    expectTypeOf<ReturnType<typeof vitrineTransport>>().toExtend<Both>();
    expectTypeOf<ReturnType<typeof vitrineTransport>>().not.toBeAny();
    type Stream = ReturnType<typeof toUiMessageStream>;
    expectTypeOf<Stream>().toExtend<ReadableStream<UIMessageChunk>>();
    expectTypeOf<UIMessage6[]>().toExtend<Parameters<typeof importUiMessages>[0]>();
    expectTypeOf<UIMessageChunk6>().not.toBeAny();
  });

  it('its Chat shows the answer of the session', async () => {
    class State6 {
      status = 'ready' as const;
      error = undefined;
      messages: never[] = [];
      pushMessage = (message: never): void => void (this.messages = [...this.messages, message]);
      popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
      replaceMessage = (at: number, message: never): void =>
        void (this.messages = this.messages.with(at, message));
      snapshot = <T>(value: T): T => structuredClone(value);
    }
    class Chat6 extends AbstractChat<never> {
      constructor(session: AgentSession) {
        super({ state: new State6() as never, transport: vitrineTransport(session) as never });
      }
    }
    const session = sessionOf([
      { text: 'Say', toolCalls: [{ name: double.name, input: { n: 4 } }] },
      { text: 'Done' },
    ]);
    const chat = new Chat6(session);
    await chat.sendMessage({ text: 'Hi' });
    const own = toUiMessages(session.store.getState().state);
    const shown = chat.messages as readonly UIMessage6[];
    expect(shown.map(shownOf)).toEqual(own.map(shownOf));
    expect(shown.at(-1)?.metadata).toEqual(JSON.parse(JSON.stringify(own.at(-1)?.metadata)));
  });

  it('its readUIMessageStream reads the stream of a turn, also when nobody reads for a while', async () => {
    const session = sessionOf([{ text: 'Hello there', chunks: 11 }]);
    const turn = session.sendMessage('Hi');
    const stream = toUiMessageStream(session, turn);
    await turn;
    let last: unknown = null;
    for await (const message of readUIMessageStream({ stream: stream as never })) last = message;
    expect(last).toMatchObject({ parts: [{ type: 'step-start' }, { type: 'text', text: 'Hello there' }] });
  });

  it('a stream of its agent is read by the panel', async () => {
    const count = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const chunks = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hello ' },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: count },
    ];
    const model = new MockLanguageModelV3({
      doStream: () => Promise.resolve({ stream: simulateReadableStream({ chunks }) as never }),
    });
    const agent = new ToolLoopAgent({ model });
    const transport = observeChat({
      sendMessages: async (_asked: object) => (await agent.stream({ prompt: 'Hi' })).toUIMessageStream(),
      reconnectToStream: () => Promise.resolve(null),
    });
    const messages = [{ id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] }];
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'six',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    for await (const message of readUIMessageStream({ stream })) expect(message.role).toBe('assistant');
    expect(AgentState.finalResponse(watchedRecord().state)).toBe('Hello ');
    expectSound(watchedRecord());
  });
});

/** The id and the parts of a message, without what a stream and a snapshot name differently. */
function shownOf({ id, parts }: { readonly id: string; readonly parts: readonly object[] }): unknown {
  return {
    id,
    parts: parts.map((part) => JSON.parse(JSON.stringify({ ...part, id: undefined })) as unknown),
  };
}
