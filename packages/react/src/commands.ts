import type { SessionCommands } from '@vitrine/core';

/** What can be asked of a session; `useAgent` gives them under the same names. */
export const commandNames = [
  'sendMessage',
  'stop',
  'resume',
  'retry',
  'approve',
  'reject',
  'respond',
  'respondAll',
  'setMessages',
  'update',
  'rename',
  'clearError',
  'reset',
  'cancelQueued',
  'setDraft',
] as const satisfies readonly (keyof SessionCommands)[];

/** The commands of whichever session stands behind them at the moment of the call. */
export function commandsOf(session: () => SessionCommands): SessionCommands {
  const entries = commandNames.map((name) => [
    name,
    (...values: readonly unknown[]) =>
      (session()[name] as (...values: readonly unknown[]) => unknown)(...values),
  ]);
  return Object.fromEntries(entries) as SessionCommands;
}
