import { useAgentSession } from '@vitrine/react';
import type { ReactNode } from 'react';
import { type AgentCard, agentCards, type Example } from '../agents/agents.ts';

type EmptyStateProps = {
  readonly card: AgentCard;
  /** Has another agent answer in this session. */
  readonly onChoose: (id: string) => void;
};

/** Stands where nothing has been said: who should answer, and what it can be asked. */
export function EmptyState({ card, onChoose }: EmptyStateProps): ReactNode {
  const { sendMessage } = useAgentSession();
  const ask = ({ text, file }: Example): void => void sendMessage({ text, files: file ? [file()] : [] });
  return (
    <section className="empty-state">
      <h2>What would you like to see?</h2>
      <p>Every step that an agent takes appears in the panel as it happens, and why it stopped.</p>
      <fieldset className="agent-picker">
        <legend>Who should answer?</legend>
        {agentCards.map(({ id, name, about }) => (
          <label key={id} className="agent-card">
            <input
              type="radio"
              name="agent"
              value={id}
              checked={id === card.id}
              onChange={() => onChoose(id)}
            />
            <span className="agent-name">{name}</span>
            <span className="agent-about">{about}</span>
          </label>
        ))}
      </fieldset>
      <ul aria-label="Examples">
        {card.examples.map((example) => (
          <li key={example.text}>
            <button className="vitrine-button example" onClick={() => ask(example)}>
              {example.text}
              {example.file && <span className="with-file"> with a table</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
