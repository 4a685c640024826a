'use client';

import type { AgentDefinition, AgentSession as Session } from '@vitrine/core';
import type { ReactNode } from 'react';
import { AgentSessionContext } from './agent-context.ts';
import { type UseAgentOptions, useSharedSession } from './use-shared-session.ts';

/**
 * Props of `AgentSessionProvider`: an agent with the options of `useAgent`, or a session that the application created.
 */
type AgentSessionProviderProps = (
  | (UseAgentOptions & {
      /** The agent of the session, beside the options of `useAgent`. */
      readonly agent: AgentDefinition;
      readonly session?: never;
    })
  | {
      /** A session that the application created with `createAgentSession`, in place of `agent`. */
      readonly session: Session;
      readonly agent?: never;
    }
) & {
  /** The components that use the session. */
  readonly children?: ReactNode;
};

/**
 * Provides one session to the components below; `useMessage`, `useAgentState` and the other fine-grained hooks read it.
 */
export function AgentSessionProvider({ children, ...props }: AgentSessionProviderProps): ReactNode {
  const session = useSharedSession(props.session === undefined ? props.agent : props, optionsOf(props));
  return <AgentSessionContext.Provider value={session}>{children}</AgentSessionContext.Provider>;
}
AgentSessionProvider.displayName = 'AgentSessionProvider';

function optionsOf(props: AgentSessionProviderProps): UseAgentOptions {
  if (props.session !== undefined) return {};
  const { agent: _agent, children: _children, session: _session, ...options } = props;
  return options;
}
