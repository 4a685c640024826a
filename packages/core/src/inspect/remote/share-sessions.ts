import { systemEnv } from '../../graph/env.ts';
import { type SessionHub, sessionHub } from '../../session/hub.ts';
import type { RemoteChannel } from './remote-channel.ts';
import { opened, type RemoteMessage, sealed } from './remote-message.ts';
import { shareSession, type SharedSession } from './shared-session.ts';

/**
 * Shares the sessions of this page with a panel on another page: see `watchSessions`. Secrets are removed as in a
 * trace, so an answer of a model is sent when it has ended and not letter by letter. The other page can only read.
 * Nothing is sent until another page asks. Events from now on are kept for it, with the limits of a record, so that it
 * may open late.
 * @returns a function that stops sharing and announces that.
 */
export function shareSessions(channel: RemoteChannel, { hub = sessionHub() }: ShareOptions = {}): () => void {
  const page = systemEnv.id();
  const shared = new Map<string, SharedSession>();
  let isHeard = false;
  const post = (make: () => RemoteMessage): void => {
    if (isHeard) channel.post(sealed(make()));
  };

  function follow(): void {
    const sources = new Map(hub.sources().map((source) => [source.id, source]));
    for (const [id, session] of shared)
      if (!sources.has(id)) {
        shared.delete(id);
        session.end();
      }
    for (const [id, source] of sources) {
      const known = shared.get(id);
      if (known) known.follow(source);
      else begin(id, shareSession(source, { page, post }));
    }
  }

  function begin(id: string, session: SharedSession): void {
    shared.set(id, session);
    session.sendAll();
  }

  function hear(data: unknown): void {
    const message = opened(data);
    // A page of another version also receives an answer, so that it can show the mismatch.
    const isHello = message !== null && ('otherVersion' in message || message.type === 'hello');
    if (isHello) {
      isHeard = true;
      for (const session of shared.values()) session.sendAll();
    } else if (message?.type === 'again' && message.page === page) shared.get(message.source)?.sendAll();
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  const leaveChannel = channel.subscribe(hear);
  channel.post(sealed({ type: 'here' }));
  const sayBye = (): void => post(() => ({ type: 'bye', page }));
  // A page in the back-forward cache is not removed, because nobody would ask it again when it returns.
  const onHide = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) sayBye();
  };
  if (typeof window !== 'undefined') window.addEventListener('pagehide', onHide);
  return () => {
    if (typeof window !== 'undefined') window.removeEventListener('pagehide', onHide);
    leaveHub();
    leaveChannel();
    sayBye();
    isHeard = false;
    for (const session of shared.values()) session.end();
    shared.clear();
  };
}

/** Options of `shareSessions`. */
export type ShareOptions = {
  /** The sessions to share. Default: those of this page. */
  readonly hub?: SessionHub;
};
