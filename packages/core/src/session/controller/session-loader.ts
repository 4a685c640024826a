import type { Mailbox } from '../../kit/mailbox.ts';
import { type Replies, plainInfo } from '../replies.ts';
import { isCommand, type SessionInput } from '../machine/session-input.ts';
import type { SessionLoad, SessionStore } from '../store/session-store.ts';
import type { SessionController } from './session-controller.ts';

/** The parts of a session that are loaded at its first use. */
export type SessionEngine = typeof import('./session-engine.ts');

/** Loads a session at its first use: imports the engine, reads the stored session, and lets commands in. */
export type SessionLoader = {
  readonly isStarted: () => boolean;
  /** True while the engine is loaded or the stored session is read. */
  readonly isLoading: () => boolean;
  /** Resolves when the stored session, if there is one, has been read. */
  readonly start: () => Promise<void>;
  /** Reads the stored session again; commands wait meanwhile. */
  readonly openAgain: (commandId: string | null) => void;
  /** The controller of the session; null before the engine is loaded. */
  readonly controller: SessionController | null;
};

export function createSessionLoader(options: {
  readonly id: () => string | null;
  readonly sessions: SessionStore | undefined;
  readonly make: (engine: SessionEngine) => Promise<SessionController>;
  readonly mailbox: Mailbox<SessionInput>;
  readonly replies: Replies;
  readonly resume: () => boolean;
  /** Called when loading has succeeded or failed. */
  readonly onLoad: () => void;
}): SessionLoader {
  const { id, sessions, make, mailbox, replies, resume, onLoad } = options;
  let controller: SessionController | null = null;
  let started: Promise<void> | null = null;
  let loads = 0;

  /** Reads the stored session while the engine is loaded. */
  async function read(): Promise<SessionLoad | null> {
    const key = id();
    return sessions === undefined || key === null ? null : sessions.load(key);
  }

  async function load(commandId: string | null): Promise<void> {
    loads++;
    try {
      const reading = read();
      // The rejection reaches `controller.load`; without an engine nobody awaits it.
      reading.catch(() => undefined);
      controller ??= await make(await import('./session-engine.ts'));
      const found = await controller.load(reading);
      mailbox.open({ type: 'opened', ...found, resume: resume(), commandId });
    } catch (thrown) {
      // The engine could not be loaded; the next command tries again.
      started = null;
      replies.refuse(mailbox.clear().filter(isCommand), plainInfo(thrown));
    }
    loads--;
    onLoad();
  }

  return {
    isStarted: () => started !== null,
    isLoading: () => loads > 0,
    start: () => (started ??= load(null)),
    openAgain(commandId) {
      mailbox.close();
      void load(commandId);
    },
    get controller() {
      return controller;
    },
  };
}
