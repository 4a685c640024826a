import type { ErrorInfo } from '../graph/error-info.ts';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';
import { createDeferred, type Deferred } from '../kit/deferred.ts';
import type { Turn } from './agent-session.ts';
import type { SessionCommand } from './machine/session-input.ts';
import { newTurn } from './machine/transition.ts';

/** The open promises of callers. */
export type Replies = ReturnType<typeof createReplies>;

/** The turns that commands make; null for commands without one, which reject so that they do not seem done. */
const kinds: Partial<Record<SessionCommand['type'], Turn['kind'] | null>> = {
  send: 'send',
  resume: 'resume',
  retry: 'retry',
  continue: 'continue',
  answer: 'answer',
  update: null,
  reset: null,
  rename: null,
  rate: null,
  'choose-model': null,
  fork: null,
  depart: null,
  arrive: null,
};

export function createReplies() {
  const open = new Map<string, Deferred<Turn | null>>();

  function take(commandId: string): Deferred<Turn | null> | undefined {
    const found = open.get(commandId);
    open.delete(commandId);
    return found;
  }

  return {
    /** Returns the promise of a command, shared by all callers of the same id. Only commands about the state may reject. */
    expect(commandId: string): Promise<Turn | null> {
      const deferred = open.get(commandId) ?? createDeferred<Turn | null>();
      open.set(commandId, deferred);
      return deferred.promise;
    },
    resolve: (commandId: string, turn: Turn | null): void => take(commandId)?.resolve(turn),
    reject: (commandId: string, thrown: unknown): void => take(commandId)?.reject(thrown),
    /** Refuses commands that the machine never received. */
    refuse(commands: readonly SessionCommand[], error: ErrorInfo): void {
      for (const command of commands) {
        const { id, type } = command;
        const kind = type === 'move' ? command.kind : kinds[type];
        if (kind === null) take(id)?.reject(toThrown(error));
        else take(id)?.resolve(kind === undefined ? null : { ...newTurn(id, kind, 'refused'), error });
      }
    },
  };
}

/** Converts an error from data to an AgentError to throw. */
export function toThrown({ code, message, data }: ErrorInfo): AgentError {
  return new AgentError((code ?? 'state-invalid') as AgentErrorCode, message, { data });
}

/** An error from before the engine is loaded, which would mask secrets: names and sentences of the platform. */
export function plainInfo(thrown: unknown): ErrorInfo {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name, message, code: null, data: {}, cause: null };
}

/** The time limit of a store's answer in milliseconds. After it people are told that the store does not answer. */
export const storeLimitMs = 10_000;
