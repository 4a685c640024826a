import { type ErrorInfo, errorInfo } from '../graph/error-info.ts';
import { onPageHide, onPageLeave } from '../kit/listeners.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import { loadEngine, type SessionEngine } from './engine.ts';
import type { Replies } from './replies.ts';
import type { SessionSaver } from './saver.ts';
import { isCommand, type SessionInput } from './session-input.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';

/** Opens a session when it is first used: loads the engine, reads what is stored, and lets the commands in. */
export type SessionOpener = {
  readonly isStarted: () => boolean;
  /** Resolves when the stored session, if there is one, has been read. */
  readonly start: () => Promise<void>;
  /** Reads the stored session again; commands wait meanwhile. */
  readonly openAgain: (commandId: string) => void;
  /** The engine, once the session is open. */
  readonly engine: () => SessionEngine;
  /** Ends what start began. */
  readonly end: () => void;
};

type Read = { readonly record: SessionRecord | null; readonly error: ErrorInfo | null };

export function createOpener(options: {
  readonly id: () => string | null;
  readonly sessions: SessionStore | undefined;
  readonly saver: SessionSaver;
  readonly mailbox: Mailbox<SessionInput>;
  readonly replies: Replies;
  readonly resume: () => boolean;
  /** Something is there that was not. */
  readonly onOpen: () => void;
}): SessionOpener {
  const { id, sessions, saver, mailbox, replies, resume, onOpen } = options;
  let engine: SessionEngine | null = null;
  let started: Promise<void> | null = null;
  let ends: readonly (() => void)[] = [];

  async function read(): Promise<Read> {
    try {
      return { record: await saver.load(), error: null };
    } catch (thrown) {
      return { record: null, error: errorInfo(thrown) };
    }
  }

  async function open(commandId: string | null): Promise<void> {
    try {
      const [loaded, found] = await Promise.all([loadEngine(), read()]);
      engine = loaded;
      mailbox.open({ type: 'opened', ...found, resume: resume(), commandId });
    } catch (thrown) {
      // The engine could not be fetched; the next command tries again.
      started = null;
      end();
      replies.refuse(mailbox.clear().filter(isCommand), errorInfo(thrown));
    }
    onOpen();
  }

  /** Another tab, or another part of this page, may remove the entry. */
  function onStoreChange(changed: string | null): void {
    saver.nudge();
    if (changed !== null && changed !== id()) return;
    void saver.wasRemoved().then((isRemoved) => isRemoved && mailbox.post({ type: 'deleted' }));
  }

  function end(): void {
    for (const stop of ends) stop();
    ends = [];
  }

  return {
    isStarted: () => started !== null,
    start() {
      if (started !== null) return started;
      ends = [
        onPageLeave(saver.leave),
        onPageHide(() => void saver.flush()),
        sessions?.subscribe?.(onStoreChange) ?? (() => undefined),
      ];
      return (started = open(null));
    },
    openAgain(commandId) {
      mailbox.close();
      void open(commandId);
    },
    engine: () => engine as SessionEngine,
    end,
  };
}
