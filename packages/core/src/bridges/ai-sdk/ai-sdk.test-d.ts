import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import type {
  ChatTransport as ChatTransport6,
  UIMessage as UIMessage6,
  UIMessageChunk as UIMessageChunk6,
} from 'ai-6';
import { describe, expectTypeOf, it } from 'vitest';
import type { AgentSession } from '@vitrine/core';
import { importUiMessages, toUiMessages, toUiMessageStream, vitrineTransport } from '@vitrine/core/ai-sdk';

declare const session: AgentSession;

describe('the types of the bridge to the AI SDK', () => {
  it('messages, chunks and the transport are those of ai 6 and 7', () => {
    const { state } = session.store.getState();
    expectTypeOf(toUiMessages(state)).toExtend<UIMessage[]>();
    expectTypeOf(toUiMessages(state)).toExtend<UIMessage6[]>();
    const transport: ChatTransport<UIMessage> & ChatTransport6<UIMessage6> = vitrineTransport(session);
    expectTypeOf(transport).not.toBeAny();
    expectTypeOf(toUiMessageStream(session)).toExtend<ReadableStream<UIMessageChunk>>();
    expectTypeOf<UIMessage[]>().toExtend<Parameters<typeof importUiMessages>[0]>();
    expectTypeOf<UIMessage6[]>().toExtend<Parameters<typeof importUiMessages>[0]>();
    expectTypeOf<UIMessageChunk6>().not.toBeAny();
  });
});
