import type { AgentDefinition, AgentSession as AgentSessionController } from '@vitrine/core';
import type { ReactNode } from 'react';
import { SessionEntryContext } from './agent-context.ts';
import { type UseAgentOptions, useSessionEntry } from './use-session-entry.ts';

/** The controller of a session, as `createAgentSession` makes it. */
export type AgentSession = AgentSessionController;

export type AgentSessionProps = UseAgentOptions & {
  readonly agent: AgentDefinition;
  readonly children?: ReactNode;
};

/** One session for the components below; `useMessage`, `useAgentState` and the other fine-grained hooks read it. */
export function AgentSession({ agent, children, ...options }: AgentSessionProps): ReactNode {
  const entry = useSessionEntry(agent, options);
  return <SessionEntryContext.Provider value={entry}>{children}</SessionEntryContext.Provider>;
}
