import type { Env } from '../../graph/env.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import { newTurn } from '../machine/new-turn.ts';
import { plainInfo } from '../refused.ts';
import { type Replies, toThrown } from '../replies.ts';
import type { OutboxCommand, SessionOutbox } from '../stores/session-outbox.ts';
import { createRepeated, type Repeated } from './repeated.ts';
import { kindOf, mayWait } from './tab-commands.ts';
import type { TabMessage } from './tab-message.ts';

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
