import {
  type AgentSession,
  type AgentSessionOptions,
  createAgentSession,
  type SessionSnapshot,
  type SessionStore,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import type { AgentEventListener, FlushResult, SessionSettings } from '@vitrine/core/types';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { commandsOf } from './commands.ts';
import { reportUnreadError, warnOnce } from './development.ts';

/** A component that uses a session, with the settings of its last committed render. */
export type SessionUser = { readonly settings: () => SessionSettings };

/** A session that the components of a page share. */
export type SharedSession = {
  /** The controller; it and its store keep their identity while a component holds this object. */
  readonly session: AgentSession;
  /** Registers a component as a user; the returned function removes it. */
  readonly attach: (user: SessionUser) => () => void;
  /** Applies the settings of the components, which may have changed. */
  readonly refresh: () => void;
};

/**
 * Creates a session that rests while no component uses it. Running work ends and is saved first, then
 * timers and subscriptions end.
 *
 * When it is used again (a hidden tab is shown, a route comes back from a cache), it continues with the
 * same functions and the same store. `onHold` is called with true while the session must be kept in memory.
 */
function createSharedSession(
  first: AgentSessionOptions,
  onHold: (isHeld: boolean) => void = () => undefined,
): SharedSession {
  const users = new Set<SessionUser>();
  const merged = createMergedSettings(first, users, () => ({ id: live.id(), store }));
  let settings = merged.read();
  let store!: StoreApi<SessionSnapshot>;
  let live = createAgentSession({
    ...first,
    ...settings,
    createStore: (initial) => (store = createStore<SessionSnapshot>(initial)),
  });

  const isUsed = (): boolean => users.size > 0;
  const rest = createRest(() => live, isUsed, onHold);
  const restSoon = (): void => (isUsed() ? undefined : rest.soon());

  function awake(): AgentSession {
    if (rest.end()) live = goOn(live, store, { ...first, ...settings });
    // A kept function was called, or a component reads the session before it is mounted.
    if (!isUsed()) onHold(true);
    restSoon();
    return live;
  }

  function refresh(): void {
    if (!isUsed()) return;
    const next = merged.read();
    if (!differ(settings, next)) return;
    settings = next;
    live.configure(next);
  }

  // After the commit, because children update their settings before their parents.
  function electLater(): void {
    queueMicrotask(() => {
      merged.elect();
      refresh();
    });
  }

  return {
    refresh,
    attach(user) {
      users.add(user);
      onHold(true);
      void awake().ready;
      electLater();
      return () => {
        users.delete(user);
        electLater();
        restSoon();
      };
    },
    session: {
      ...commandsOf(awake, restSoon),
      id: () => live.id(),
      branches: (messageId) => live.branches(messageId),
      store,
      get ready() {
        return awake().ready;
      },
      onEvent: merged.onEvent,
      settings: () => live.settings(),
      configure: (next) => live.configure(next),
      isSettled: () => live.isSettled(),
      flush: () => live.flush(),
      dispose: rest.begin,
    },
  };
}

/**
 * Merges the settings of the users of a session. The first agent answers as long as a component names it, so
 * that two agents never alternate from render to render. Development builds warn about a second agent.
 */
function createMergedSettings(
  first: SessionSettings,
  users: ReadonlySet<SessionUser>,
  shown: () => { readonly id: string | null; readonly store: object },
) {
  const listeners = new Set<AgentEventListener>();
  let agent = first.agent;
  let elected: SessionUser | null = null;

  const callEach = (call: (settings: SessionSettings) => void): void => {
    for (const user of users) callSafely(() => call(user.settings()));
  };

  return {
    /**
     * Callbacks of all; the agent of the elected user; `publish`, `onBusy` and `onConflict` of the first that
     * sets one; `resume` if any sets it.
     */
    read(): SessionSettings {
      if (elected !== null && users.has(elected)) agent = elected.settings().agent;
      const all = users.size === 0 ? [first] : [...users].map((user) => user.settings());
      return {
        agent,
        publish: all.find(({ publish }) => publish !== undefined)?.publish,
        onBusy: all.find(({ onBusy }) => onBusy !== undefined)?.onBusy,
        onConflict: all.find(({ onConflict }) => onConflict !== undefined)?.onConflict,
        resume: all.some(({ resume }) => resume === true),
        onFinish(info) {
          callEach(({ onFinish }) => onFinish?.(info));
          reportUnreadError(shown().store, users, info.turn.error);
        },
        onError: (error) => callEach(({ onError }) => onError?.(error)),
        onEvent(event, state) {
          callEach(({ onEvent }) => onEvent?.(event, state));
          for (const listener of listeners) listener(event, state);
        },
      };
    },
    /** Chooses the user whose agent answers. Call it only between commits, when all have updated their settings. */
    elect(): void {
      const all = [...users];
      if (elected === null || !users.has(elected))
        elected = all.find((user) => user.settings().agent === agent) ?? all[0] ?? null;
      if (elected === null) return;
      agent = elected.settings().agent;
      const other = all.find((user) => user.settings().agent !== agent);
      if (other === undefined) return;
      const [kept, second] = [agent, other.settings().agent];
      warnOnce(users, ({ twoAgents }) => twoAgents(shown().id, kept, second));
    },
    onEvent(listener: AgentEventListener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Tells whether settings differ in more than callbacks, so that the session must be configured again. */
function differ(a: SessionSettings, b: SessionSettings): boolean {
  return (['agent', 'publish', 'onBusy', 'onConflict', 'resume'] as const).some((key) => a[key] !== b[key]);
}

/** Calls a callback; its error is rethrown asynchronously, so that the other callbacks run. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}

/**
 * The rest of an unused session: running work ends and is saved, then timers and subscriptions end. `onHold`
 * is called with true while the session must be kept in memory.
 */
function createRest(live: () => AgentSession, isUsed: () => boolean, onHold: (isHeld: boolean) => void) {
  let isResting = false;
  let unwatch: (() => void) | null = null;

  /** Rests after the current task, unless a component uses the session by then. */
  // Deferred, because StrictMode and moves within the tree detach and attach again in the same task.
  const soon = (): void => void setTimeout(() => void whenSettled(), 0);
  const mayRest = (): boolean => !isResting && !isUsed();

  /** Reads the session itself: its published snapshot may be a frame old, and a request may have come since. */
  async function whenSettled(): Promise<void> {
    unwatch?.();
    unwatch = null;
    if (!mayRest()) return;
    if (live().isSettled()) return void (await begin());
    // A running session saves at its own pace, so there is no flush here.
    const { status } = live().store.getState();
    if (status !== 'submitted' && status !== 'streaming') {
      // The store may be slow. A component that returns in the meantime gets this same session.
      await live().ready;
      await live().flush();
      if (!mayRest()) return;
      if (live().isSettled()) return void (await begin());
    }
    // The end of a run or a failure changes the snapshot. Commands call `soon` when they settle.
    unwatch ??= live().store.subscribe(soon);
  }

  async function begin(): Promise<FlushResult> {
    isResting = true;
    unwatch?.();
    unwatch = null;
    onHold(false);
    return live().dispose();
  }

  return {
    soon,
    begin,
    /** Ends the rest. Returns true if the session rested, so the caller has to continue it. */
    end(): boolean {
      if (!isResting) return false;
      isResting = false;
      onHold(true);
      return true;
    },
  };
}

/**
 * Creates a session that continues a rested one behind the same store object, so that views keep their
 * content while the stored session is read. Without a session store it starts from the last state shown.
 */
function goOn(
  last: AgentSession,
  store: StoreApi<SessionSnapshot>,
  options: AgentSessionOptions,
): AgentSession {
  const { state, tree, draft, title } = store.getState();
  let firstTitle = title;
  const session = createAgentSession({
    ...options,
    sessionId: last.id() ?? options.sessionId,
    ...(options.sessions === undefined ? { initialState: state, initialTree: tree } : {}),
    initialDraft: draft,
    createStore(initial) {
      firstTitle = initial().title;
      return {
        ...store,
        // The draft is shown even while loading, because an input that ignores it would lose letters.
        setState: (next) =>
          next.status === 'loading' ? store.setState({ draft: next.draft }) : store.setState(next, true),
      };
    },
  });
  if (options.sessions === undefined && firstTitle !== title) void session.rename(title);
  return session;
}

/** The entry of a named session; weak until it is mounted or works, so abandoned renders leave nothing. */
type Slot = { readonly weak: WeakRef<SharedSession>; held: SharedSession | null };

type Place = {
  readonly store: SessionStore;
  /** The mounted components, each as a token. */
  readonly users: Set<object>;
  /** The store that the first mounted component was given; null until one is mounted. */
  first: SessionStore | null;
};

const places = new Map<string, Place>();
const slots = new WeakMap<SessionStore, Map<string, Slot>>();
let sharedMemory: SessionStore | null = null;

const isServer = (): boolean => typeof window === 'undefined';

/**
 * Returns the store object that represents a place: the first one given, while components use it or it has
 * running sessions. Safe during a render.
 */
export function firstStoreOf(given: SessionStore): SessionStore {
  const { identity } = given;
  if (identity == null || isServer()) return given;
  const known = places.get(identity);
  if (known !== undefined && (known.first === null || isAtWork(known))) return known.store;
  places.set(identity, { store: given, users: new Set(), first: null });
  return given;
}

function isAtWork({ store, users }: Place): boolean {
  return users.size > 0 || [...(slots.get(store)?.values() ?? [])].some(({ held }) => held !== null);
}

/**
 * Registers a component as a user of a store, until the returned function is called. Development builds
 * warn when a place gets a second store object.
 */
export function attachStore(store: SessionStore, given: SessionStore): () => void {
  const place = places.get(given.identity ?? '');
  if (place?.store !== store) return () => undefined;
  const user = {};
  place.first ??= given;
  place.users.add(user);
  if (place.first !== given) warnOnce(place, ({ sameStore }) => sameStore(given.identity ?? ''));
  return () => void place.users.delete(user);
}

/**
 * Returns the one session of a store and an id, and creates it when there is none. Safe during a render.
 * Without a store the session lives in the page's memory. On a server every render has its own.
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
    // Another session can have replaced this one only when nothing could reach this one.
    if (isHeld) named.set(id, slot);
  });
  const slot: Slot = { weak: new WeakRef(shared), held: null };
  named.set(id, slot);
  return shared;
}

/** The store of named sessions without a store; it lives as long as the page. */
function pageMemory(): SessionStore {
  return (sharedMemory ??= memorySessions());
}

/** Finds the session of a store and an id among those of this page; null when there is none. */
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

/**
 * Creates the function that returns the anonymous sessions of one component, one for each store that it was given. Only
 * the state of the component holds them, so they survive StrictMode, `<Activity>` and route caches.
 */
export function createOwnSessions(): (
  sessions: SessionStore | null,
  options: AgentSessionOptions,
) => SharedSession {
  const own = new Map<SessionStore | null, SharedSession>();
  return (sessions, options) => {
    const known = own.get(sessions);
    if (known) return known;
    // A fork has an id. Without a store, it goes to the page's memory, where that id can be opened.
    const place = sessions === null ? { forks: isServer() ? undefined : pageMemory() } : { sessions };
    const shared = createSharedSession({ ...options, ...place });
    own.set(sessions, shared);
    return shared;
  };
}
