import type { SessionCommands } from '@vitrine/core/types';

/** What `useAgent` gives of a session's commands. */
export type AgentCommands = Omit<SessionCommands, 'update' | 'rename'>;

/** Their names. */
export const agentCommandNames = [
  'sendMessage',
  'stop',
  'resume',
  'retry',
  'edit',
  'regenerate',
  'switchBranch',
  'fork',
  'approve',
  'reject',
  'respond',
  'respondAll',
  'setMessages',
  'clearError',
  'reset',
  'cancelQueued',
  'setDraft',
] as const satisfies readonly (keyof AgentCommands)[];

const commandNames = [...agentCommandNames, 'update', 'rename'] as const;

/** The commands of whichever session stands behind them at the moment of the call. */
export function commandsOf(session: () => SessionCommands): SessionCommands {
  const entries = commandNames.map((name) => [
    name,
    (...values: readonly unknown[]) =>
      (session()[name] as (...values: readonly unknown[]) => unknown)(...values),
  ]);
  return Object.fromEntries(entries) as SessionCommands;
}
