import {
  AgentSessionProvider,
  AgentState,
  defineAgent,
  Message,
  proxyInference,
  useAgent,
  useAgentSession,
  useMessage,
  useMessageIds,
} from '@vitrine/react';
import { memo, type ReactNode } from 'react';
import { historyText } from '../../stream-script.ts';
import { type Adapter, type AdapterParams, upstreamOf } from '../adapter.ts';
import { history, Row, type RowMessage } from '../row.tsx';

function setUp(params: AdapterParams) {
  const messages = Array.from({ length: params.history }, (_, index) => {
    const message = (index % 2 === 0 ? Message.user : Message.assistant)(historyText(index));
    history.add(message.id);
    return message;
  });
  const inference = proxyInference(upstreamOf(params, 'v'));
  return {
    agent: defineAgent({ name: 'bench', systemPrompt: '', inference }),
    initialState: AgentState.create({ messages }),
  };
}

/** Default options with the mapped messages of `useAgent`, as most applications use it. */
export const vitrineUseAgent: Adapter = (params) => {
  const { agent, initialState } = setUp(params);
  let send: ((text: string) => Promise<unknown>) | null = null;
  const App = (): ReactNode => {
    const { messages, sendMessage } = useAgent(agent, { initialState });
    send = sendMessage;
    return messages.map((message) => <Row key={message.id} message={message as RowMessage} />);
  };
  return { App, send: async () => void (await send?.('Go')) };
};

/** Default options with one subscription per message, as an application with long histories uses it. */
export const vitrineUseMessage: Adapter = (params) => {
  const { agent, initialState } = setUp(params);
  let send: ((text: string) => Promise<unknown>) | null = null;
  const Item = memo(function Item({ id }: { readonly id: string }): ReactNode {
    const message = useMessage(id);
    return message === null ? null : <Row message={message as RowMessage} />;
  });
  function List(): ReactNode {
    send = useAgentSession().sendMessage;
    return useMessageIds().map((id) => <Item key={id} id={id} />);
  }
  return {
    App: () => (
      <AgentSessionProvider agent={agent} initialState={initialState}>
        <List />
      </AgentSessionProvider>
    ),
    send: async () => void (await send?.('Go')),
  };
};
