import type { AgentDefinition, Turn } from '@vitrine/core';
import type { ApproveOptions, SessionCommands } from '@vitrine/core/types';
import type { ToolInputs, ToolOutputs } from './agent-types.ts';

/** The session's commands that `useAgent` returns, typed by its agent. */
export interface AgentCommands<Agent extends AgentDefinition = AgentDefinition> extends Omit<
  SessionCommands,
  'update' | 'rename' | 'rate' | 'chooseModel' | 'approve' | 'respond'
> {
  /** Runs a waiting call, with edited arguments if given. Resolves with the turn that waited. */
  readonly approve: (
    toolCallId: string,
    options?: Omit<ApproveOptions, 'input'> & { readonly input?: ToolInputs<Agent> },
  ) => Promise<Turn>;
  /** Answers a call with the output that the interface provides. */
  readonly respond: (toolCallId: string, output: ToolOutputs<Agent>) => Promise<Turn>;
}

export const agentCommandNames = [
  'sendMessage',
  'stop',
  'resume',
  'retry',
  'continueRun',
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
  'pause',
  'stepOver',
  'releaseWith',
  'setBreakpoint',
  'removeBreakpoint',
  'resolveConflict',
  'moveTo',
  'setDraft',
] as const satisfies readonly (keyof AgentCommands)[];

const commandNames = [...agentCommandNames, 'update', 'rename', 'rate', 'chooseModel'] as const;

/** Builds commands that look up the session at the moment of each call. Calls `onAnswered` when a command settles. */
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
