import { newTurn } from '../machine/new-turn.ts';
import { plainInfo } from '../refused.ts';
import { type Replies, toThrown } from '../replies.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import { kindOf } from './tab-commands.ts';
import type { TabMessage } from './tab-message.ts';

/** What was asked for in a tab and is not answered. */
export type Outbox = {
  readonly add: (command: SessionCommand) => void;
  readonly has: (type: SessionCommand['type']) => boolean;
  readonly all: () => readonly SessionCommand[];
  readonly settle: (commandId: string) => void;
  /** Sends a command to the runner, or asks for the lock. */
  readonly send: (command: SessionCommand) => void;
  readonly hear: (answer: Extract<TabMessage, { readonly type: 'answer' }>) => void;
  /** Nobody waits any more: what was asked for is the matter of others. */
  readonly end: () => void;
};

export function createOutbox(options: {
  readonly replies: Replies;
  readonly say: (message: TabMessage) => void;
  /** True for what no other tab can do. */
  readonly needsLock: (command: SessionCommand) => boolean;
}): Outbox {
  const { replies, say, needsLock } = options;
  const pending = new Map<string, SessionCommand>();
  return {
    add: (command) => void pending.set(command.id, command),
    has: (wanted) => [...pending.values()].some(({ type }) => type === wanted),
    all: () => [...pending.values()],
    settle: (commandId) => void pending.delete(commandId),
    send(command) {
      if (needsLock(command)) return say({ type: 'wanted' });
      try {
        say({ type: 'command', command });
      } catch (thrown) {
        // It holds something that cannot be copied.
        pending.delete(command.id);
        replies.refuse([command], plainInfo(thrown));
      }
    },
    hear({ commandId, turn, error }) {
      if (!pending.delete(commandId)) return;
      if (error === null) replies.resolve(commandId, turn);
      else replies.reject(commandId, toThrown(error));
    },
    end() {
      for (const command of pending.values()) {
        const kind = kindOf(command);
        replies.resolve(command.id, kind === null ? null : newTurn(command.id, kind));
      }
    },
  };
}
