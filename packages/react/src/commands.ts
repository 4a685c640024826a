import type { SessionCommands } from '@vitrine/core/types';

/** The session's commands that `useAgent` returns. */
export type AgentCommands = Omit<SessionCommands, 'update' | 'rename'>;

/** The names of these commands. */
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
  'resolveConflict',
  'setDraft',
] as const satisfies readonly (keyof AgentCommands)[];

const commandNames = [...agentCommandNames, 'update', 'rename'] as const;

/**
 * Builds commands that look up the session at the moment of each call. Calls `onAnswered` when a command
 * settles.
 */
export function commandsOf(session: () => SessionCommands, onAnswered: () => void): SessionCommands {
  const entries = commandNames.map((name) => [
    name,
    (...values: readonly unknown[]) => {
      const answer = (session()[name] as (...values: readonly unknown[]) => unknown)(...values);
      void Promise.resolve(answer).then(onAnswered, onAnswered);
      return answer;
    },
  ]);
  return Object.fromEntries(entries) as SessionCommands;
}
