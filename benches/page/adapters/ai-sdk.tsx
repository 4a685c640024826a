import { useChat } from '@ai-sdk/react';
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import type { ReactNode } from 'react';
import { type Adapter, deltas, historyText, type Scenario } from '../scenario.ts';
import { Live, Old } from '../views.tsx';

const textOf = (message: UIMessage): string =>
  message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

async function* chunks(scenario: Scenario): AsyncGenerator<UIMessageChunk> {
  yield { type: 'start', messageId: 'live' };
  yield { type: 'text-start', id: 't' };
  for await (const delta of deltas(scenario)) yield { type: 'text-delta', id: 't', delta };
  yield { type: 'text-end', id: 't' };
  yield { type: 'finish' };
}

/** useChat with its defaults, the messages mapped. */
export const aiSdk: Adapter = (scenario) => {
  const transport: ChatTransport<UIMessage> = {
    async sendMessages() {
      const source = chunks(scenario);
      return new ReadableStream({
        async pull(controller) {
          const { done, value } = await source.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
    },
    reconnectToStream: async () => null,
  };
  const messages: UIMessage[] = Array.from({ length: scenario.history }, (_, index) => ({
    id: `old-${index}`,
    role: 'user',
    parts: [{ type: 'text', text: historyText(index) }],
  }));
  let send: (() => Promise<void>) | null = null;
  const App = (): ReactNode => {
    const chat = useChat({ transport, messages });
    send = () => chat.sendMessage({ text: 'Go' });
    return chat.messages.map((message) =>
      message.role === 'user' ? (
        <Old key={message.id} text={textOf(message)} />
      ) : (
        <Live key={message.id} text={textOf(message)} />
      ),
    );
  };
  return { App, start: async () => void (await send?.()) };
};
