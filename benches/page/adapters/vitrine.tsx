import {
  AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  Message,
  useAgent,
  useAgentSession,
  useMessage,
  useMessageIds,
  Usage,
} from '@vitrine/react';
import { memo, type ReactNode } from 'react';
import { type Adapter, deltas, historyText, type Scenario } from '../scenario.ts';
import { Live, Old } from '../views.tsx';

function setUp(scenario: Scenario): { agent: ReturnType<typeof defineAgent>; initialState: AgentState } {
  const inference: InferenceClient = {
    async *stream() {
      for await (const delta of deltas(scenario)) yield { type: 'text-delta', delta };
      yield { type: 'finish', finishReason: 'stop', usage: Usage.none() };
    },
  };
  const messages = Array.from({ length: scenario.history }, (_, index) =>
    Message.user(historyText(index), { id: `old-${index}` }),
  );
  return {
    agent: defineAgent({ name: 'bench', systemPrompt: '', inference }),
    initialState: AgentState.create({ messages }),
  };
}

const isOld = (message: Message): boolean => message.role === 'user';

/** Default options, one subscription per message. */
export const vitrine: Adapter = (scenario) => {
  const { agent, initialState } = setUp(scenario);
  let session: ReturnType<typeof useAgentSession> | null = null;
  const Item = memo(function Item({ id }: { readonly id: string }): ReactNode {
    const message = useMessage(id);
    if (message === null) return null;
    return isOld(message) ? <Old text={Message.text(message)} /> : <Live text={Message.text(message)} />;
  });
  function List(): ReactNode {
    session = useAgentSession();
    return useMessageIds().map((id) => <Item key={id} id={id} />);
  }
  return {
    App: () => (
      <AgentSession agent={agent} initialState={initialState}>
        <List />
      </AgentSession>
    ),
    start: async () => void (await session?.sendMessage('Go')),
  };
};

/** Default options, the messages of `useAgent` mapped. */
export const vitrineUseAgent: Adapter = (scenario) => {
  const session = createAgentSession(setUp(scenario));
  const App = (): ReactNode => {
    const { messages } = useAgent({ session });
    return messages.map((message) =>
      isOld(message) ? (
        <Old key={message.id} text={Message.text(message)} />
      ) : (
        <Live key={message.id} text={Message.text(message)} />
      ),
    );
  };
  return { App, start: async () => void (await session.sendMessage('Go')) };
};
