import type { Mailbox } from '../kit/mailbox.ts';
import { loadEngine, type SessionEngine } from './engine.ts';
import { plainInfo } from './refused.ts';
import type { Replies } from './replies.ts';
import { isCommand, type SessionInput } from './machine/session-input.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';
import type { SessionWorks } from './works.ts';

/** Opens a session when it is first used: loads the engine, reads what is stored, and lets the commands in. */
export type SessionOpener = {
  readonly isStarted: () => boolean;
  /** Resolves when the stored session, if there is one, has been read. */
  readonly start: () => Promise<void>;
  /** Reads the stored session again; commands wait meanwhile. */
  readonly openAgain: (commandId: string | null) => void;
  /** What makes the session go; null before the engine is there. */
  readonly works: () => SessionWorks | null;
};

export function createOpener(options: {
  readonly id: () => string | null;
  readonly sessions: SessionStore | undefined;
  readonly make: (engine: SessionEngine) => SessionWorks;
  readonly mailbox: Mailbox<SessionInput>;
  readonly replies: Replies;
  readonly resume: () => boolean;
  /** Something is there that was not. */
  readonly onOpen: () => void;
}): SessionOpener {
  const { id, sessions, make, mailbox, replies, resume, onOpen } = options;
  let works: SessionWorks | null = null;
  let started: Promise<void> | null = null;

  /** Reads while the engine is loaded. */
  async function read(): Promise<SessionRecord | null> {
    const key = id();
    return sessions === undefined || key === null ? null : sessions.load(key);
  }

  async function open(commandId: string | null): Promise<void> {
    try {
      const reading = read();
      // Whoever needs it hears of it: a session whose engine does not come is not read.
      reading.catch(() => undefined);
      works ??= make(await loadEngine());
      const found = await works.load(reading);
      mailbox.open({ type: 'opened', ...found, resume: resume(), commandId });
    } catch (thrown) {
      // The engine could not be fetched; the next command tries again.
      started = null;
      replies.refuse(mailbox.clear().filter(isCommand), plainInfo(thrown));
    }
    onOpen();
  }

  return {
    isStarted: () => started !== null,
    start: () => (started ??= open(null)),
    openAgain(commandId) {
      mailbox.close();
      void open(commandId);
    },
    works: () => works,
  };
}
