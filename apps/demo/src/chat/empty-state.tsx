import { useAgentSession, useAgentStatus } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { type AgentCard, agentCards, type Example } from '../agents/agent-cards.ts';

type EmptyStateProps = {
  /** True if a stored session may still be loading. */
  readonly mayBeStored: boolean;
  readonly card: AgentCard;
  /** Chooses another agent for this session; null when it has the only one of its place. */
  readonly onChoose: ((id: string) => void) | null;
};

/** The start of a session: the choice of the agent, and example prompts. */
export function EmptyState({ card, mayBeStored, onChoose }: EmptyStateProps): ReactNode {
  const { sendMessage } = useAgentSession();
  const { status } = useAgentStatus();
  const [asked, setAsked] = useState<string | null>(null);
  if (mayBeStored && status === 'loading') return null;
  const ask = async ({ text, file }: Example): Promise<void> => {
    // The agent may still be loading, so a second click must not send twice.
    if (asked !== null) return;
    setAsked(text);
    try {
      await sendMessage({ text, files: file ? [await file()] : [] });
    } finally {
      setAsked(null);
    }
  };
  return (
    <section className="empty-state">
      <h2>What would you like to see?</h2>
      <p>The panel shows every step of the agent as it happens, and why it stopped.</p>
      {onChoose !== null && (
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
      )}
      <ul aria-label="Examples">
        {card.examples.map((example) => (
          <li key={example.text}>
            <button
              className="vitrine-button example"
              aria-disabled={asked !== null}
              aria-busy={asked === example.text}
              onClick={() => void ask(example)}
            >
              {example.text}
              {example.file && <span className="with-file"> with a table</span>}
            </button>
          </li>
        ))}
      </ul>
      <p className="to-gallery">
        <a href="?fault">Break something</a>: thirty agents with one fault each. The panel finds it. Type /
        for commands, @ for tools.
      </p>
    </section>
  );
}
