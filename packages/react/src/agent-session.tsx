'use client';

import type { AgentDefinition, AgentSession as SessionController } from '@vitrine/core';
import type { ReactNode } from 'react';
import { AgentSessionContext } from './agent-context.ts';
import { type UseAgentOptions, useSharedSession } from './use-shared-session.ts';

/**
 * Props of `AgentSession`: an agent with the options of `useAgent`, or a session that the application
 * created.
 */
export type AgentSessionProps = (
  | (UseAgentOptions & { readonly agent: AgentDefinition; readonly session?: never })
  | { readonly session: SessionController; readonly agent?: never }
) & { readonly children?: ReactNode };

/**
 * Provides one session to the components below; `useMessage`, `useAgentState` and the other fine-grained
 * hooks read it.
 */
export function AgentSession({ children, ...props }: AgentSessionProps): ReactNode {
  const session = useSharedSession(props.session === undefined ? props.agent : props, optionsOf(props));
  return <AgentSessionContext.Provider value={session}>{children}</AgentSessionContext.Provider>;
}
AgentSession.displayName = 'AgentSession';

function optionsOf(props: AgentSessionProps): UseAgentOptions {
  if (props.session !== undefined) return {};
  const { agent: _agent, children: _children, session: _session, ...options } = props;
  return options;
}
