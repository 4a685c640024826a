import type { AgentDefinition, ErrorInfo } from '@vitrine/core';

export const unsteadyStore =
  'a component creates a new session store in each render, so the first one stays in use. ' +
  'Create the store once, outside of components.';

export function sameStore(identity: string): string {
  return (
    `two session stores for the same place (${JSON.stringify(identity.split(' ')[0])}) are in use, so the first one stays in use. ` +
    'Create the store once, outside of components, or give each its own name.'
  );
}

export const unsettledSelector =
  'a selector returns a new value each time it is called with the same state, so its component renders with every ' +
  'change of the session. Select existing values and compute the rest while rendering, or pass an `equal` function.';

export function twoAgents(id: string | null, kept: AgentDefinition, other: AgentDefinition): string {
  const session = id === null ? 'one session' : `the session ${JSON.stringify(id)}`;
  const names =
    kept.name === other.name
      ? `two definitions of the agent ${JSON.stringify(kept.name)}`
      : `the agents ${JSON.stringify(kept.name)} and ${JSON.stringify(other.name)}`;
  return (
    `${names} are used for ${session}, so the first one keeps answering. ` +
    'Define an agent once, outside of components, or give each its own sessionId.'
  );
}

export function unreadError(error: ErrorInfo): string {
  const code = error.code === null ? '' : ` (${error.code})`;
  return (
    `a turn failed and no component shows it. ${error.message}${code}\n` +
    'Show `error` of `useAgent` or render <Notices />, or give `onError`.'
  );
}
