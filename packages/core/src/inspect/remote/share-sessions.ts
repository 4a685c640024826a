import { systemEnv } from '../../graph/env.ts';
import { type SessionHub, sessionHub } from '../../session/hub.ts';
import type { RemoteChannel } from './remote-channel.ts';
import { opened, type RemoteMessage, sealed } from './remote-message.ts';
import { tellSession, type ToldSession } from './told-session.ts';

/**
 * Tells another page of the sessions of this one, for its panel: see `watchSessions`. What leaves has no secrets, as a
 * trace has none; for that an answer of a model is told when it has ended, not letter by letter. Nothing can be asked
 * of the sessions from there. Until another page asks for them nothing is sent; what has happened is kept for it from
 * now on, bounded as a record is, so that it may be opened late.
 * @returns Stops telling, and says so.
 */
export function shareSessions(channel: RemoteChannel, { hub = sessionHub() }: ShareOptions = {}): () => void {
  const page = systemEnv.id();
  const told = new Map<string, ToldSession>();
  let isHeard = false;
  const post = (make: () => RemoteMessage): void => {
    if (isHeard) channel.post(sealed(make()));
  };

  function follow(): void {
    const sources = new Map(hub.sources().map((source) => [source.id, source]));
    for (const [id, session] of told)
      if (!sources.has(id)) {
        told.delete(id);
        session.end();
      }
    for (const [id, source] of sources) {
      const known = told.get(id);
      if (known) known.follow(source);
      else begin(id, tellSession(source, { page, post }));
    }
  }

  function begin(id: string, session: ToldSession): void {
    told.set(id, session);
    session.tellAll();
  }

  function hear(data: unknown): void {
    const message = opened(data);
    // Another version is told of this one, too: its page has a person who can be told.
    const isHello = message !== null && ('otherVersion' in message || message.type === 'hello');
    if (isHello) {
      isHeard = true;
      for (const session of told.values()) session.tellAll();
    } else if (message?.type === 'again' && message.page === page) told.get(message.source)?.tellAll();
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  const leaveChannel = channel.subscribe(hear);
  channel.post(sealed({ type: 'here' }));
  const sayBye = (): void => post(() => ({ type: 'bye', page }));
  // A page that is kept by the browser, and comes back, is asked anew by nobody: it is told as gone only when it goes.
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
    for (const session of told.values()) session.end();
    told.clear();
  };
}

/** Which sessions are told of. */
export type ShareOptions = {
  /** Default: those of this page. */
  readonly hub?: SessionHub;
};
