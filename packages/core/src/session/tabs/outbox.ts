import type { Env } from '../../graph/env.ts';
import { isKept, type SessionCommand } from '../machine/session-input.ts';
import { newTurn } from '../machine/transition.ts';
import { plainInfo } from '../refused.ts';
import { type Replies, toThrown } from '../replies.ts';
import type { OutboxCommand, SessionOutbox } from '../stores/session-outbox.ts';
import { createRepeated, type Repeated } from './repeated.ts';
import type { TabMessage } from './broadcast.ts';
import type { Turn } from '../agent-session.ts';
import type { AgentState } from '../../graph/types.ts';
import { branchMessages, placesIn } from '../branches/branch-messages.ts';
import { openTurns, type SessionModel } from '../machine/session-model.ts';

/**
 * The unanswered commands of a tab, in memory and in the store, where the next leader finds them.
 */
export type Outbox = {
  readonly add: (command: SessionCommand) => void;
  readonly has: (type: SessionCommand['type']) => boolean;
  readonly all: () => readonly SessionCommand[];
  readonly settle: (commandId: string) => void;
  /**
   * Sends a command to the leader, or requests the lock, and repeats this until the command is
   * answered.
   */
  readonly send: (command: SessionCommand) => void;
  /** Writes a command to the store. */
  readonly keep: (command: SessionCommand) => void;
  /**
   * Resolves when the outbox is written: false when a command that can be stored is not in the
   * store.
   */
  readonly kept: () => Promise<boolean>;
  readonly hear: (answer: Extract<TabMessage, { readonly type: 'answer' }>) => void;
  /** Stops all repeats. Promises resolve; the turns of stored commands are reported as queued. */
  readonly end: () => void;
};

/** Pauses before a command is sent again, in milliseconds; each is twice the one before. */
const pauses = { first: 1000, longest: 30_000 };

export function createOutbox(options: {
  readonly env: Env;
  readonly replies: Replies;
  readonly say: (message: TabMessage) => void;
  /** True for a command that only this tab can do. */
  readonly needsLock: (command: SessionCommand) => boolean;
  readonly store: SessionOutbox | null;
  readonly sessionId: string;
}): Outbox {
  const { env, replies, say, needsLock, store, sessionId } = options;
  const pending = new Map<string, SessionCommand>();
  const stored = new Set<string>();
  const resending = new Map<string, Repeated>();
  const all = (): readonly SessionCommand[] => [...pending.values()];
  let storing: Promise<unknown> = Promise.resolve();

  function settle(commandId: string): void {
    pending.delete(commandId);
    resending.get(commandId)?.stop();
    resending.delete(commandId);
    if (store === null || !stored.delete(commandId)) return;
    storing = storing.then(() => store.drop(sessionId, [commandId])).catch(() => undefined);
  }

  /** Writes run one after the other, so the store keeps the order of the commands. */
  function keep(command: SessionCommand): void {
    if (store === null || !mayWait(command)) return;
    const { id } = command;
    storing = storing
      .then(() => (pending.has(id) ? store.put(sessionId, command as unknown as OutboxCommand) : undefined))
      .then(
        () => void (pending.has(id) ? stored.add(id) : store.drop(sessionId, [id]).catch(() => undefined)),
        () => undefined,
      );
  }

  function send(command: SessionCommand): void {
    if (!pending.has(command.id)) return;
    resending.get(command.id)?.stop();
    const repeated = createRepeated(env, pauses, () => sendNow(command));
    resending.set(command.id, repeated);
    repeated.now();
  }

  function sendNow(command: SessionCommand): void {
    if (needsLock(command)) return say({ type: 'wanted' });
    try {
      say({ type: 'command', command });
    } catch (thrown) {
      // The command holds a value that cannot be cloned.
      settle(command.id);
      replies.refuse([command], plainInfo(thrown));
    }
  }

  return {
    add: (command) => void pending.set(command.id, command),
    has: (wanted) => all().some(({ type }) => type === wanted),
    all,
    settle,
    send,
    keep,
    kept: () => storing.then(() => all().every((command) => !mayWait(command) || stored.has(command.id))),
    hear({ commandId, turn, error }) {
      if (!pending.has(commandId)) return;
      settle(commandId);
      if (error === null) replies.resolve(commandId, turn);
      else replies.reject(commandId, toThrown(error));
    },
    end() {
      resending.forEach((repeated) => repeated.stop());
      resending.clear();
      for (const command of pending.values()) {
        const kind = kindOf(command);
        const turn = kind && { ...newTurn(command.id, kind), stored: stored.has(command.id) };
        replies.resolve(command.id, turn);
      }
    },
  };
}

/** True for commands without a promise to settle. */
export function isTold(command: SessionCommand): boolean {
  const { type } = command;
  if (type === 'resume') return command.isAutomatic;
  return type === 'set-draft' || type === 'clear-error' || type === 'cancel-queued';
}

/** The kind of the turn that a command makes; null for commands that make none. */
export function kindOf(command: SessionCommand): Turn['kind'] | null {
  switch (command.type) {
    case 'send':
    case 'resume':
    case 'retry':
    case 'answer':
      return command.type;
    case 'move':
      return command.kind;
    default:
      return null;
  }
}

/** True for a command that begins a run, so the version of the agent matters. */
export function isRunning({ type }: SessionCommand): boolean {
  return type === 'send' || type === 'move' || type === 'retry';
}

/** True for a command that any later leader may do. A function cannot be stored. */
function mayWait(command: SessionCommand): boolean {
  if (command.type === 'resume' && command.isAutomatic) return false;
  return isKept(command) && command.type !== 'update';
}

/** True for a command that another tab may have done, so only a session that was read can tell. */
export function needsRead(command: SessionCommand): boolean {
  return mayWait(command) && command.type !== 'retry';
}

/** True when a command was taken before: its turn is open, or its message is on a branch. */
export function isKnown(model: SessionModel, state: AgentState, commandId: string): boolean {
  const lines = [state, ...model.tree.branches.map((branch) => branch.state)];
  return (
    openTurns(model).some(({ id }) => id === commandId) ||
    lines.some((said) => placesIn(branchMessages(said)).has(commandId))
  );
}
