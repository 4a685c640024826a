import { createRepeated, type Repeated } from '@vitrine/core/internal/kit/async';
import type { Turn } from '@vitrine/core/internal/session/agent-session';
import { isKept, type SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import { newTurn } from '@vitrine/core/internal/session/machine/transition';
import { toThrown, plainInfo } from '@vitrine/core/internal/session/replies';
import { awaitStore } from '../writer/save-queue.ts';
import type { OutboxCommand } from '@vitrine/core/internal/session/store/session-outbox';
import type { Answer } from './protocol.ts';
import type { LinkParts } from './link-parts.ts';

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
  readonly whenKept: () => Promise<boolean>;
  readonly receive: (answer: Answer) => void;
  /** Stops all repeats. Promises resolve; the turns of stored commands are reported as queued. */
  readonly end: () => void;
};

/** Pauses before a command is sent again, in milliseconds; each is twice the one before. */
const pauses = { first: 1000, longest: 30_000 };

type OutboxOptions = Pick<LinkParts, 'session' | 'replies' | 'say'> & {
  /** True for a command that only this tab can do. */
  readonly needsLock: (command: SessionCommand) => boolean;
};

export function createOutbox({ session, replies, say, needsLock }: OutboxOptions): Outbox {
  const store = session.sessions?.outbox ?? null;
  const sessionId = session.id() ?? '';
  const pending = new Map<string, SessionCommand>();
  const stored = new Set<string>();
  const resending = new Map<string, Repeated>();
  const all = (): readonly SessionCommand[] => [...pending.values()];
  let storing: Promise<unknown> = Promise.resolve();
  const inTime = (asked: Promise<unknown>): Promise<unknown> => awaitStore(session.env, asked);

  function settle(commandId: string): void {
    pending.delete(commandId);
    resending.get(commandId)?.stop();
    resending.delete(commandId);
    if (store === null || !stored.delete(commandId)) return;
    storing = storing.then(() => inTime(store.drop(sessionId, [commandId]))).catch(() => undefined);
  }

  /** Writes run one after the other, so the store keeps the order of the commands. */
  function keep(command: SessionCommand): void {
    if (store === null || !mayWait(command)) return;
    const { id } = command;
    storing = storing
      .then(async () => {
        if (!pending.has(id)) return;
        await inTime(store.put(sessionId, command as unknown as OutboxCommand));
        if (pending.has(id)) stored.add(id);
        else await inTime(store.drop(sessionId, [id]));
      })
      .catch(() => undefined);
  }

  function send(command: SessionCommand): void {
    if (!pending.has(command.id)) return;
    resending.get(command.id)?.stop();
    const repeated = createRepeated(session.env, pauses, () => sendNow(command));
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
    whenKept: () => storing.then(() => all().every((command) => !mayWait(command) || stored.has(command.id))),
    receive({ commandId, turn, error }) {
      const command = pending.get(commandId);
      if (command === undefined) return;
      settle(commandId);
      const kind = kindOf(command);
      if (error === null) replies.resolve(commandId, turn);
      // A server may refuse a command that no session has seen; its turn says so.
      else if (kind !== null) replies.resolve(commandId, { ...newTurn(commandId, kind, 'refused'), error });
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
export function isUnanswered(command: SessionCommand): boolean {
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
    case 'continue':
    case 'answer':
      return command.type;
    case 'move':
      return command.kind;
    case 'debug':
      return command.action.type === 'release' ? 'answer' : null;
    default:
      return null;
  }
}

/** True for a command that begins a run, so the version of the agent matters. */
export function isRunning({ type }: SessionCommand): boolean {
  return type === 'send' || type === 'move' || type === 'retry' || type === 'continue';
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
