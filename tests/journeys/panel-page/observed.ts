import { Chat } from '@ai-sdk/react';
import { observeChat } from '@vitrine/ai-sdk/observe';
import { DefaultChatTransport } from 'ai';

/** A chat of the AI SDK that the panel watches; `/api/chat` answers. */
export async function observed(questions: readonly string[]): Promise<void> {
  const transport = observeChat(new DefaultChatTransport({ api: '/api/chat' }));
  const chat = new Chat({ transport, onError: () => undefined });
  for (const text of questions) await chat.sendMessage({ text });
}
