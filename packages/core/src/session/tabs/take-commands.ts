import type { AgentState } from '../../graph/types.ts';
import { branchMessages, placesIn } from '../branches/branch-messages.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import type { SaveOutcome } from '../saving/save-queue.ts';
import type { SessionOutbox } from '../stores/session-outbox.ts';
import type { TakenCommands } from './command-receiver.ts';

/** The session that takes commands out of its store. */
export type CommandTaker = {
  readonly outbox: SessionOutbox;
  readonly sessionId: string;
  /** The ids of the commands that were handled. */
  readonly taken: TakenCommands;
  readonly state: () => AgentState;
  readonly flush: () => Promise<SaveOutcome>;
  /** Handles a command, unless it was handled before. */
  readonly enter: (command: SessionCommand) => void;
  /** True while this session runs commands. */
  readonly isRunning: () => boolean;
  /** True when the page was just opened: messages wait for the user then. */
  readonly isOpening: boolean;
};

/** Takes the commands in the store. They leave it once their effects are stored. Never rejects. */
export async function takeCommands(taker: CommandTaker): Promise<void> {
  const { outbox, sessionId, taken, state, flush, enter, isRunning, isOpening } = taker;
  try {
    const commands = (await outbox.take(sessionId)) as readonly unknown[] as readonly SessionCommand[];
    if (commands.length === 0 || !isRunning()) return;
    const before = state();
    for (const command of commands) enter(kept(command, before, isOpening));
    const done = commands.map(({ id }) => id).filter((id) => taken.ids().includes(id));
    // A session that does not run any more saves nothing.
    if (done.length === 0 || (await flush()) !== 'saved' || !isRunning()) return;
    await outbox.drop(sessionId, done);
  } catch {
    // The store failed: the next change or the next leader looks for the commands again.
  }
}

/**
 * A command as the store held it. A message that was sent before the page was opened waits for the user, as in the stored
 * queue. So does the text of an edit whose message is in no branch any more: the tab that asked may be gone.
 */
function kept(command: SessionCommand, state: AgentState, isOpening: boolean): SessionCommand {
  const isMessage = command.type === 'send' || (command.type === 'move' && command.kind === 'edit');
  if (!isMessage || command.message === null) return command;
  const isMisplaced =
    command.type === 'move' && !placesIn(branchMessages(state)).has(command.messageId ?? '');
  if (!isOpening && !isMisplaced) return command;
  const { id, message, options } = command;
  return { type: 'send', id, message, options, onBusy: 'queue', isWaiting: true };
}
