import { systemEnv } from '@vitrine/core/internal/graph/env';
import { type HubSource, type SessionHub, sessionHub } from '@vitrine/core/internal/session/hub';
import type { RemoteChannel } from './remote-channel.ts';
import { openRemote, type RemoteMessage, sealRemote, type SessionMessage } from './remote-message.ts';
import { apply } from '@vitrine/core/internal/run/apply';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import { createJournalLog, type JournalLog } from '../journal-log.ts';
import { exportTrace, redactEvents } from '../trace/trace.ts';

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
  let isWatched = false;
  const post = (make: () => RemoteMessage): void => {
    if (isWatched) line.post(sealRemote(make()));
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

  function receive(data: unknown): void {
    const message = openRemote(data);
    // A page of another version also receives an answer, so that it can show the mismatch.
    const isHello = message !== null && ('otherVersion' in message || message.type === 'hello');
    if (isHello) {
      isWatched = true;
      for (const session of shared.values()) session.sendAll();
    } else if (message?.type === 'again' && message.page === page) shared.get(message.source)?.sendAll();
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  const line = channel.open(receive);
  line.post(sealRemote({ type: 'here' }));
  const sayBye = (): void => post(() => ({ type: 'bye', page }));
  // A page in the back-forward cache is not removed, because nobody would ask it again when it returns.
  const onHide = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) sayBye();
  };
  if (typeof window !== 'undefined') window.addEventListener('pagehide', onHide);
  return () => {
    if (typeof window !== 'undefined') window.removeEventListener('pagehide', onHide);
    leaveHub();
    sayBye();
    isWatched = false;
    line.close();
    for (const session of shared.values()) session.end();
    shared.clear();
  };
}

type ShareOptions = {
  /** The sessions to share. Default: those of this page. */
  readonly hub?: SessionHub;
};

/** Posts a message, which is created only when another page listens. */
type Post = (make: () => SessionMessage) => void;

type SharedSession = {
  /** Continues with the source that replaced the former. */
  readonly follow: (source: HubSource) => void;
  /** Sends everything, for a receiver that is new or missed a message. */
  readonly sendAll: () => void;
  readonly end: () => void;
};

function shareSession(
  first: HubSource,
  { page, post }: { readonly page: string; readonly post: Post },
): SharedSession {
  const address = { page, source: first.id };
  let source = first;
  // The state as far as it was sent, which is behind the session while an answer streams.
  let state = source.journal.state();
  const log: JournalLog = createJournalLog(source.journal.id, state);
  let answers: WholeAnswers = createWholeAnswers();
  let leave = listen();
  let n = 0;

  function listen(): () => void {
    return source.journal.subscribe((event) => send(answers.add(event)));
  }

  function send(events: readonly AgentEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      if (event.seq !== null) state = apply(state, event);
      log.add(event, state);
    }
    n++;
    post(() => {
      const safe = redactEvents(mergeDeltas(events));
      return { ...address, type: 'events', n, journalId: source.journal.id, events: safe };
    });
  }

  function sendJournals(since: number): void {
    post(() => {
      const { name, journals } = exportTrace(log.read(), { name: source.name }).document;
      const { knows } = source;
      const known = knows === undefined ? {} : { knows };
      return { ...address, type: 'journals', n, name, ...known, journals: journals.slice(since) };
    });
  }

  return {
    follow(next) {
      if (next === source) return;
      leave();
      send(answers.end());
      source = next;
      answers = createWholeAnswers();
      state = source.journal.state();
      log.goOn(source.journal.id, state);
      leave = listen();
      n++;
      sendJournals(-1);
    },
    sendAll: () => sendJournals(0),
    end() {
      leave();
      send(answers.end());
      post(() => ({ ...address, type: 'gone' }));
    },
  };
}

/** Passes events on, except those of an answer that still streams: a secret in it must not leave in pieces. */
type WholeAnswers = {
  /** Adds an event and returns the events that can be sent now, in order. */
  readonly add: (event: AgentEvent) => readonly AgentEvent[];
  /** Returns all events that were held back. */
  readonly end: () => readonly AgentEvent[];
};

const ends: ReadonlySet<AgentEvent['type']> = new Set([
  'inference-start',
  'inference-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

export function createWholeAnswers(): WholeAnswers {
  /** Held events by agent, in the order of arrival. */
  const waiting = new Map<string, AgentEvent[]>();

  /** Releases the events of an agent and of its subagents, which cannot outlast it. */
  function releaseEvents(agent: string): AgentEvent[] {
    const found: AgentEvent[] = [];
    for (const [key, events] of waiting) {
      const isBelow = agent === '' || key.startsWith(`${agent}/`);
      if (key !== agent && !isBelow) continue;
      waiting.delete(key);
      found.push(...events);
    }
    return found;
  }

  return {
    add(event) {
      // The complete input is in the call that follows.
      if (event.type === 'tool-call-delta') return [];
      const agent = event.path.join('/');
      if (ends.has(event.type)) return [...releaseEvents(agent), event];
      const held = waiting.get(agent);
      if (held !== undefined) {
        held.push(event);
        return [];
      }
      if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return [event];
      waiting.set(agent, [event]);
      return [];
    },
    end() {
      return releaseEvents('');
    },
  };
}
