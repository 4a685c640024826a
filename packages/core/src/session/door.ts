import type { Env } from '../graph/env.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import type { Turn } from './agent-session.ts';
import type { SessionOpener } from './opener.ts';
import type { Publisher } from './publishing/publisher.ts';
import { disposed } from './refused.ts';
import type { Replies } from './replies.ts';
import type { SessionCommand, SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';

export type MakeCommand = (id: string) => SessionCommand;

/** The way into a session: who looks or asks first opens it. */
export type Door = {
  /** Resolves when there is something to see. */
  readonly look: () => Promise<void>;
  /** Gives the turn that came of a command; null for commands that make none. */
  readonly ask: (make: MakeCommand) => Promise<Turn | null>;
  /** For what needs no answer. */
  readonly tell: (make: MakeCommand) => void;
  /** Closes the session; the same promise however often it is asked. */
  readonly dispose: () => Promise<void>;
};

export function createDoor(options: {
  readonly env: Env;
  readonly model: () => SessionModel;
  readonly opener: SessionOpener;
  readonly mailbox: Mailbox<SessionInput>;
  readonly replies: Replies;
  readonly publisher: Publisher;
  /** The session is used for the first time: it needs an id. */
  readonly use: () => void;
  readonly closeUnopened: () => void;
}): Door {
  const { env, model, opener, mailbox, replies, publisher } = options;
  let disposal: Promise<void> | null = null;

  function enter(command: SessionCommand): void {
    if (model().isDisposed && !opener.isStarted()) return replies.refuse([command], disposed());
    if (command.type !== 'dispose') options.use();
    void opener.start();
    mailbox.post(command);
    publisher.touch();
    if (command.type === 'set-draft') publisher.flush();
  }

  function ask(command: SessionCommand): Promise<Turn | null> {
    const answer = replies.expect(command.id);
    enter(command);
    return answer;
  }

  async function close(): Promise<void> {
    if (opener.isStarted()) await ask({ type: 'dispose', id: 'dispose' });
    else options.closeUnopened();
  }

  return {
    look: () => disposal ?? opener.start(),
    ask: (make) => ask(make(env.id())),
    tell: (make) => enter(make(env.id())),
    dispose: () => (disposal ??= close()),
  };
}
