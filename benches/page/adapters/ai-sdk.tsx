import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import type { ReactNode } from 'react';
import { historyText } from '../../stream-script.ts';
import { type Adapter, upstreamOf } from '../adapter.ts';
import { history, Row, type RowMessage } from '../row.tsx';

/** useChat with its defaults over its own transport, with mapped messages. */
export const aiSdk: Adapter = (params) => {
  const { url: api, fetch } = upstreamOf(params, 'ai-sdk');
  const transport = new DefaultChatTransport({ api, fetch });
  const messages = Array.from({ length: params.history }, (_, index): UIMessage => {
    history.add(`old-${index}`);
    const parts: UIMessage['parts'] = [{ type: 'text', text: historyText(index) }];
    return { id: `old-${index}`, role: index % 2 === 0 ? 'user' : 'assistant', parts };
  });
  let send: (() => Promise<void>) | null = null;
  const App = (): ReactNode => {
    const chat = useChat({ transport, messages });
    send = () => chat.sendMessage({ text: 'Go' });
    return chat.messages.map((message) => <Row key={message.id} message={message as RowMessage} />);
  };
  return { App, send: async () => send?.() };
};
