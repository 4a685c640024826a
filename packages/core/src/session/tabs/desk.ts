import { errorInfo } from '../../graph/error-info.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Replies } from '../replies.ts';
import type { SessionCommand, SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { Broadcast } from './broadcast.ts';
import { isKnown } from './known-turn.ts';
import { isTold, kindOf } from './tab-commands.ts';
import type { TabMessage } from './tab-message.ts';

/** So many commands are remembered, so that none is done twice. */
const maxTaken = 200;

/** Where a runner takes commands: its own, and those of other tabs, which it answers. */
export type Desk = {
  /** A command of another tab; one that comes again is answered again. */
  readonly take: (command: SessionCommand) => void;
  /** A command of this tab that was given when another one ran. */
  readonly takeOwn: (command: SessionCommand) => void;
};

/** The commands that were taken, oldest first. */
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

export function createDesk(options: {
  readonly reign: number;
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly taken: TakenCommands;
  readonly replies: Replies;
  readonly broadcast: Broadcast;
  readonly post: (input: SessionInput) => void;
  readonly say: (message: TabMessage) => void;
}): Desk {
  const { reign, model, state, taken, replies, broadcast, post, say } = options;
  const answers = new Map<string, Answer | null>();

  function answer(given: Answer): void {
    answers.set(given.commandId, given);
    if (answers.size > maxTaken) answers.delete(answers.keys().next().value as string);
    // What came of it is told first.
    say({ ...given, n: broadcast.flush() });
  }

  function enter(command: SessionCommand): void {
    const { id } = command;
    const isDone = taken.ids().includes(id) || isKnown(model(), state(), id);
    post(isDone ? { type: 'attach', commandId: id, kind: kindOf(command) } : command);
  }

  return {
    take(command) {
      const { id: commandId } = command;
      const known = answers.get(commandId);
      if (known !== undefined) return known === null ? undefined : answer(known);
      // Who is about to leave begins nothing; the next runner does.
      if (model().isDisposed && command.type !== 'stop') return;
      answers.set(commandId, null);
      const given = { type: 'answer' as const, reign, commandId, turn: null, error: null };
      if (!isTold(command))
        void replies.expect(commandId).then(
          (turn) => answer({ ...given, turn }),
          (thrown: unknown) => answer({ ...given, error: errorInfo(thrown) }),
        );
      enter(command);
      if (isTold(command)) answer(given);
    },
    takeOwn: enter,
  };
}
