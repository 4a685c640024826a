import type { AgentState } from '../../graph/types.ts';
import type { SessionModel } from '../machine/session-model.ts';
import { isCommand, isKept, type SessionCommand, type SessionInput } from '../machine/session-input.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { takenCommands } from './command-receiver.ts';
import { isKnown } from './known-turn.ts';
import { takeCommands } from './take-commands.ts';

/** The commands of a session that cannot reach other tabs: its own, and those that wait in its store. */
export type LoneCommands = {
  readonly handle: (input: SessionInput) => void;
  /** Adds ids of commands that were done before. */
  readonly learn: (taken: readonly string[]) => void;
  readonly end: () => void;
};

export function createLoneCommands(session: {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly saver: Pick<SessionSaver, 'flush'>;
  readonly post: (input: SessionInput) => void;
  readonly process: (input: SessionInput) => void;
}): LoneCommands {
  const { sessions } = session;
  const taken = takenCommands();
  let isEnded = false;

  /** Takes the commands in the store: when the session was opened, and when a run has ended. */
  function take(isOpening: boolean): void {
    const [outbox, sessionId] = [sessions?.outbox, session.id()];
    const isRunning = (): boolean => !isEnded && session.model.phase === 'open' && !session.model.isDisposed;
    const state = (): AgentState => session.state;
    if (outbox === undefined || sessionId === null || !isRunning()) return;
    const enter = (command: SessionCommand): void => {
      if (isKnown(session.model, session.state, command.id)) taken.add(command.id);
      else if (!taken.ids().includes(command.id)) session.post(command);
    };
    const { flush } = session.saver;
    void takeCommands({ outbox, sessionId, taken, state, flush, enter, isRunning, isOpening });
  }

  return {
    handle(input) {
      if (isCommand(input) && isKept(input)) taken.add(input.id);
      session.process(input);
      if (input.type === 'opened') take(!input.resume);
      else if (input.type === 'run-over') take(false);
    },
    learn: (ids) => taken.add(...ids),
    end: () => void (isEnded = true),
  };
}
