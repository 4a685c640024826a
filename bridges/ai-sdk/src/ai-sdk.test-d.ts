import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { describe, expectTypeOf, it } from 'vitest';
import type { AgentSession } from '@vitrine/core';
import { importUiMessages, toUiMessages, toUiMessageStream, vitrineTransport } from '@vitrine/ai-sdk';

declare const session: AgentSession;

describe('the types of the bridge to the AI SDK', () => {
  it('messages, chunks and the transport are those of ai', () => {
    const { state } = session.store.getState();
    expectTypeOf(toUiMessages(state)).toExtend<UIMessage[]>();
    const transport: ChatTransport<UIMessage> = vitrineTransport(session);
    expectTypeOf(transport).not.toBeAny();
    expectTypeOf(toUiMessageStream(session)).toExtend<ReadableStream<UIMessageChunk>>();
    expectTypeOf<UIMessage[]>().toExtend<Parameters<typeof importUiMessages>[0]>();
  });
});
