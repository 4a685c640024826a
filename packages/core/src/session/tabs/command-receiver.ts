import { errorInfo } from '../../graph/error-info.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Replies } from '../replies.ts';
import type { SessionCommand, SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { Broadcast } from './broadcast.ts';
import { isKnown } from './known-turn.ts';
import { isTold, kindOf, needsRead } from './tab-commands.ts';
import type { TabMessage } from './tab-message.ts';

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
