import type { Env } from '../../graph/env.ts';
import type { Mailbox } from '../../kit/mailbox.ts';
import type { FlushResult, Turn } from '../agent-session.ts';
import type { SessionController } from '../controller/session-controller.ts';
import { isCommand, type SessionCommand, type SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import { disposedError } from '../machine/transition.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { plainInfo, type Replies, storeLimitMs } from '../replies.ts';
import type { SessionLoad, SessionStore } from '../store/session-store.ts';

/** The parts of a session that are loaded at its first use. */
export type SessionEngine = typeof import('../controller/session-engine.ts');

export type MakeCommand = (id: string) => SessionCommand;

type DispatcherOptions = {
  readonly env: Env;
  readonly sessionId: string | undefined;
  readonly sessions: SessionStore | undefined;
  /** The model before the engine is loaded. */
  readonly unopened: SessionModel;
  readonly make: (engine: SessionEngine) => Promise<SessionController>;
  readonly mailbox: Mailbox<SessionInput>;
  readonly replies: Replies;
  readonly publisher: Pick<Publisher, 'flush' | 'touch'>;
  readonly resume: () => boolean;
};

/** Sends commands to a session. The first read or command imports the engine and reads the stored session. */
export class CommandDispatcher {
  /** The id of the session; null until an anonymous session is first used. */
  id: string | null;
  /** The controller of the session; null before the engine is loaded. */
  controller: SessionController | null = null;
  readonly #options: DispatcherOptions;
  #unopened: SessionModel;
  #started: Promise<void> | null = null;
  #loads = 0;
  #disposal: Promise<FlushResult> | null = null;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.id = options.sessionId ?? null;
    this.#unopened = options.unopened;
  }

  get model(): SessionModel {
    return this.controller?.model ?? this.#unopened;
  }

  get isStarted(): boolean {
    return this.#started !== null;
  }

  /** True while the engine is loaded or the stored session is read. */
  get isLoading(): boolean {
    return this.#loads > 0;
  }

  /** Resolves when there is a state to show: the stored session, if there is one, has been read. */
  open(): Promise<void> {
    return this.#disposal?.then(() => undefined) ?? this.#start();
  }

  /** Reads the stored session again; commands wait meanwhile. */
  openAgain(commandId: string | null): void {
    this.#options.mailbox.close();
    void this.#load(commandId);
  }

  /** Resolves with the turn of a command; null for commands that make none. */
  request(make: MakeCommand, id = this.#options.env.id()): Promise<Turn | null> {
    const command = make(id);
    const answer = this.#options.replies.expect(id);
    this.#post(command);
    return command.type === 'stop' || command.type === 'dispose' ? this.#answerOrUnread(answer) : answer;
  }

  send(make: MakeCommand): void {
    this.#post(make(this.#options.env.id()));
  }

  /** Closes the session. Repeated calls return the same promise. */
  dispose(): Promise<FlushResult> {
    return (this.#disposal ??= this.#close());
  }

  #start(): Promise<void> {
    return (this.#started ??= this.#load(null));
  }

  async #load(commandId: string | null): Promise<void> {
    const { make, mailbox, replies, publisher, resume } = this.#options;
    this.#loads++;
    try {
      // The stored session is read while the engine is loaded.
      const reading = this.#read();
      // The rejection reaches `persistence.load`; without an engine nobody awaits it.
      reading.catch(() => undefined);
      this.controller ??= await make(await import('../controller/session-engine.ts'));
      const found = await this.controller.persistence.load(reading);
      mailbox.open({ type: 'opened', ...found, resume: resume(), commandId });
    } catch (thrown) {
      // The engine could not be loaded; the next command tries again.
      this.#started = null;
      replies.refuse(mailbox.clear().filter(isCommand), plainInfo(thrown));
    }
    this.#loads--;
    publisher.flush();
  }

  async #read(): Promise<SessionLoad | null> {
    const { sessions } = this.#options;
    return sessions === undefined || this.id === null ? null : sessions.load(this.id);
  }

  #post(command: SessionCommand): void {
    const { env, mailbox, replies, publisher } = this.#options;
    if (this.model.isDisposed && !this.isStarted) return replies.refuse([command], disposedError());
    // A session that is used needs an id.
    if (command.type !== 'dispose') this.id ??= env.id();
    void this.#start();
    mailbox.post(command);
    publisher.touch();
    if (command.type === 'set-draft') publisher.flush();
  }

  /** Resolves with the answer, or with null when the stored session is not read in time; it stays queued. */
  #answerOrUnread(answer: Promise<Turn | null>): Promise<Turn | null> {
    if (!this.isLoading) return answer;
    return new Promise((resolve) => {
      const cancel = this.#options.env.schedule(storeLimitMs, () => this.isLoading && resolve(null));
      void answer.then(resolve).finally(cancel);
    });
  }

  async #close(): Promise<FlushResult> {
    if (this.isStarted) {
      const turn = await this.request((id) => ({ type: 'dispose', id }), 'dispose');
      return { stored: turn?.stored ?? false };
    }
    this.#unopened = { ...this.#unopened, isDisposed: true };
    return { stored: this.model.hasStore };
  }
}
