import type { Env } from '../graph/env.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import type { FlushResult, Turn } from './agent-session.ts';
import type { SessionLoader } from './session-loader.ts';
import type { Publisher } from './publishing/publisher.ts';
import { readLimitMs } from './read-limit.ts';
import { disposed } from './refused.ts';
import type { Replies } from './replies.ts';
import type { SessionCommand, SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';

export type MakeCommand = (id: string) => SessionCommand;

/** Sends commands to a session. The first read or command opens it. */
export type CommandDispatcher = {
  /** Resolves when there is a state to show. */
  readonly open: () => Promise<void>;
  /** Resolves with the turn of a command; null for commands that make none. */
  readonly request: (make: MakeCommand) => Promise<Turn | null>;
  /** Sends a command without waiting for its result. */
  readonly send: (make: MakeCommand) => void;
  /** Closes the session. Repeated calls return the same promise. */
  readonly dispose: () => Promise<FlushResult>;
};

export function createCommandDispatcher(options: {
  readonly env: Env;
  readonly model: () => SessionModel;
  readonly loader: SessionLoader;
  readonly mailbox: Mailbox<SessionInput>;
  readonly replies: Replies;
  readonly publisher: Publisher;
  /** Called at the first use of the session, which then needs an id. */
  readonly use: () => void;
  readonly closeUnopened: () => void;
}): CommandDispatcher {
  const { env, model, loader, mailbox, replies, publisher } = options;
  let disposal: Promise<FlushResult> | null = null;

  function send(command: SessionCommand): void {
    if (model().isDisposed && !loader.isStarted()) return replies.refuse([command], disposed());
    if (command.type !== 'dispose') options.use();
    void loader.start();
    mailbox.post(command);
    publisher.touch();
    if (command.type === 'set-draft') publisher.flush();
  }

  function request(command: SessionCommand): Promise<Turn | null> {
    const answer = replies.expect(command.id);
    send(command);
    return command.type === 'stop' || command.type === 'dispose' ? answerOrUnread(answer) : answer;
  }

  /**
   * Resolves with the answer to a stop or a disposal, or with null when the stored session cannot be read in time.
   * The command stays queued and is handled when the store answers.
   */
  function answerOrUnread(answer: Promise<Turn | null>): Promise<Turn | null> {
    if (!loader.isLoading()) return answer;
    return new Promise((resolve) => {
      const cancel = env.schedule(readLimitMs, () => loader.isLoading() && resolve(null));
      void answer.then(resolve).finally(cancel);
    });
  }

  async function close(): Promise<FlushResult> {
    if (loader.isStarted()) {
      const turn = await request({ type: 'dispose', id: 'dispose' });
      return { stored: turn?.stored ?? false };
    }
    options.closeUnopened();
    return { stored: model().hasStore };
  }

  return {
    open: () => disposal?.then(() => undefined) ?? loader.start(),
    request: (make) => request(make(env.id())),
    send: (make) => send(make(env.id())),
    dispose: () => (disposal ??= close()),
  };
}
