import type { AgentDefinition } from '@vitrine/core';
import { useAgent, type UseAgentOptions } from '@vitrine/react';
import type { ReactNode } from 'react';
import { textOf } from './agents.ts';

export type ChatProps = {
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly options?: UseAgentOptions;
};

/** A small chat, as an application would write it. */
export function Chat({ name, agent, options }: ChatProps): ReactNode {
  const { id, messages, status, sendMessage } = useAgent(agent, options);
  return (
    <section aria-label={name} data-status={status} data-id={id ?? 'none'}>
      <ol>
        {messages.map((message) => (
          <li key={message.id}>{textOf(message)}</li>
        ))}
      </ol>
      <button type="button" onClick={() => void sendMessage('question')}>
        Ask {name}
      </button>
    </section>
  );
}
