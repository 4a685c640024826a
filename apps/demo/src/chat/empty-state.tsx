import { useAgentSession } from '@vitrine/react';
import type { ReactNode } from 'react';

const examples = [
  'What is 12 * (3 + 4)?',
  'Remember that the demo is on Friday',
  'Show me some markdown',
  'Write a long answer',
];

export function EmptyState(): ReactNode {
  const { sendMessage } = useAgentSession();
  return (
    <section className="empty-state">
      <h2>What would you like to see?</h2>
      <p>Every step that the agent takes appears in the panel as it happens, and why it stopped.</p>
      <ul>
        {examples.map((text) => (
          <li key={text}>
            <button className="vitrine-button example" onClick={() => void sendMessage(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
