import { type AgentSessionOptions, memorySessions, type SessionStore } from '@vitrine/core';
import { createSharedSession, type SharedSession } from './shared-session.ts';

/**
 * A named session is held weakly until a component is on the page with it or something of it goes on: a render that never
 * becomes visible leaves nothing behind, and no timer decides about it.
 */
type Slot = { readonly weak: WeakRef<SharedSession>; held: SharedSession | null };

const slots = new WeakMap<SessionStore, Map<string, Slot>>();
let sharedMemory: SessionStore | null = null;

const isServer = (): boolean => typeof window === 'undefined';

/**
 * The one session of a store and an id, made when there is none; safe during a render. Without a store it is kept in the
 * memory of the page. On a server every render has its own.
 */
export function namedSession(
  id: string,
  sessions: SessionStore | null,
  options: AgentSessionOptions,
): SharedSession {
  if (isServer())
    return createSharedSession({ ...options, sessionId: id, sessions: sessions ?? memorySessions() });
  const store = sessions ?? pageMemory();
  const known = openSession(id, store);
  if (known) return known;
  const named = slotsOf(store);
  const shared = createSharedSession({ ...options, sessionId: id, sessions: store }, (isHeld) => {
    slot.held = isHeld ? shared : null;
    // Another one can only have taken its place when nobody could reach this one any more.
    if (isHeld) named.set(id, slot);
  });
  const slot: Slot = { weak: new WeakRef(shared), held: null };
  named.set(id, slot);
  return shared;
}

/** Where sessions with a name are kept when there is no store: as long as the page lives. */
function pageMemory(): SessionStore {
  return (sharedMemory ??= memorySessions());
}

/** The session of a store and an id, if components of this page have one. */
export function openSession(id: string, sessions: SessionStore): SharedSession | null {
  const slot = slots.get(sessions)?.get(id);
  return slot?.held ?? slot?.weak.deref() ?? null;
}

function slotsOf(store: SessionStore): Map<string, Slot> {
  const known = slots.get(store) ?? new Map<string, Slot>();
  slots.set(store, known);
  for (const [id, { held, weak }] of known) if (held === null && weak.deref() === undefined) known.delete(id);
  return known;
}

/** The anonymous sessions of one component, held by it alone: one for each store that it has had. */
export type OwnSessions = {
  readonly get: (sessions: SessionStore | null, options: AgentSessionOptions) => SharedSession;
};

/** What a component keeps in its state, so that it is there again after StrictMode, `<Activity>` and route caches. */
export function createOwnSessions(): OwnSessions {
  const own = new Map<SessionStore | null, SharedSession>();
  return {
    get(sessions, options) {
      const known = own.get(sessions);
      if (known) return known;
      // A fork has a name: without a store it is opened by its id out of the memory of the page.
      const place = sessions === null ? { forks: isServer() ? undefined : pageMemory() } : { sessions };
      const shared = createSharedSession({ ...options, ...place });
      own.set(sessions, shared);
      return shared;
    },
  };
}
