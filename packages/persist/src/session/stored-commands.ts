import type { AgentState } from '@vitrine/core/internal/graph/types';
import { branchMessages, placesIn } from '@vitrine/core/internal/session/branches/branch-messages';
import type { SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import { openTurns, type SessionModel } from '@vitrine/core/internal/session/machine/session-model';
import type { SaveQueue } from '../writer/save-queue.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** The number of command ids that are remembered, so that no command runs twice. */
export const maxTaken = 200;

/** The ids of the commands that were taken, oldest first. */
export class TakenCommands {
  #ids: readonly string[] = [];
  #stored: ReadonlySet<string> = new Set();

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** The ids that were not read in the store, which another reader may not find there. */
  get unread(): readonly string[] {
    return this.#ids.filter((id) => !this.#stored.has(id));
  }

  add(...ids: readonly string[]): void {
    const added = ids.filter((id) => !this.#ids.includes(id));
    if (added.length > 0) this.#ids = [...this.#ids, ...added].slice(-maxTaken);
  }

  read(ids: readonly string[]): void {
    this.#stored = new Set(ids);
    this.add(...ids);
  }
}

type CommandTaker = {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly state: AgentState;
};

/** Takes the commands in the store. They leave it once their effects are stored. Never rejects. */
export async function takeCommands(
  session: CommandTaker,
  queue: SaveQueue,
  options: {
    /** The ids of the commands that were handled. */
    readonly taken: TakenCommands;
    /** Handles a command, unless it was handled before. */
    readonly enter: (command: SessionCommand) => void;
    /** True while this session runs commands. */
    readonly isRunning: () => boolean;
    /** True when the page was just opened: messages wait for the user then. */
    readonly isOpening: boolean;
  },
): Promise<void> {
  const { taken, enter, isRunning, isOpening } = options;
  const [outbox, sessionId] = [session.sessions?.outbox, session.id()];
  if (outbox === undefined || sessionId === null) return;
  try {
    const commands = (await outbox.take(sessionId)) as readonly unknown[] as readonly SessionCommand[];
    if (commands.length === 0 || !isRunning()) return;
    const before = session.state;
    for (const command of commands) enter(restoreCommand(command, before, isOpening));
    const done = commands.map(({ id }) => id).filter((id) => taken.ids.includes(id));
    // A session that does not run any more saves nothing.
    if (done.length === 0 || (await queue.flush()) !== 'saved' || !isRunning()) return;
    await outbox.drop(sessionId, done);
  } catch {
    // The store failed: the next change or the next leader looks for the commands again.
  }
}

/**
 * A command as the store held it. A message that was sent before the page was opened waits for the user, as in the stored
 * queue. So does the text of an edit whose message is in no branch any more: the tab that asked may be gone.
 */
function restoreCommand(command: SessionCommand, state: AgentState, isOpening: boolean): SessionCommand {
  const isMessage = command.type === 'send' || (command.type === 'move' && command.kind === 'edit');
  if (!isMessage || command.message === null) return command;
  const isMisplaced =
    command.type === 'move' && !placesIn(branchMessages(state)).has(command.messageId ?? '');
  if (!isOpening && !isMisplaced) return command;
  const { id, message, options } = command;
  return { type: 'send', id, message, options, onBusy: 'queue', isWaiting: true };
}

/** True when a command was taken before: its turn is open, or its message is on a branch. */
export function isKnown(
  { model, state }: { readonly model: SessionModel; readonly state: AgentState },
  commandId: string,
): boolean {
  const lines = [state, ...model.tree.branches.map((branch) => branch.state)];
  return (
    openTurns(model).some(({ id }) => id === commandId) ||
    lines.some((said) => placesIn(branchMessages(said)).has(commandId))
  );
}
