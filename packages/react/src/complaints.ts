import type { AgentDefinition } from '@vitrine/core';

/** Sentences about mistakes of an application, which no page loads in production. */

export const unsteadyStore =
  'a component makes another session store each time it renders; the first one stays. ' +
  'Make the store once, outside of components.';

export const unsettledSelector =
  'a selector gives another value each time it is asked about the same state, so that its component renders with every ' +
  'change of the session. Select what is there and compute the rest while rendering, or give an `equal` that knows when ' +
  'two values are the same.';

export function twoAgents(session: string, kept: AgentDefinition, other: AgentDefinition): string {
  const names =
    kept.name === other.name
      ? `two definitions of the agent ${JSON.stringify(kept.name)}`
      : `the agents ${JSON.stringify(kept.name)} and ${JSON.stringify(other.name)}`;
  return (
    `${names} are used for ${session}; the first goes on answering. ` +
    'Define an agent once, outside of components, or give each its own sessionId.'
  );
}
