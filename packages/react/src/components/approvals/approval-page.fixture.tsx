import { act, render, screen } from '@testing-library/react';
import { type AgentDefinition, AgentSessionProvider, useAgentSession } from '../../index.ts';
import { Approvals, RememberedDecisions } from './approvals.tsx';

/**
 * Renders the approvals of an agent and returns a function that sends it a text. The function does not wait
 * for the answer.
 */
export function drawApprovals(agent: AgentDefinition): (text: string) => Promise<void> {
  let send: (text: string) => unknown = () => undefined;
  const Page = (): null => {
    send = useAgentSession().sendMessage;
    return null;
  };
  render(
    <AgentSessionProvider agent={agent}>
      <Page />
      <Approvals />
      <RememberedDecisions />
    </AgentSessionProvider>,
  );
  return (text) => act(async () => void send(text));
}

/** Presses a button as soon as it appears. */
export async function press(name: string): Promise<void> {
  const button = await screen.findByRole('button', { name });
  await act(async () => button.click());
}
