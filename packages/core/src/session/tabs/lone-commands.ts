import { isCommand, isKept, type SessionCommand, type SessionInput } from '../machine/session-input.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { takenCommands } from './command-receiver.ts';
import { isKnown } from './known-turn.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import { takeCommands } from './take-commands.ts';

/** The commands of a session that cannot reach other tabs: its own, and those that wait in its store. */
export type LoneCommands = {
  readonly handle: (input: SessionInput) => void;
  /** Adds ids of commands that were done before. */
  readonly learn: (taken: readonly string[]) => void;
  readonly end: () => void;
};

export function createLoneCommands(options: {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly joining: () => Pick<SessionTabsOptions, 'model' | 'state' | 'post'>;
  readonly saver: () => SessionSaver;
  readonly handle: (input: SessionInput) => void;
}): LoneCommands {
  const { sessions } = options;
  const taken = takenCommands();
  let isEnded = false;

  /** Takes the commands in the store: when the session was opened, and when a run has ended. */
  function take(isOpening: boolean): void {
    const { model, state, post } = options.joining();
    const [outbox, sessionId] = [sessions?.outbox, options.id()];
    const isRunning = (): boolean => !isEnded && model().phase === 'open' && !model().isDisposed;
    if (outbox === undefined || sessionId === null || !isRunning()) return;
    const enter = (command: SessionCommand): void => {
      if (isKnown(model(), state(), command.id)) taken.add(command.id);
      else if (!taken.ids().includes(command.id)) post(command);
    };
    const { flush } = options.saver();
    void takeCommands({ outbox, sessionId, taken, state, flush, enter, isRunning, isOpening });
  }

  return {
    handle(input) {
      if (isCommand(input) && isKept(input)) taken.add(input.id);
      options.handle(input);
      if (input.type === 'opened') take(!input.resume);
      else if (input.type === 'run-over') take(false);
    },
    learn: (ids) => taken.add(...ids),
    end: () => void (isEnded = true),
  };
}
