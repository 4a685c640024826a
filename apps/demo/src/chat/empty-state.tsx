import { useAgentSession, useAgentStatus } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { type AgentCard, agentCards, type Example } from '../agents/agent-cards.ts';

type EmptyStateProps = {
  /** Something may be stored, that is not here yet. */
  readonly mayBeStored: boolean;
  readonly card: AgentCard;
  /** Has another agent answer in this session. */
  readonly onChoose: (id: string) => void;
};

/** Stands where nothing has been said: who should answer, and what it can be asked. */
export function EmptyState({ card, mayBeStored, onChoose }: EmptyStateProps): ReactNode {
  const { sendMessage } = useAgentSession();
  const { status } = useAgentStatus();
  const [asked, setAsked] = useState<string | null>(null);
  if (mayBeStored && status === 'loading') return null;
  const ask = ({ text, file }: Example): void => {
    // What answers may still be on its way: a second click asks nothing twice.
    if (asked !== null) return;
    setAsked(text);
    void sendMessage({ text, files: file ? [file()] : [] }).finally(() => setAsked(null));
  };
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
            <button
              className="vitrine-button example"
              aria-disabled={asked !== null}
              aria-busy={asked === example.text}
              onClick={() => ask(example)}
            >
              {example.text}
              {example.file && <span className="with-file"> with a table</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
