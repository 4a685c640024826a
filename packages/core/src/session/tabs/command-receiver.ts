import { errorInfo } from '../../graph/error-info.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Replies } from '../replies.ts';
import type { SessionCommand, SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { Broadcast, TabMessage } from './broadcast.ts';
import { isKnown, isTold, kindOf, needsRead } from './outbox.ts';
import { branchMessages, placesIn } from '../branches/branch-messages.ts';
import type { SaveOutcome } from '../saving/save-queue.ts';
import type { SessionOutbox } from '../stores/session-outbox.ts';

/** The number of command ids that are remembered, so that no command runs twice. */
const maxTaken = 200;

/** The receiver of commands in the leader. Commands of other tabs get an answer message. */
export type CommandReceiver = {
  /** Takes a command of another tab. A repeated command gets the stored answer again. */
  readonly take: (command: SessionCommand) => void;
  /** True for a command of another tab that has no answer yet. */
  readonly isAnswering: (commandId: string) => boolean;
  /** Takes a command of this tab that was given while another tab led. */
  readonly takeOwn: (command: SessionCommand) => void;
};

/** The ids of the commands that were taken, oldest first. */
export type TakenCommands = {
  readonly ids: () => readonly string[];
  readonly add: (...ids: readonly string[]) => void;
};

export function takenCommands(): TakenCommands {
  let taken: readonly string[] = [];
  return {
    ids: () => taken,
    add(...ids) {
      const added = ids.filter((id) => !taken.includes(id));
      if (added.length > 0) taken = [...taken, ...added].slice(-maxTaken);
    },
  };
}

type Answer = Omit<Extract<TabMessage, { readonly type: 'answer' }>, 'n'>;

export function createCommandReceiver(options: {
  readonly term: number;
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly taken: TakenCommands;
  readonly replies: Replies;
  readonly broadcast: Broadcast;
  readonly post: (input: SessionInput) => void;
  readonly say: (message: TabMessage) => void;
}): CommandReceiver {
  const { term, model, state, taken, replies, broadcast, post, say } = options;
  const answers = new Map<string, Answer | null>();

  function answer(given: Answer): void {
    answers.set(given.commandId, given);
    if (answers.size > maxTaken) answers.delete(answers.keys().next().value as string);
    // Followers receive the effects of the command before its answer.
    say({ ...given, n: broadcast.flush() });
  }

  function enter(command: SessionCommand): void {
    const { id } = command;
    const isDone = taken.ids().includes(id) || isKnown(model(), state(), id);
    // Its message is on a branch, so the command leaves the store too.
    if (isDone) taken.add(id);
    post(isDone ? { type: 'attach', commandId: id, kind: kindOf(command) } : command);
  }

  return {
    take(command) {
      const { id: commandId } = command;
      const known = answers.get(commandId);
      if (known !== undefined) return known === null ? undefined : answer(known);
      // A session that is being disposed begins nothing new; the next leader takes the command.
      if (model().isDisposed && command.type !== 'stop') return;
      // One that cannot be read does not know what is stored.
      if (model().phase === 'unreadable' && needsRead(command)) return;
      answers.set(commandId, null);
      const given = { type: 'answer' as const, term, commandId, turn: null, error: null };
      if (!isTold(command))
        void replies.expect(commandId).then(
          (turn) => answer({ ...given, turn }),
          (thrown: unknown) => answer({ ...given, error: errorInfo(thrown) }),
        );
      enter(command.type === 'move' ? { ...command, isOfOtherTab: true } : command);
      if (isTold(command)) answer(given);
    },
    isAnswering: (commandId) => answers.get(commandId) === null,
    takeOwn: enter,
  };
}

/** The session that takes commands out of its store. */
type CommandTaker = {
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

/** The answer of the leader to a command. */
export type TabAnswer = Extract<TabMessage, { readonly type: 'answer' }>;

/** Answers that wait until the state they refer to is shown. */
type HeldAnswers = {
  readonly add: (answer: TabAnswer) => void;
  /** Releases the answers whose message number is at most `shown`; `Infinity` releases all. */
  readonly release: (shown: number) => void;
};

export function createHeldAnswers(onAnswer: (answer: TabAnswer) => void): HeldAnswers {
  let held: readonly TabAnswer[] = [];
  return {
    add(answer) {
      held = [...held, answer];
    },
    release(shown) {
      const due = held.filter(({ n }) => n <= shown);
      held = held.filter((answer) => !due.includes(answer));
      due.forEach(onAnswer);
    },
  };
}
